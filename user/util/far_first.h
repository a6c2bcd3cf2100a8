/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One question to a worker for a file that may stand in several places. */
#ifndef EDDY_UTIL_FAR_FIRST_H
#define EDDY_UTIL_FAR_FIRST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/far_file.h"

#define FAR_FIRST_MAX 8 /* places */

struct far_places {
	const char *root;		  /* "" is our own */
	int root_fd;			  /* of a directory that is the root instead; -1: none */
	const char *paths[FAR_FIRST_MAX]; /* absolute, below that root */
	size_t nr;
};

struct far_found {
	struct far_stat stat;
	uint64_t fs_type; /* as statfs(2); 0: it does not say */
	bool is_shared;	  /* others than its owner may write to it */
	size_t which;	  /* of the paths */
};

/*
 * A descriptor by O_PATH of the first path at which there is a regular file; what is something else
 * counts as not there.  Links are followed, also the last one, and do not lead out of the root
 * (root_path.h).  -ENOENT, -ENAMETOOLONG (more than 6 KB in all), or as worker_pool_run().
 */
int far_open_first(struct worker_pool *p, const struct worker_key *key,
		   const struct far_places *places, struct far_found *ret_found);

#endif
