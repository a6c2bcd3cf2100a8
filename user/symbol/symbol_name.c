// SPDX-License-Identifier: GPL-2.0-or-later
/* The plainest of several names: "read" before "__read" before "__libc_read". */
#include "symbol/symbol_name.h"

#include <stdbool.h>
#include <string.h>

static size_t nr_underscores(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] == '_')
		n++;
	return n;
}

/* What glibc calls its own functions by inside: any other name says more. */
static bool is_glibc_alias(const char *s, size_t len)
{
	static const char prefix[] = "__GI_";

	return len >= sizeof(prefix) - 1 && !memcmp(s, prefix, sizeof(prefix) - 1);
}

/* 0: programs are linked with it. */
static int kind_of(enum symbol_rank rank)
{
	return rank == SYMBOL_LOCAL ? 2 : rank == SYMBOL_OLD;
}

int symbol_name_compare(const struct named_symbol *a, const struct named_symbol *b)
{
	size_t a_under = nr_underscores(a->name, a->len), b_under = nr_underscores(b->name, b->len);
	bool a_alias = is_glibc_alias(a->name, a->len), b_alias = is_glibc_alias(b->name, b->len);

	if (kind_of(a->rank) != kind_of(b->rank))
		return kind_of(a->rank) - kind_of(b->rank);
	if (a_alias != b_alias)
		return a_alias ? 1 : -1;
	if (a_under != b_under)
		return a_under < b_under ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->name, b->name, a->len);
}
