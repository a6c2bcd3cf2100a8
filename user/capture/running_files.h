/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that running processes have mapped executable. */
#ifndef EDDY_CAPTURE_RUNNING_FILES_H
#define EDDY_CAPTURE_RUNNING_FILES_H

#include "unwind_abi.h"

/* A file, open until this returns, under the key that the sampler will have for it. */
typedef void (*running_file_fn)(void *ctx, const struct eddy_unwind_key *key, int fd,
				const char *path);

/*
 * Calls fn once for each of them that can be opened, but for those on overlayfs: behind such a file
 * stands another, which is the one that is mapped and asked for, and its key is not known before.
 */
void running_files_each(running_file_fn fn, void *ctx);

#endif
