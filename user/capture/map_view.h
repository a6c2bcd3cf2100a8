/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A BPF array map as memory, of which only the pieces that are touched are mapped.  The kernel maps
 * the pages of such a map when it is mapped, not when they are read: all of a mapped map counts as
 * resident memory of the process, though it is the map's and stays when it is unmapped.
 */
#ifndef EDDY_CAPTURE_MAP_VIEW_H
#define EDDY_CAPTURE_MAP_VIEW_H

#include <stddef.h>
#include <stdint.h>

#define MAP_VIEW_PIECE_BYTES (64u << 10) /* a multiple of every page size there is */
#define MAP_VIEW_MAX_PIECES  128

struct map_view {
	int fd;	      /* the owner's; BPF_F_MMAPABLE */
	size_t bytes; /* of the map's values: at most MAP_VIEW_MAX_PIECES pieces */

	/* of map_view.c */
	char *base; /* address space for all of it; NULL: none */
	size_t mapped_bytes;
	uint64_t mapped[MAP_VIEW_MAX_PIECES / 64];
};

/*
 * The len > 0 bytes from offset on, in one piece of memory; the bytes before and behind them stand
 * at their places too, but may not be touched.  Valid until map_view_forget().  NULL with errno
 * when they cannot be mapped.
 */
void *map_view_get(struct map_view *v, size_t offset, size_t len);
/* Unmaps what was mapped; the view can be used again. */
void map_view_forget(struct map_view *v);
/* How much of it is mapped. */
static inline size_t map_view_bytes(const struct map_view *v)
{
	return v->mapped_bytes;
}

#endif
