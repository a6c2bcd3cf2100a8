// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows are one numbered space over all slabs (slab number << 20 | row), pages another; both are
 * given out by util/extents.  A slab is made when the free rows do not suffice, up to the bound.
 */
#include "capture/unwind_maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/file_key.h"
#include "capture/map_view.h"
#include "sampler_abi.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/extents.h"
#include "util/mem.h"

/* Rows mapped at one time: the walks of a large program come back to as many. */
#define MAX_ROW_VIEW_BYTES (4u << 20)

/* Only the search of unwind_step.h is used here; nothing is read through a stack. */
#define EDDY_UNWIND_READ(s, dst, size, addr) (-1)
#include "unwind_step.h"

struct table {
	struct eddy_unwind_key key;
	uint32_t first_page, nr_pages;
	uint32_t nr_rows;
	uint64_t used_at; /* turn of eviction in which it was last seen used; UINT64_MAX: pinned */
};

/* Room of a table that was forgotten, until nobody can be reading it. */
struct resting {
	struct table table;
	uint64_t since_ns; /* CLOCK_MONOTONIC: whoever sets the other one must not end the rest */
};

struct unwind_maps {
	struct unwind_maps_fds fds;
	struct eddy_unwind_rules *rules;
	struct map_view pages;
	struct map_view *slabs;
	uint32_t nr_slabs, max_slabs;
	size_t row_view_bytes; /* of all slabs */
	struct extents free_rows, free_pages;
	struct table *tables;
	size_t nr_tables, cap_tables;
	struct resting *resting;
	size_t nr_resting, cap_resting;
	uint64_t turn, nr_evicted, nr_rows;
};

static void *map_value(int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* nr pages from number `first` on; NULL with errno. */
static struct eddy_unwind_page *pages_get(struct unwind_maps *m, uint32_t first, uint32_t nr)
{
	return map_view_get(&m->pages, first * sizeof(struct eddy_unwind_page),
			    nr * sizeof(struct eddy_unwind_page));
}

static void rows_forget(struct unwind_maps *m)
{
	for (uint32_t i = 0; i < m->nr_slabs; i++)
		map_view_forget(&m->slabs[i]);
	m->row_view_bytes = 0;
}

/* nr rows of a slab from number `first` on, until the next call; NULL with errno. */
static uint32_t *rows_get(struct unwind_maps *m, uint32_t slab, uint32_t first, uint32_t nr)
{
	struct map_view *v = &m->slabs[slab];
	size_t before = map_view_bytes(v);
	uint32_t *rows = map_view_get(v, first * sizeof(*rows), nr * sizeof(*rows));

	m->row_view_bytes += map_view_bytes(v) - before;
	if (rows && m->row_view_bytes <= MAX_ROW_VIEW_BYTES)
		return rows;
	rows_forget(m);
	rows = map_view_get(v, first * sizeof(*rows), nr * sizeof(*rows));
	m->row_view_bytes = map_view_bytes(v);
	return rows;
}

void unwind_maps_settle(struct unwind_maps *m)
{
	map_view_forget(&m->pages);
	rows_forget(m);
}

int unwind_maps_new(const struct unwind_maps_fds *fds, uint64_t max_bytes,
		    struct unwind_maps **ret_maps, struct diag *ret_diag)
{
	struct unwind_maps *m = xcalloc(1, sizeof(*m));

	m->fds = *fds;
	m->max_slabs =
		(max_bytes + sizeof(struct eddy_unwind_slab) - 1) / sizeof(struct eddy_unwind_slab);
	if (m->max_slabs > EDDY_UNWIND_MAX_SLABS)
		m->max_slabs = EDDY_UNWIND_MAX_SLABS;
	extents_init(&m->free_rows, EDDY_UNWIND_SLAB_ROWS);
	extents_init(&m->free_pages, 0);
	extents_add(&m->free_pages, 0, EDDY_UNWIND_MAX_PAGES);
	m->slabs = xcalloc(m->max_slabs, sizeof(*m->slabs));
	m->pages = (struct map_view){ .fd = fds->pages, .bytes = sizeof(struct eddy_unwind_pages) };
	m->rules = map_value(fds->rules, sizeof(*m->rules));
	if (!m->rules || !pages_get(m, 0, 1)) {
		int err = errno;

		unwind_maps_free(m);
		return diag_set(ret_diag, err, "the maps of unwind tables cannot be mapped: %s",
				strerror(err));
	}
	*ret_maps = m;
	return 0;
}

void unwind_maps_free(struct unwind_maps *m)
{
	if (!m)
		return;
	unwind_maps_settle(m);
	for (uint32_t i = 0; i < m->nr_slabs; i++)
		close(m->slabs[i].fd);
	if (m->rules)
		munmap(m->rules, sizeof(*m->rules));
	extents_deinit(&m->free_rows);
	extents_deinit(&m->free_pages);
	free(m->slabs);
	free(m->tables);
	free(m->resting);
	free(m);
}

struct eddy_unwind_rules *unwind_maps_rules(struct unwind_maps *m)
{
	return m->rules;
}

/* ---- room --------------------------------------------------------------------------------- */

static int slab_add(struct unwind_maps *m)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = -1;
	uint32_t nr = m->nr_slabs;

	if (nr >= m->max_slabs)
		return -ENOSPC;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "eddy_slab", sizeof(uint32_t),
			    sizeof(struct eddy_unwind_slab), 1, &opts);
	if (fd < 0 && m->nr_slabs) {
		/* RLIMIT_MEMLOCK before 5.11, or the cgroup's: those there are must do. */
		m->max_slabs = m->nr_slabs;
		return -ENOSPC;
	}
	if (fd < 0 || bpf_map_update_elem(m->fds.slabs, &nr, &fd, BPF_ANY) < 0)
		return -errno;
	m->slabs[m->nr_slabs++] =
		(struct map_view){ .fd = take_fd(&fd), .bytes = sizeof(struct eddy_unwind_slab) };
	extents_add(&m->free_rows, (uint64_t)nr * EDDY_UNWIND_SLAB_ROWS, EDDY_UNWIND_SLAB_ROWS);
	return 0;
}

static uint64_t page_row(const struct eddy_unwind_page *p)
{
	return (uint64_t)p->slab * EDDY_UNWIND_SLAB_ROWS + p->first;
}

/* Gives back the rows of the first nr_pages pages, and all pages; `pages` are the table's. */
static void room_give_back(struct unwind_maps *m, const struct table *t,
			   const struct eddy_unwind_page *pages, uint32_t nr_pages)
{
	for (uint32_t i = 0; i < nr_pages; i++)
		extents_add(&m->free_rows, page_row(&pages[i]), pages[i].nm1 + 1);
	extents_add(&m->free_pages, t->first_page, t->nr_pages);
}

static bool has_rested(const struct resting *r, uint64_t now_ns)
{
	return now_ns - r->since_ns >= UNWIND_MAPS_REST_SECONDS * 1000000000ull;
}

/* Room that has rested long enough is free again. */
static void resting_wake(struct unwind_maps *m)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	size_t out = 0;

	for (size_t i = 0; i < m->nr_resting; i++) {
		const struct table *t = &m->resting[i].table;
		const struct eddy_unwind_page *pages =
			has_rested(&m->resting[i], now_ns)
				? pages_get(m, t->first_page, t->nr_pages)
				: NULL;

		if (pages)
			room_give_back(m, t, pages, t->nr_pages);
		else
			m->resting[out++] = m->resting[i];
	}
	m->nr_resting = out;
}

/* The sampler keeps what it found of a file while the version is the same. */
static void version_change(struct unwind_maps *m)
{
	uint32_t *version = map_view_get(&m->pages, offsetof(struct eddy_unwind_pages, version),
					 sizeof(*version));

	if (version)
		__atomic_fetch_add(version, 1, __ATOMIC_RELEASE);
}

/* Its room can be used again when nobody can be reading it any more. */
static void table_rest(struct unwind_maps *m, const struct table *t)
{
	if (!t->nr_pages)
		return;
	array_reserve(m->resting, m->cap_resting, m->nr_resting + 1);
	m->resting[m->nr_resting++] =
		(struct resting){ .table = *t, .since_ns = clock_ns(CLOCK_MONOTONIC) };
}

static void table_retire(struct unwind_maps *m, size_t i)
{
	bpf_map_delete_elem(m->fds.files, &m->tables[i].key);
	version_change(m);
	table_rest(m, &m->tables[i]);
	m->nr_rows -= m->tables[i].nr_rows;
	m->tables[i] = m->tables[--m->nr_tables];
}

static bool is_pinned(const struct table *t)
{
	return t->used_at == UINT64_MAX;
}

/* Rows that are free, or will be when they have rested. */
static uint64_t rows_to_come(const struct unwind_maps *m)
{
	uint64_t nr = m->free_rows.nr_free +
		      (uint64_t)(m->max_slabs - m->nr_slabs) * EDDY_UNWIND_SLAB_ROWS;

	for (size_t i = 0; i < m->nr_resting; i++)
		nr += m->resting[i].table.nr_rows;
	return nr;
}

bool unwind_maps_have_room(const struct unwind_maps *m, const struct unwind_table *table)
{
	return rows_to_come(m) >= table->nr_rows;
}

bool unwind_maps_was_used(struct unwind_maps *m, const struct eddy_unwind_key *key)
{
	struct eddy_unwind_file f;

	if (bpf_map_lookup_elem(m->fds.files, key, &f) < 0 || !f.used)
		return false;
	f.used = 0;
	bpf_map_update_elem(m->fds.files, key, &f, BPF_EXIST);
	return true;
}

void unwind_maps_look_again(struct unwind_maps *m)
{
	version_change(m);
}

/* Asks which tables were used since the last time. */
static void tables_note_use(struct unwind_maps *m)
{
	m->turn++;
	for (size_t i = 0; i < m->nr_tables; i++)
		if (!is_pinned(&m->tables[i]) && unwind_maps_was_used(m, &m->tables[i].key))
			m->tables[i].used_at = m->turn;
	version_change(m); /* so that those in use are looked up, and marked, again */
}

/*
 * Retires tables until there will be room for as many rows as are wanted, the longest unused
 * first.  What rests already counts: nothing more makes way while the first is being waited for.
 * When all are free and still do not fit (in pieces too small), one makes way all the same.
 */
static void tables_evict(struct unwind_maps *m, uint64_t nr_rows)
{
	tables_note_use(m);
	while (m->nr_tables && (rows_to_come(m) < nr_rows || !m->nr_resting)) {
		size_t oldest = 0;

		for (size_t i = 1; i < m->nr_tables; i++)
			if (m->tables[i].used_at < m->tables[oldest].used_at)
				oldest = i;
		if (is_pinned(&m->tables[oldest]))
			return;
		table_retire(m, oldest);
		m->nr_evicted++;
	}
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Rows of one page, into rows of ours; what they are is put into *ret_page. */
static int page_copy(struct unwind_maps *m, const uint32_t *rows, uint32_t nr_rows,
		     struct eddy_unwind_page *ret_page)
{
	uint32_t slab, first, *to;
	uint64_t at;
	int r;

	while ((r = extents_take(&m->free_rows, nr_rows, &at)) == -ENOSPC) {
		r = slab_add(m);
		if (r < 0)
			return r;
	}
	slab = at / EDDY_UNWIND_SLAB_ROWS;
	first = at % EDDY_UNWIND_SLAB_ROWS;
	to = rows_get(m, slab, first, nr_rows);
	if (!to) {
		r = -errno;
		extents_add(&m->free_rows, at, nr_rows);
		return r;
	}
	memcpy(to, rows, nr_rows * sizeof(*rows));
	*ret_page = (struct eddy_unwind_page){ .first = first, .nm1 = nr_rows - 1, .slab = slab };
	return 0;
}

static int table_copy(struct unwind_maps *m, const struct unwind_table *table, struct table *t)
{
	struct eddy_unwind_page *pages;
	uint64_t first_page;
	int r = extents_take(&m->free_pages, table->nr_pages, &first_page);

	if (r < 0)
		return r;
	t->first_page = first_page;
	t->nr_pages = table->nr_pages;
	t->nr_rows = table->nr_rows;
	pages = pages_get(m, t->first_page, t->nr_pages);
	if (!pages) {
		r = -errno;
		extents_add(&m->free_pages, first_page, t->nr_pages);
		return r;
	}
	for (uint32_t i = 0; i < table->nr_pages; i++) {
		r = page_copy(m, table->row + table->page[i].first, table->page[i].nr_rows,
			      &pages[i]);
		if (r < 0) {
			room_give_back(m, t, pages, i);
			return r;
		}
	}
	return 0;
}

static void file_fill(struct eddy_unwind_file *f, const struct unwind_table *table)
{
	f->kind = table->kind;
	f->nr_segments = table->nr_segments;
	memcpy(f->segment, table->segment, sizeof(f->segment));
}

/* The vdso's cannot be loaded again: no process has a file to open. */
static bool is_vdso(const struct eddy_unwind_key *key)
{
	return key->ino == EDDY_VDSO_INO && key->dev == EDDY_VDSO_DEV && key->gen == EDDY_VDSO_GEN;
}

int unwind_maps_add(struct unwind_maps *m, const struct eddy_unwind_key *key, uint32_t id,
		    const struct unwind_table *table)
{
	struct eddy_unwind_file f = { .id = id, .kind = EDDY_FILE_NOTABLE };
	struct table t = { .key = *key, .used_at = is_vdso(key) ? UINT64_MAX : m->turn };
	int r = 0;

	resting_wake(m);
	if (table)
		file_fill(&f, table);
	if (f.kind == EDDY_FILE_TABLE &&
	    table->nr_rows > (uint64_t)m->max_slabs * EDDY_UNWIND_SLAB_ROWS)
		f.kind = EDDY_FILE_NOTABLE;
	if (f.kind == EDDY_FILE_TABLE) {
		r = table_copy(m, table, &t);
		if (r == -ENOSPC)
			tables_evict(m, table->nr_rows);
		if (r < 0)
			return r;
		f.first_page = t.first_page;
		f.nr_pages = t.nr_pages;
		f.page_base = table->page_base;
	}
	if (bpf_map_update_elem(m->fds.files, key, &f, BPF_ANY) < 0) {
		r = -errno;
		table_rest(m, &t);
		return r;
	}
	if (f.kind == EDDY_FILE_TABLE) {
		array_reserve(m->tables, m->cap_tables, m->nr_tables + 1);
		m->tables[m->nr_tables++] = t;
		m->nr_rows += t.nr_rows;
	}
	return 0;
}

void unwind_maps_forget(struct unwind_maps *m, const struct eddy_unwind_key *key)
{
	for (size_t i = 0; i < m->nr_tables; i++) {
		if (!file_key_equals(&m->tables[i].key, key))
			continue;
		table_retire(m, i);
		return;
	}
	bpf_map_delete_elem(m->fds.files, key);
}

/* The rule of an ELF address in a file that has a table. */
static const struct eddy_unwind_rule *rule_find(struct unwind_maps *m,
						const struct eddy_unwind_file *f, uint64_t elf_addr)
{
	int64_t page = eddy_unwind_page_index(f, elf_addr);
	const struct eddy_unwind_page *p = page < 0 ? NULL : pages_get(m, page, 1);
	const uint32_t *rows = NULL;

	if (p && p->slab < m->nr_slabs)
		rows = rows_get(m, p->slab, p->first, p->nm1 + 1);
	if (!rows)
		return &m->rules->rule[EDDY_UNWIND_RULE_NONE];
	/* Where the slab begins: of it only the page's rows are mapped. */
	return &m->rules->rule[eddy_unwind_search((struct eddy_unwind_slab *)(rows - p->first), p,
						  elf_addr)];
}

void unwind_maps_find(struct unwind_maps *m, const struct eddy_unwind_key *key, uint64_t offset,
		      struct late_place *ret_place)
{
	struct eddy_unwind_file f;

	ret_place->kind = LATE_PLACE_PENDING;
	if (bpf_map_lookup_elem(m->fds.files, key, &f) < 0 || f.kind == EDDY_FILE_PENDING)
		return;
	ret_place->kind = LATE_PLACE_NOTABLE;
	for (uint32_t i = 0; i < f.nr_segments && i < EDDY_UNWIND_MAX_SEGMENTS; i++) {
		if (offset < f.segment[i].begin || offset >= f.segment[i].end)
			continue;
		ret_place->file = f.id;
		ret_place->elf_addr = offset + f.segment[i].delta;
		if (f.kind == EDDY_FILE_TABLE) {
			ret_place->kind = LATE_PLACE_TABLE;
			ret_place->rule = rule_find(m, &f, ret_place->elf_addr);
		}
		return;
	}
}

void unwind_maps_get_stats(const struct unwind_maps *m, struct unwind_maps_stats *ret_stats)
{
	*ret_stats = (struct unwind_maps_stats){
		.nr_tables = m->nr_tables,
		.row_bytes = m->nr_rows * sizeof(uint32_t),
		.slab_bytes = (uint64_t)m->nr_slabs * sizeof(struct eddy_unwind_slab),
		.nr_evicted = m->nr_evicted,
	};
}
