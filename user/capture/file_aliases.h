/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files for which /proc/PID/maps prints another device and inode than the sampler's key has: those
 * behind a file of overlayfs.  From what is printed to the key.
 */
#ifndef EDDY_CAPTURE_FILE_ALIASES_H
#define EDDY_CAPTURE_FILE_ALIASES_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind_abi.h"

struct file_aliases;

struct file_aliases *file_aliases_new(void);
void file_aliases_free(struct file_aliases *a); /* NULL is fine */

/* Notes that `shown` (its generation does not count) is printed for the file of that key. */
void file_aliases_add(struct file_aliases *a, const struct eddy_unwind_key *shown,
		      const struct eddy_unwind_key *key);
/*
 * The key of the file that is printed so; NULL when there is none, or more than one (a file that
 * was copied to the upper layer while somebody had the lower one mapped): any could be wrong.
 * Valid until the next call.
 */
const struct eddy_unwind_key *file_aliases_find(const struct file_aliases *a,
						const struct eddy_unwind_key *shown);
/* Forgets those whose key is not known any more. */
void file_aliases_age(struct file_aliases *a,
		      bool (*is_known)(void *ctx, const struct eddy_unwind_key *key), void *ctx);
size_t file_aliases_nr(const struct file_aliases *a);

#endif
