/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When two files are one, by what the kernel tells of them (struct eddy_unwind_key). */
#ifndef EDDY_CAPTURE_FILE_KEY_H
#define EDDY_CAPTURE_FILE_KEY_H

#include <stdbool.h>

#include "unwind_abi.h"

/* The same inode of the same device; it may have been given again to another file. */
static inline bool file_key_has_inode(const struct eddy_unwind_key *a,
				      const struct eddy_unwind_key *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

/* The same file: of the same generation too. */
static inline bool file_key_equals(const struct eddy_unwind_key *a, const struct eddy_unwind_key *b)
{
	return file_key_has_inode(a, b) && a->gen == b->gen;
}

#endif
