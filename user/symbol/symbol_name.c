// SPDX-License-Identifier: GPL-2.0-or-later
/* The plainest of several names: "read" before "__read" before "__libc_read". */
#include "symbol/symbol_name.h"

#include <string.h>

static size_t nr_underscores(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] == '_')
		n++;
	return n;
}

int symbol_name_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t a_under = nr_underscores(a, a_len), b_under = nr_underscores(b, b_len);

	if (a_under != b_under)
		return a_under < b_under ? -1 : 1;
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return memcmp(a, b, a_len);
}
