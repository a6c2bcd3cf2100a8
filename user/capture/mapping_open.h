/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that a process has mapped: found by the place where it is mapped, looked at and copied
 * by workers, for either may be delayed by others.
 */
#ifndef EDDY_CAPTURE_MAPPING_OPEN_H
#define EDDY_CAPTURE_MAPPING_OPEN_H

#include "capture/file_watch.h"
#include "sampler_abi.h"
#include "util/far_file.h"

/* What is asked for, and whose its process is. */
struct asked_mapping {
	const struct eddy_file_event *ev;
	owner_id owner;
	uint64_t patience_ns; /* of mapping_open(), at most; 0: as long as the pool has */
};

/*
 * A descriptor by O_PATH of what is mapped at the place that was asked for, or
 *	-ESRCH	nothing is mapped there any more, or the process has ended
 *	-EACCES	it may not be opened, or is not to be found by its path
 * or as worker_pool_run().  What stands there by now may be another file: mapping_read() tells.
 */
int mapping_open(struct worker_pool *pool, const struct asked_mapping *asked);

struct mapped_copy {
	int fd;	   /* of the copy, see elf_copy.h */
	int watch; /* a number of file_watch_begin(), of that queue */
	unsigned int queue;
	uint32_t gen;
	/*
	 * Its key is known only to the sampler: of overlayfs the layer's file is mapped, and where
	 * device, inode and generation are not one file, the key has the inode's address.
	 */
	bool has_unknown_key;
	struct far_stat stat;
};

/*
 * Copies what unwinding needs of an open file, if it is the one that is named ev->key or
 * ev->shown, of the key's generation where both are known; and has it watched (NULL: not).  0, or
 *	-ENODEV	a device: opening one may do something to it
 *	-ESTALE	it is another file
 *	-EACCES	it may not be read
 * or as worker_pool_run().
 */
int mapping_read(struct worker_pool *pool, const struct asked_mapping *asked, int fd,
		 const struct file_watch_fds *watch, struct mapped_copy *ret_copy);

#endif
