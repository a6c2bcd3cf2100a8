/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mapped file is called in frames. */
#ifndef EDDY_SYMBOL_MODULE_NAME_H
#define EDDY_SYMBOL_MODULE_NAME_H

#include <stddef.h>

/* The last component of a path as maps print it, without " (deleted)"; it points into the path. */
const char *module_name(const char *path, size_t path_len, size_t *ret_len);

#endif
