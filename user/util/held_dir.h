/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of a file that is written after a capture, held from before it: who owns a
 * directory above can move it away meanwhile, and put one of his own in its place.
 */
#ifndef EDDY_UTIL_HELD_DIR_H
#define EDDY_UTIL_HELD_DIR_H

#include <stdbool.h>

#include "util/diag.h"

struct held_dir {
	int fd;	    /* -1: nobody else can move it */
	char *held; /* the file, by that descriptor */
};

/* Of a file's path.  0 or -errno with a diag. */
int held_dir_open(const char *path, struct held_dir *ret_dir, struct diag *ret_diag);
void held_dir_close(struct held_dir *d);

/*
 * Where the file is to be written: `path`, or, when others have moved its directory, the same
 * file in that; is_moved says which.  Valid as long as both.
 */
const char *held_dir_path(const struct held_dir *d, const char *path, bool *ret_is_moved);

#endif
