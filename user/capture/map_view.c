// SPDX-License-Identifier: GPL-2.0-or-later
/* Address space for the whole map is reserved; pieces of the map are put into it as needed. */
#include "capture/map_view.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool is_mapped(const struct map_view *v, size_t piece)
{
	return v->mapped[piece / 64] >> piece % 64 & 1;
}

static size_t page_aligned(size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* Where a piece ends, or the map. */
static size_t end_of(const struct map_view *v, size_t piece)
{
	size_t end = (piece + 1) * MAP_VIEW_PIECE_BYTES, all = page_aligned(v->bytes);

	return end < all ? end : all;
}

static int reserve(struct map_view *v)
{
	void *p = mmap(NULL, page_aligned(v->bytes), PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	v->base = p;
	return 0;
}

/* Nothing is mapped or reserved. */
static void clear(struct map_view *v)
{
	v->base = NULL;
	v->mapped_bytes = 0;
	memset(v->mapped, 0, sizeof(v->mapped));
}

/*
 * Mapping over the reserved space may fail and leave a hole in it, into which another thread may
 * have mapped something since.  So only what is known to be ours is unmapped, and the reserved
 * rest, which is no memory, is given up.
 */
static void abandon(struct map_view *v)
{
	for (size_t i = 0; i < MAP_VIEW_MAX_PIECES; i++)
		if (is_mapped(v, i))
			munmap(v->base + i * MAP_VIEW_PIECE_BYTES,
			       end_of(v, i) - i * MAP_VIEW_PIECE_BYTES);
	clear(v);
}

/* Maps the pieces from first to last, none of which is mapped. */
static int map_pieces(struct map_view *v, size_t first, size_t last)
{
	size_t at = first * MAP_VIEW_PIECE_BYTES;

	if (mmap(v->base + at, end_of(v, last) - at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 v->fd, at) == MAP_FAILED) {
		int err = errno;

		abandon(v);
		return -err;
	}
	v->mapped_bytes += end_of(v, last) - at;
	for (size_t i = first; i <= last; i++)
		v->mapped[i / 64] |= 1ull << i % 64;
	return 0;
}

void *map_view_get(struct map_view *v, size_t offset, size_t len)
{
	size_t piece = offset / MAP_VIEW_PIECE_BYTES;
	size_t last = (offset + len - 1) / MAP_VIEW_PIECE_BYTES, end;
	int r = v->base ? 0 : reserve(v);

	for (; r >= 0 && piece <= last; piece = end) {
		for (end = piece + 1; end <= last && is_mapped(v, end) == is_mapped(v, piece);)
			end++;
		if (!is_mapped(v, piece))
			r = map_pieces(v, piece, end - 1);
	}
	if (r < 0) {
		errno = -r;
		return NULL;
	}
	return v->base + offset;
}

void map_view_forget(struct map_view *v)
{
	if (v->base)
		munmap(v->base, page_aligned(v->bytes));
	clear(v);
}
