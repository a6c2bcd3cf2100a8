// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading the table, a line a symbol.  It has 200 000 lines and is read at every start: nothing is
 * allocated for a line, nothing looked at twice.
 */
#include "symbol/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/kallsyms_table.h"
#include "util/mem.h"

#define MAX_SYMBOLS    (4u << 20)
#define MAX_NAME_BYTES (256u << 20)
#define MAX_MODULES    16384
#define READ_BYTES     (64 << 10)

const char *const kallsyms_place_names[NR_KALLSYMS_PLACES] = {
	"__start_orc_header", "__start_orc_unwind_ip", "__stop_orc_unwind_ip",
	"__start_orc_unwind", "__stop_orc_unwind",     "bpf_tree",
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
	if (l->name_len < 2 || l->module_len ||
	    (memcmp(l->name, "__", 2) && memcmp(l->name, "bp", 2)))
		return;
	for (size_t i = 0; i < NR_KALLSYMS_PLACES; i++)
		if (strlen(kallsyms_place_names[i]) == l->name_len &&
		    !memcmp(kallsyms_place_names[i], l->name, l->name_len))
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
	/* So that any name can be read that far. */
	k->names_cap = k->names_len + KALLSYMS_PREFIX_BYTES;
	k->names = xreallocarray(k->names, k->names_cap, 1);
	memset(k->names + k->names_len, 0, KALLSYMS_PREFIX_BYTES);
	k->text = kallsyms_address(k, "_text", NULL);
	k->text = k->text ? k->text : kallsyms_address(k, "_stext", NULL);
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
	free(k->ranges);
	free(k->symbols);
	free(k->names);
	free(k);
}

/* "name bytes references users state 0xADDRESS"; the address is zero for who may not know it. */
void kallsyms_read_modules(struct kallsyms *k, int fd)
{
	int copy = dup(fd);
	_cleanup_fclose_ FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
	_cleanup_free_ char *line = NULL;
	unsigned long long bytes, start;
	size_t cap = 0;
	char name[64];

	if (!f && copy >= 0)
		close(copy);
	while (f && getline(&line, &cap, f) > 0)
		if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &bytes, &start) == 3 &&
		    start && bytes <= UINT64_MAX - start)
			kallsyms_set_module(k, name, start, start + bytes);
}
