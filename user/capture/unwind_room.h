/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room for rows and pages in the maps of the sampler.  Rows are one numbered space over all slabs
 * (slab number << 20 | row), pages another; both are given out by util/extents.  A slab is made
 * when the free rows do not suffice, up to the bound.
 */
#ifndef EDDY_CAPTURE_UNWIND_ROOM_H
#define EDDY_CAPTURE_UNWIND_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "capture/map_view.h"
#include "unwind/unwind_table.h"
#include "unwind_abi.h"
#include "util/extents.h"

struct unwind_room {
	int slabs_fd;
	struct map_view pages;
	struct map_view *slabs;
	uint32_t nr_slabs, max_slabs;
	size_t row_view_bytes; /* of all slabs */
	struct extents free_rows, free_pages;
};

/* Where a table stands. */
struct unwind_place {
	uint32_t first_page, nr_pages, nr_rows;
};

/* max_bytes bounds the rows (rounded up to whole slabs); the descriptors stay the caller's. */
void unwind_room_init(struct unwind_room *r, int slabs_fd, int pages_fd, uint64_t max_bytes);
void unwind_room_deinit(struct unwind_room *r);
/* Gives back the memory that writing needed. */
void unwind_room_settle(struct unwind_room *r);

/*
 * Copies rows and pages in; number: what the rules' numbers become, NULL: they stay.  -ENOSPC:
 * there is no room, another error: nor memory; nothing is taken then.
 */
int unwind_room_put(struct unwind_room *r, const struct unwind_table *table, const uint16_t *number,
		    struct unwind_place *ret_place);
/* The room of a table is free again; -errno: not now, and nothing happened. */
int unwind_room_give_back(struct unwind_room *r, const struct unwind_place *place);

/* nr pages from number `first` on, until the next call for pages; NULL with errno. */
struct eddy_unwind_page *unwind_room_pages(struct unwind_room *r, uint32_t first, uint32_t nr);
/* nr rows of a slab from number `first` on, until the next call for rows; NULL with errno. */
uint32_t *unwind_room_rows(struct unwind_room *r, uint32_t slab, uint32_t first, uint32_t nr);

/* Rows that nobody has, in slabs that are there or may be made. */
uint64_t unwind_room_free_rows(const struct unwind_room *r);

#endif
