/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which parts of a numbered space are free: the allocator of room that stands elsewhere (rows and
 * pages in BPF maps).  Free extents are kept sorted and merged; the lowest that fits is taken.
 * An extent never crosses a multiple of `block` (0: no such bound).
 */
#ifndef EDDY_UTIL_EXTENTS_H
#define EDDY_UTIL_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

struct extent {
	uint64_t start;
	uint64_t len;
};

struct extents {
	struct extent *free;
	size_t nr, cap;
	uint64_t block;
	uint64_t nr_free; /* sum of free lengths */
};

void extents_init(struct extents *e, uint64_t block);
void extents_deinit(struct extents *e);
/* Gives [start, start + len) to the free space; it must not be free already. */
void extents_add(struct extents *e, uint64_t start, uint64_t len);
/* Takes len > 0; 0 and *ret_start, or -ENOSPC when no extent is as long. */
int extents_take(struct extents *e, uint64_t len, uint64_t *ret_start);

#endif
