// SPDX-License-Identifier: GPL-2.0-or-later
/* Slabs and pages are written through mappings of their parts (capture/map_view.h). */
#include "capture/unwind_room.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/mem.h"

/* Rows mapped at one time: the walks of a large program come back to as many. */
#define MAX_ROW_VIEW_BYTES (4u << 20)

void unwind_room_init(struct unwind_room *r, int slabs_fd, int pages_fd, uint64_t max_bytes)
{
	*r = (struct unwind_room){ .slabs_fd = slabs_fd };
	r->max_slabs =
		(max_bytes + sizeof(struct eddy_unwind_slab) - 1) / sizeof(struct eddy_unwind_slab);
	if (r->max_slabs > EDDY_UNWIND_MAX_SLABS)
		r->max_slabs = EDDY_UNWIND_MAX_SLABS;
	extents_init(&r->free_rows, EDDY_UNWIND_SLAB_ROWS);
	extents_init(&r->free_pages, 0);
	extents_add(&r->free_pages, 0, EDDY_UNWIND_MAX_PAGES);
	r->slabs = xcalloc(r->max_slabs, sizeof(*r->slabs));
	r->pages = (struct map_view){ .fd = pages_fd, .bytes = sizeof(struct eddy_unwind_pages) };
}

struct eddy_unwind_page *unwind_room_pages(struct unwind_room *r, uint32_t first, uint32_t nr)
{
	return map_view_get(&r->pages, first * sizeof(struct eddy_unwind_page),
			    nr * sizeof(struct eddy_unwind_page));
}

static void rows_forget(struct unwind_room *r)
{
	for (uint32_t i = 0; i < r->nr_slabs; i++)
		map_view_forget(&r->slabs[i]);
	r->row_view_bytes = 0;
}

uint32_t *unwind_room_rows(struct unwind_room *r, uint32_t slab, uint32_t first, uint32_t nr)
{
	struct map_view *v = &r->slabs[slab];
	size_t before = map_view_bytes(v);
	uint32_t *rows = map_view_get(v, first * sizeof(*rows), nr * sizeof(*rows));

	r->row_view_bytes += map_view_bytes(v) - before;
	if (rows && r->row_view_bytes <= MAX_ROW_VIEW_BYTES)
		return rows;
	rows_forget(r);
	rows = map_view_get(v, first * sizeof(*rows), nr * sizeof(*rows));
	r->row_view_bytes = map_view_bytes(v);
	return rows;
}

void unwind_room_settle(struct unwind_room *r)
{
	map_view_forget(&r->pages);
	rows_forget(r);
}

void unwind_room_deinit(struct unwind_room *r)
{
	unwind_room_settle(r);
	for (uint32_t i = 0; i < r->nr_slabs; i++)
		close(r->slabs[i].fd);
	extents_deinit(&r->free_rows);
	extents_deinit(&r->free_pages);
	free(r->slabs);
}

uint64_t unwind_room_free_rows(const struct unwind_room *r)
{
	return r->free_rows.nr_free +
	       (uint64_t)(r->max_slabs - r->nr_slabs) * EDDY_UNWIND_SLAB_ROWS;
}

static int slab_add(struct unwind_room *r)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = -1;
	uint32_t nr = r->nr_slabs;

	if (nr >= r->max_slabs)
		return -ENOSPC;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "eddy_slab", sizeof(uint32_t),
			    sizeof(struct eddy_unwind_slab), 1, &opts);
	if (fd < 0 && r->nr_slabs) {
		/* RLIMIT_MEMLOCK before 5.11, or the cgroup's: those there are must do. */
		r->max_slabs = r->nr_slabs;
		return -ENOSPC;
	}
	if (fd < 0 || bpf_map_update_elem(r->slabs_fd, &nr, &fd, BPF_ANY) < 0)
		return -errno;
	r->slabs[r->nr_slabs++] =
		(struct map_view){ .fd = take_fd(&fd), .bytes = sizeof(struct eddy_unwind_slab) };
	extents_add(&r->free_rows, (uint64_t)nr * EDDY_UNWIND_SLAB_ROWS, EDDY_UNWIND_SLAB_ROWS);
	return 0;
}

static uint64_t page_row(const struct eddy_unwind_page *p)
{
	return (uint64_t)p->slab * EDDY_UNWIND_SLAB_ROWS + p->first;
}

/* Gives back the rows of the first nr_pages pages, and all pages; `pages` are the table's. */
static void give_back(struct unwind_room *r, const struct unwind_place *t,
		      const struct eddy_unwind_page *pages, uint32_t nr_pages)
{
	for (uint32_t i = 0; i < nr_pages; i++)
		extents_add(&r->free_rows, page_row(&pages[i]), pages[i].nm1 + 1);
	extents_add(&r->free_pages, t->first_page, t->nr_pages);
}

int unwind_room_give_back(struct unwind_room *r, const struct unwind_place *place)
{
	const struct eddy_unwind_page *pages =
		unwind_room_pages(r, place->first_page, place->nr_pages);

	if (!pages)
		return -errno;
	give_back(r, place, pages, place->nr_pages);
	return 0;
}

/* Rows with the numbers that their rules have in the maps. */
static void rows_copy(uint32_t *to, const uint32_t *rows, uint32_t nr_rows, const uint16_t *number)
{
	for (uint32_t i = 0; i < nr_rows; i++)
		to[i] = (rows[i] & 0xffff0000) | number[rows[i] & 0xffff];
}

/* Rows of one page, into rows of ours; what they are is put into *ret_page. */
static int page_copy(struct unwind_room *r, const uint32_t *rows, uint32_t nr_rows,
		     const uint16_t *number, struct eddy_unwind_page *ret_page)
{
	uint32_t slab, first, *to;
	uint64_t at;
	int err;

	while ((err = extents_take(&r->free_rows, nr_rows, &at)) == -ENOSPC) {
		err = slab_add(r);
		if (err < 0)
			return err;
	}
	slab = at / EDDY_UNWIND_SLAB_ROWS;
	first = at % EDDY_UNWIND_SLAB_ROWS;
	to = unwind_room_rows(r, slab, first, nr_rows);
	if (!to) {
		err = -errno;
		extents_add(&r->free_rows, at, nr_rows);
		return err;
	}
	if (number)
		rows_copy(to, rows, nr_rows, number);
	else
		memcpy(to, rows, nr_rows * sizeof(*rows));
	*ret_page = (struct eddy_unwind_page){ .first = first, .nm1 = nr_rows - 1, .slab = slab };
	return 0;
}

int unwind_room_put(struct unwind_room *r, const struct unwind_table *table, const uint16_t *number,
		    struct unwind_place *ret_place)
{
	struct unwind_place t = { .nr_pages = table->nr_pages, .nr_rows = table->nr_rows };
	struct eddy_unwind_page *pages;
	uint64_t first_page;
	int err = extents_take(&r->free_pages, table->nr_pages, &first_page);

	if (err < 0)
		return err;
	t.first_page = first_page;
	pages = unwind_room_pages(r, t.first_page, t.nr_pages);
	if (!pages) {
		err = -errno;
		extents_add(&r->free_pages, first_page, t.nr_pages);
		return err;
	}
	for (uint32_t i = 0; i < table->nr_pages; i++) {
		err = page_copy(r, table->row + table->page[i].first, table->page[i].nr_rows,
				number, &pages[i]);
		if (err < 0) {
			give_back(r, &t, pages, i);
			return err;
		}
	}
	*ret_place = t;
	return 0;
}
