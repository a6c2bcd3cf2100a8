// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/kallsyms as one sorted array over one pool of names:
 *
 *   symbols[i]  { u64 address, u32 name (offset in the pool), u16 module, type, - }   16 bytes
 *   names       "name\0name\0..."                                        about 22 bytes a symbol
 *
 * Aliases are neighbours in the array.  Which of them names the address, and what role it plays,
 * is decided when an address is looked up: a few thousand of 120 000 symbols ever are.
 */
#include "symbol/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/symbol_name.h"
#include "util/mem.h"

#define MAX_SYMBOLS    (4u << 20)
#define MAX_NAME_BYTES (256u << 20)
#define MAX_MODULES    16384
#define MAX_ALIASES    64	   /* looked at for one address */
#define MAX_TAIL_BYTES (256 << 10) /* reach of the last symbol of a module */
#define READ_BYTES     (64 << 10)
#define PREFIX_BYTES   8 /* of a name, compared at once */

/* The data that is asked for by name: not in the array, where they would seem to be functions. */
static const char *const place_names[] = {
	"__start_orc_header", "__start_orc_unwind_ip", "__stop_orc_unwind_ip",
	"__start_orc_unwind", "__stop_orc_unwind",
};
#define NR_PLACES ARRAY_SIZE(place_names)

struct ksym {
	uint64_t addr;
	uint32_t name;
	uint16_t module;
	char type;
};

struct kallsyms {
	struct ksym *symbols;
	size_t nr, cap;
	char *names;
	size_t names_len, names_cap;
	char **modules; /* [0] is "" */
	size_t nr_modules, cap_modules;
	bool sorted;
	uint64_t places[NR_PLACES];
};

struct line {
	uint64_t addr;
	const char *name, *module;
	size_t name_len, module_len;
	char type;
};

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* "ffffffffc0201000 t name\t[module]" without its newline; false: not such a line. */
static bool line_parse(const char *s, size_t len, struct line *ret)
{
	const char *end = s + len, *tab;
	struct line l = { .module = "" };
	const char *p = s;

	for (; p < end && p - s < 16 && hex_value(*p) >= 0; p++)
		l.addr = l.addr << 4 | hex_value(*p);
	if (p == s || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	l.type = p[1];
	l.name = p + 3;
	tab = memchr(l.name, '\t', end - l.name);
	l.name_len = (tab ? tab : end) - l.name;
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		l.module = tab + 2;
		l.module_len = end - 1 - l.module;
	}
	if (!l.name_len || memchr(l.name, '\0', l.name_len) || memchr(l.module, '\0', l.module_len))
		return false;
	*ret = l;
	return true;
}

static bool is_text(char type)
{
	return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

/*
 * The padding before a function (CONFIG_CALL_PADDING) has a symbol of its own, so that half of the
 * table is such names.  Nothing runs there; without them it belongs to the function before it.
 */
static bool is_padding(const struct line *l)
{
	return l->name_len > 6 && !memcmp(l->name, "__pfx_", 6);
}

/* Modules come in runs, so the last one is nearly always the one asked for. */
static uint16_t module_index(struct kallsyms *k, const char *name, size_t len)
{
	for (size_t i = k->nr_modules; i-- > 0;)
		if (strlen(k->modules[i]) == len && !memcmp(k->modules[i], name, len))
			return i;
	if (k->nr_modules == MAX_MODULES)
		return 0;
	array_reserve(k->modules, k->cap_modules, k->nr_modules + 1);
	k->modules[k->nr_modules] = xmemdup0(name, len);
	return k->nr_modules++;
}

static void add_place(struct kallsyms *k, const struct line *l)
{
	if (l->name_len < 2 || memcmp(l->name, "__", 2) || l->module_len)
		return;
	for (size_t i = 0; i < NR_PLACES; i++)
		if (strlen(place_names[i]) == l->name_len &&
		    !memcmp(place_names[i], l->name, l->name_len))
			k->places[i] = l->addr;
}

static void add_line(struct kallsyms *k, const char *s, size_t len)
{
	struct line l;

	if (!line_parse(s, len, &l) || !l.addr)
		return;
	if (!is_text(l.type)) {
		add_place(k, &l);
		return;
	}
	if (is_padding(&l))
		return;
	if (k->nr == MAX_SYMBOLS || l.name_len >= MAX_NAME_BYTES - k->names_len)
		return;
	array_reserve(k->symbols, k->cap, k->nr + 1);
	array_reserve(k->names, k->names_cap, k->names_len + l.name_len + 1);
	if (k->nr && k->symbols[k->nr - 1].addr > l.addr)
		k->sorted = false;
	k->symbols[k->nr++] = (struct ksym){
		.addr = l.addr,
		.name = k->names_len,
		.module = module_index(k, l.module, l.module_len),
		.type = l.type,
	};
	memcpy(k->names + k->names_len, l.name, l.name_len);
	k->names_len += l.name_len;
	k->names[k->names_len++] = '\0';
}

/* Whole lines go to add_line(); the rest of the buffer is moved to its front. */
static size_t eat_lines(struct kallsyms *k, char *buf, size_t len)
{
	char *p = buf, *nl;

	while ((nl = memchr(p, '\n', buf + len - p))) {
		add_line(k, p, nl - p);
		p = nl + 1;
	}
	len -= p - buf;
	memmove(buf, p, len);
	return len;
}

static int read_lines(struct kallsyms *k, int fd)
{
	_cleanup_free_ char *buf = xmalloc(READ_BYTES);
	size_t len = 0;

	for (;;) {
		ssize_t n = read(fd, buf + len, READ_BYTES - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len = eat_lines(k, buf, len + n);
		if (len == READ_BYTES) /* no line is that long: drop what there is of it */
			len = 0;
	}
	if (len)
		add_line(k, buf, len);
	return 0;
}

/* By address; aliases stay in the order of the file, which the pool's offsets remember. */
static int ksym_compare(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

int kallsyms_read(int fd, struct kallsyms **ret_table)
{
	_cleanup_(kallsyms_freep) struct kallsyms *k = xcalloc(1, sizeof(*k));
	int r;

	k->sorted = true;
	module_index(k, "", 0);
	r = read_lines(k, fd);
	if (r < 0)
		return r;
	if (!k->nr)
		return -ENODATA;
	if (!k->sorted)
		qsort(k->symbols, k->nr, sizeof(*k->symbols), ksym_compare);
	k->symbols = xreallocarray(k->symbols, k->nr, sizeof(*k->symbols));
	k->cap = k->nr;
	k->names_cap = k->names_len + PREFIX_BYTES; /* so that any name can be read that far */
	k->names = xreallocarray(k->names, k->names_cap, 1);
	memset(k->names + k->names_len, 0, PREFIX_BYTES);
	*ret_table = take_ptr(k);
	return 0;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nr_modules; i++)
		free(k->modules[i]);
	free(k->modules);
	free(k->symbols);
	free(k->names);
	free(k);
}

static bool has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool has_suffix(const char *s, const char *suffix)
{
	size_t len = strlen(s), n = strlen(suffix);

	return len >= n && !strcmp(s + len - n, suffix);
}

/* The end of a part of the kernel: what follows belongs to nobody. */
static bool is_end_marker(const char *s)
{
	return !strcmp(s, "_etext") || !strcmp(s, "_einittext");
}

/* Names that the linker script or the compiler gives to places, not to functions. */
static bool is_marker(const char *s)
{
	static const char *const names[] = { "_stext", "_text", "_sinittext", "__pi__text" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(s, names[i]))
			return true;
	if (has_prefix(s, "__cfi_") || is_end_marker(s))
		return true;
	return has_prefix(s, "__") && (has_suffix(s, "_start") || has_suffix(s, "_end"));
}

static int type_rank(char type)
{
	switch (type) {
	case 'T':
		return 0;
	case 'W':
	case 'w':
		return 1;
	}
	return 2;
}

static const char *ksym_name(const struct kallsyms *k, const struct ksym *s)
{
	return k->names + s->name;
}

static bool is_better(const struct kallsyms *k, const struct ksym *a, const struct ksym *b)
{
	const char *x = ksym_name(k, a), *y = ksym_name(k, b);
	bool x_marks = is_marker(x), y_marks = is_marker(y);

	if (x_marks != y_marks)
		return y_marks;
	if (type_rank(a->type) != type_rank(b->type))
		return type_rank(a->type) < type_rank(b->type);
	return symbol_name_compare(x, strlen(x), y, strlen(y)) < 0;
}

/* The number of symbols whose address is <= addr. */
static size_t nr_not_above(const struct kallsyms *k, uint64_t addr)
{
	size_t lo = 0, hi = k->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->symbols[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Where the symbols at the address of symbols[above - 1] end. */
static uint64_t end_of(const struct kallsyms *k, size_t above)
{
	const struct ksym *s = &k->symbols[above - 1];
	uint64_t reach;

	if (__builtin_add_overflow(s->addr, MAX_TAIL_BYTES, &reach))
		reach = UINT64_MAX;
	if (above == k->nr)
		return reach;
	if (s->module != s[1].module && reach < s[1].addr)
		return reach;
	return s[1].addr;
}

int kallsyms_find(const struct kallsyms *k, uint64_t addr, struct kernel_symbol *ret_symbol)
{
	size_t above = nr_not_above(k, addr), first, seen;
	const struct ksym *best = NULL;
	enum frame_role role = FRAME_ROLE_NONE;
	uint64_t end;

	if (!above)
		return -ENOENT;
	end = end_of(k, above);
	if (addr >= end)
		return -ENOENT;
	first = above - 1;
	for (seen = 0; seen < MAX_ALIASES; seen++) {
		const struct ksym *s = &k->symbols[first - seen];
		const char *name = ksym_name(k, s);

		if (s->addr != k->symbols[first].addr)
			break;
		if (!best || is_better(k, s, best))
			best = s;
		if (role == FRAME_ROLE_NONE)
			role = frame_role_of_name(name, strlen(name));
		if (first == seen)
			break;
	}
	if (is_end_marker(ksym_name(k, best)))
		return -ENOENT;
	*ret_symbol = (struct kernel_symbol){
		.name = ksym_name(k, best),
		.module = k->modules[best->module],
		.start = best->addr,
		.end = end,
		.role = role,
	};
	return 0;
}

/*
 * The first of that name, the kernel's own before those of modules; NULL: none.  A handful of names
 * are asked for at the start, so there is no index; their first eight bytes with the NUL, if it is
 * among them, tell nearly all of the 60 000 others apart without a call.
 */
static const struct ksym *symbol_of_name(const struct kallsyms *k, const char *name)
{
	size_t len = strlen(name) + 1;
	size_t prefix = len < PREFIX_BYTES ? len : PREFIX_BYTES;
	const struct ksym *found = NULL;
	uint64_t want = 0, mask = 0, have;

	memcpy(&want, name, prefix);
	memset(&mask, 0xff, prefix);
	for (size_t i = 0; i < k->nr; i++) {
		const struct ksym *s = &k->symbols[i];

		memcpy(&have, k->names + s->name, PREFIX_BYTES);
		if ((have & mask) != want || strcmp(ksym_name(k, s), name))
			continue;
		if (!s->module)
			return s;
		if (!found)
			found = s;
	}
	return found;
}

static uint64_t place_of_name(const struct kallsyms *k, const char *name)
{
	for (size_t i = 0; i < NR_PLACES; i++)
		if (!strcmp(place_names[i], name))
			return k->places[i];
	return 0;
}

uint64_t kallsyms_address(const struct kallsyms *k, const char *name, uint64_t *ret_end)
{
	const struct ksym *s = symbol_of_name(k, name);
	uint64_t place = s && !s->module ? 0 : place_of_name(k, name);

	if (!s && !place)
		return 0;
	if (ret_end)
		*ret_end = place ? place : end_of(k, nr_not_above(k, s->addr));
	return place ? place : s->addr;
}

size_t kallsyms_nr(const struct kallsyms *k)
{
	return k->nr;
}

size_t kallsyms_bytes(const struct kallsyms *k)
{
	return sizeof(*k) + k->cap * sizeof(*k->symbols) + k->names_cap +
	       k->cap_modules * sizeof(*k->modules);
}
