// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looking up in the kernel's symbols.  Which alias names an address, and what role it plays, is
 * decided when the address is looked up: a few thousand of 120 000 symbols ever are.
 */
#include "symbol/kallsyms.h"

#include <errno.h>
#include <string.h>

#include "profile/frame.h"
#include "symbol/kallsyms_table.h"
#include "symbol/symbol_name.h"
#include "util/mem.h"

#define MAX_ALIASES    64   /* looked at for one address */
#define MAX_TAIL_BYTES 4096 /* reach of the last symbol of a module, where no end is known */

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
	return symbol_name_compare(&(struct named_symbol){ SYMBOL_GLOBAL, x, strlen(x) },
				   &(struct named_symbol){ SYMBOL_GLOBAL, y, strlen(y) }) < 0;
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
	uint64_t reach, module_end = k->ranges ? k->ranges[s->module].end : 0;

	if (__builtin_add_overflow(s->addr, MAX_TAIL_BYTES, &reach))
		reach = UINT64_MAX;
	if (module_end > s->addr)
		reach = module_end;
	if (above == k->nr)
		return reach;
	if (s->module != s[1].module && reach < s[1].addr)
		return reach;
	return s[1].addr;
}

static void find_base(const struct kallsyms *k, uint16_t module, struct kernel_symbol *s)
{
	const struct module_range *range = k->ranges ? &k->ranges[module] : NULL;
	const uint64_t text = module ? 0 : kallsyms_text(k);

	if (text && text <= s->start) {
		s->base = text;
		s->shown = KERNEL_PLACE_TEXT;
	} else if (range && range->begin <= s->start && s->start < range->end) {
		s->base = range->begin;
		s->shown = KERNEL_PLACE_MODULE;
	} else {
		s->base = s->start;
		s->shown = KERNEL_PLACE_PASSING;
	}
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
	find_base(k, best->module, ret_symbol);
	return 0;
}

void kallsyms_set_module(struct kallsyms *k, const char *module, uint64_t begin, uint64_t end)
{
	if (!k->ranges)
		k->ranges = xcalloc(k->nr_modules, sizeof(*k->ranges));
	for (size_t i = 1; i < k->nr_modules; i++)
		if (!strcmp(k->modules[i], module))
			k->ranges[i] = (struct module_range){ begin, end };
}

bool kallsyms_is_passing(const char *module)
{
	return !strcmp(module, "bpf") || has_prefix(module, "__builtin__");
}

void kallsyms_each_passing(const struct kallsyms *k,
			   void (*fn)(void *ctx, const struct kernel_symbol *symbol), void *ctx)
{
	struct kernel_symbol symbol;

	for (size_t i = 0; i < k->nr; i++) {
		const struct ksym *s = &k->symbols[i];

		if (!s->module || !kallsyms_is_passing(k->modules[s->module]) ||
		    (i + 1 < k->nr && s[1].addr == s->addr))
			continue;
		if (!kallsyms_find(k, s->addr, &symbol))
			fn(ctx, &symbol);
	}
}

void kallsyms_each_named(const struct kallsyms *k, const char *name,
			 void (*fn)(void *ctx, const struct kernel_symbol *symbol), void *ctx)
{
	struct kernel_symbol symbol;

	for (size_t i = 0; i < k->nr; i++)
		if (k->symbols[i].module && !strcmp(ksym_name(k, &k->symbols[i]), name) &&
		    !kallsyms_find(k, k->symbols[i].addr, &symbol) && !strcmp(symbol.name, name))
			fn(ctx, &symbol);
}

/*
 * The first of that name, the kernel's own before those of modules; NULL: none.  A handful of names
 * are asked for at the start, so there is no index; their first eight bytes with the NUL, if it is
 * among them, tell nearly all of the 60 000 others apart without a call.
 */
static const struct ksym *symbol_of_name(const struct kallsyms *k, const char *name)
{
	size_t len = strlen(name) + 1;
	size_t prefix = len < KALLSYMS_PREFIX_BYTES ? len : KALLSYMS_PREFIX_BYTES;
	const struct ksym *found = NULL;
	uint64_t want = 0, mask = 0, have;

	memcpy(&want, name, prefix);
	memset(&mask, 0xff, prefix);
	for (size_t i = 0; i < k->nr; i++) {
		const struct ksym *s = &k->symbols[i];

		memcpy(&have, k->names + s->name, KALLSYMS_PREFIX_BYTES);
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
	for (size_t i = 0; i < NR_KALLSYMS_PLACES; i++)
		if (!strcmp(kallsyms_place_names[i], name))
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

uint64_t kallsyms_text(const struct kallsyms *k)
{
	return k->text;
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
