/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that could not be opened, and when they may be asked for again.  Each sample in such a file
 * would ask otherwise, wake user space for it and wait for a table that never comes.
 */
#ifndef EDDY_CAPTURE_REFUSED_FILES_H
#define EDDY_CAPTURE_REFUSED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind_abi.h"

struct refused_files;

/* From now on the file may be asked for again. */
typedef void (*refused_file_fn)(void *ctx, const struct eddy_unwind_key *key);

struct refused_files *refused_files_new(refused_file_fn again, void *ctx);
void refused_files_free(struct refused_files *r); /* NULL is fine; tells of none */

/*
 * Notes that a file could not be opened.  True: it rests, for a second the first time and for twice
 * as long each time after, up to half a minute; `again` will be called.  False: it may be asked for
 * at once.  So it is a few times when it may have been chance (another file was in its place).
 */
bool refused_files_add(struct refused_files *r, const struct eddy_unwind_key *key, bool is_chance,
		       uint64_t now_ns);
/* It was opened: what was noted of it does not count any more. */
void refused_files_remove(struct refused_files *r, const struct eddy_unwind_key *key);
/* Calls `again` for those that have rested; how many.  Cheap when there are none. */
size_t refused_files_poll(struct refused_files *r, uint64_t now_ns);

#endif
