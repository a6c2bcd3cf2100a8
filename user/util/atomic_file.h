/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output files that appear whole or not at all: written as ".eddy-XXXXXXXX.tmp" in the folder of
 * the target, flushed to the disk, then renamed over it.
 *
 *	_cleanup_atomic_file_ struct atomic_file *out = NULL;
 *
 *	r = atomic_file_open(path, &out, ret_diag);
 *	...fprintf(atomic_file_stream(out), ...)...
 *	return atomic_file_commit(&out, ret_diag);
 *
 * "-" is standard output, and a path that is there and is no regular file (a pipe, /dev/null) is
 * opened and written in place; neither can be taken back.  A link is followed: its target is
 * replaced.  A file that is replaced hands on its mode and, where allowed, its owner.
 * A killed process leaves at most that one temporary file, safe to remove.
 */
#ifndef EDDY_UTIL_ATOMIC_FILE_H
#define EDDY_UTIL_ATOMIC_FILE_H

#include <stdio.h>

#include "util/cleanup.h"
#include "util/diag.h"

struct atomic_file;

/* Begins a file.  0 or -errno with the path and the reason; path "-": standard output. */
int atomic_file_open(const char *path, struct atomic_file **ret_file, struct diag *ret_diag);

/*
 * Begins a new file `name` of an open folder (which stays the caller's), under a temporary name
 * that the caller chose and nobody else uses; one that was left behind is removed.  Both are names,
 * not paths; `shown` is what messages call the file.  Commit never replaces a file (-EEXIST) and
 * leaves it to the caller to sync the folder: there may be several files to sync at once.
 */
int atomic_file_open_new(int folder, const char *name, const char *shown, const char *temporary,
			 struct atomic_file **ret_file, struct diag *ret_diag);

/*
 * Where to write; belongs to the file and has no descriptor of its own (fileno() is -1).  Errors
 * may be left to commit: it knows the first one.
 */
FILE *atomic_file_stream(struct atomic_file *file);

/*
 * Makes it the file of that name: flush, fsync, rename, fsync of the folder.  The file is gone
 * afterwards and *file NULL, also on failure; then nothing was replaced (but for the folder's own
 * fsync, which comes after the rename) and no temporary file is left.  -errno, ENOSPC for instance.
 */
int atomic_file_commit(struct atomic_file **file, struct diag *ret_diag);

/* Syncs a folder; a file system that cannot has nothing to sync.  0 or -errno. */
int atomic_file_sync_folder(int folder);

/* Gives it up: the temporary file is removed, the target untouched.  NULL is fine. */
void atomic_file_drop(struct atomic_file *file);
DEFINE_FREE(atomic_file, struct atomic_file *, atomic_file_drop)
#define _cleanup_atomic_file_ _cleanup_(atomic_file_freep)

#endif
