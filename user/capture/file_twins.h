/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that share device, inode and generation with others (snapshots of btrfs), so that their key
 * has the inode's address, which user space cannot ask for: what stat(2) calls them tells them
 * apart where subvolumes have devices of their own.
 */
#ifndef EDDY_CAPTURE_FILE_TWINS_H
#define EDDY_CAPTURE_FILE_TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "unwind_abi.h"
#include "util/far_file.h"

struct file_twin {
	struct eddy_unwind_key key;
	dev_t st_dev;
	ino_t st_ino;
};

/* All zero is empty. */
struct file_twins {
	struct file_twin *twins;
	size_t nr, cap;
};
void file_twins_deinit(struct file_twins *t);

/* Remembers what stat(2) says of the file of that key, if it is one of those. */
void file_twins_add(struct file_twins *t, const struct eddy_unwind_key *key,
		    const struct far_stat *stat);
/* Forgets those that is_known does not know any more. */
void file_twins_age(struct file_twins *t,
		    bool (*is_known)(void *ctx, const struct eddy_unwind_key *key), void *ctx);
/*
 * The file that stat(2) says this of; NULL when it is not known, or two known files are the same
 * there too.  Valid until the next call of another function.
 */
const struct eddy_unwind_key *file_twins_find(const struct file_twins *t, dev_t st_dev,
					      ino_t st_ino);

#endif
