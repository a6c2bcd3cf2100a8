// SPDX-License-Identifier: GPL-2.0-or-later
/* A file that was removed has the same name as before. */
#include "symbol/module_name.h"

#include <string.h>

const char *module_name(const char *path, size_t path_len, size_t *ret_len)
{
	static const char deleted[] = " (deleted)";
	size_t end = path_len, start, n = sizeof(deleted) - 1;

	if (end > n && !memcmp(path + end - n, deleted, n))
		end -= n;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;
	*ret_len = end - start;
	return path + start;
}
