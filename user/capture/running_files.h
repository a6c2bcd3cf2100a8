/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that running processes have mapped executable. */
#ifndef EDDY_CAPTURE_RUNNING_FILES_H
#define EDDY_CAPTURE_RUNNING_FILES_H

#include "capture/mapping_open.h"
#include "unwind_abi.h"
#include "util/process_root.h"

/*
 * A file, valid until this returns: where it is mapped, under the key that the sampler will have
 * for it, by O_PATH; the root of the process (NULL: ours); its copy.
 */
typedef void (*running_file_fn)(void *ctx, const struct asked_mapping *asked, int fd,
				struct process_root *root, const struct mapped_copy *copy);

/*
 * Calls fn once for each of them that can be opened, but for those on overlayfs: behind such a file
 * stands another, which is the one that is mapped and asked for, and its key is not known before.
 * Takes ten seconds at most, and ends when is_to_end says so (NULL: nobody asks); false: there
 * was not the time for all of them.
 */
bool running_files_each(struct worker_pool *pool, const struct file_watch_fds *watch,
			bool (*is_to_end)(void *ctx), running_file_fn fn, void *ctx);

#endif
