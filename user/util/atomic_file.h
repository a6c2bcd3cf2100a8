/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output files that appear whole or not at all: written as ".eddy-XXXXXXXX.tmp" in the directory of
 * the target, flushed to the disk, then renamed over it.
 *
 *	_cleanup_atomic_file_ struct atomic_file *out = NULL;
 *
 *	r = atomic_file_open(path, &out, ret_diag);
 *	...fprintf(atomic_file_stream(out), ...)...
 *	return atomic_file_commit(&out, ret_diag);
 *
 * "-" is standard output; /dev/stdout and others of our descriptors are that descriptor, and a
 * character device in a directory that is not shared (util/safe_path.h) is written in place;
 * neither can be taken back.  A FIFO and all else that is no file is refused.  A link is followed,
 * its target replaced, but not in a shared directory: there it is replaced itself.
 * The file is the caller's, and root's alone when he is root.  A file of the caller's own that is
 * replaced hands on its permissions (never set-id bits), unless others can have put it there.
 * A killed process leaves at most that one temporary file, safe to remove.
 */
#ifndef EDDY_UTIL_ATOMIC_FILE_H
#define EDDY_UTIL_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/cleanup.h"
#include "util/diag.h"

struct atomic_file;

/* Begins a file.  0 or -errno with the path and the reason; path "-": standard output. */
int atomic_file_open(const char *path, struct atomic_file **ret_file, struct diag *ret_diag);

/* Is that path written in place, so that nothing else belongs beside it?  "-" is. */
bool atomic_file_is_stream(const char *path);

/*
 * Begins a new file `name` of an open directory (which stays the caller's), under a temporary name
 * that the caller chose and nobody else uses; one that was left behind is removed.  Both are names,
 * not paths; `shown` is what messages call the file.  Commit never replaces a file (-EEXIST) and
 * leaves it to the caller to sync the directory: there may be several files to sync at once.
 */
int atomic_file_open_new(int dir, const char *name, const char *shown, const char *temporary,
			 struct atomic_file **ret_file, struct diag *ret_diag);

/*
 * Where to write; belongs to the file and has no descriptor of its own (fileno() is -1).  Errors
 * may be left to commit: it knows the first one.
 */
FILE *atomic_file_stream(struct atomic_file *file);

/*
 * Commit will keep the file that is replaced as NAME.old, where it is the caller's own and not
 * empty, and nobody else has that name or may take names away in the directory.  tail: what ends
 * the name behind ".old", ".json" for instance (then what stood under that name goes when there is
 * nothing to keep); "".
 */
void atomic_file_keep_old(struct atomic_file *file, const char *tail);

/*
 * Makes it the file of that name: flush, fsync, rename, fsync of the directory.  The file is gone
 * afterwards and *file NULL, also on failure; then nothing was replaced (but for the directory's
 * own fsync, which comes after the rename) and no temporary file is left.  -errno, ENOSPC for
 * instance.
 */
int atomic_file_commit(struct atomic_file **file, struct diag *ret_diag);

/* Syncs a directory; a file system that cannot has nothing to sync.  0 or -errno. */
int atomic_file_sync_dir(int dir);

/* Gives it up: the temporary file is removed, the target untouched.  NULL is fine. */
void atomic_file_drop(struct atomic_file *file);
DEFINE_FREE(atomic_file, struct atomic_file *, atomic_file_drop)
#define _cleanup_atomic_file_ _cleanup_(atomic_file_freep)

#endif
