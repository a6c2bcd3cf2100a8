/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a file that is written stands: the directory, opened once, and a name in it.  What is done
 * there is done by descriptor (openat, renameat, ...), so nobody can put another directory in
 * between.
 *
 * A directory is shared when others than the caller and root may make names in it: it is another
 * user's, or its mode lets a group or everybody write (to a user who is not root, a group of his
 * own is no other).  In a shared directory anybody may have made a link:
 *	- the last part of a path is not followed there, it is the name;
 *	- another part is followed only where links stay what they are (the directory is sticky and
 *	  root's or the caller's) and the link is root's or the caller's.
 * Elsewhere links are followed as ever.
 */
#ifndef EDDY_UTIL_SAFE_PATH_H
#define EDDY_UTIL_SAFE_PATH_H

#include <stdbool.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/diag.h"

struct safe_place {
	int dir;	 /* O_PATH */
	char *name;	 /* in the directory; not "", "." or ".." */
	int descriptor;	 /* the path is /dev/stdout or the like: this one of ours; else -1 */
	bool is_shared;	 /* of the directory */
	bool is_sticky;	 /* and in it others cannot rename what is ours */
	bool is_movable; /* others can move it away, or one that leads to it */
	bool is_there;	 /* something has the name: st, of a link itself where it is not followed */
	struct stat st;
};

enum {
	SAFE_PATH_MAKE_DIRS = 1 << 0, /* those that are missing on the way, but for the name */
	SAFE_PATH_KEEP_LINK = 1 << 1, /* a link that has the name is never followed */
};

/*
 * Finds the place of a path. 0, or -errno with the path and the reason; -EISDIR: no name is left.
 */
int safe_place_open(const char *path, unsigned int flags, struct safe_place *ret_place,
		    struct diag *ret_diag);
void safe_place_close(struct safe_place *place);
#define _cleanup_safe_place_ _cleanup_(safe_place_close)
#define SAFE_PLACE_INIT	     ((struct safe_place){ .dir = -1, .descriptor = -1 })

/* The mode that a new file or directory is asked for: root's files are for root alone. */
mode_t safe_file_mode(void);
mode_t safe_dir_mode(void);

#endif
