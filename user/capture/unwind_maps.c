// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which tables there are and which make way: each owner has a share of the rows and of the rules,
 * and within it the longest unused goes first.  Where they stand is unwind_room.h's.
 */
#include "capture/unwind_maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/unwind_maps_parts.h"
#include "sampler_abi.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/mem.h"

#define FIRST_TABLES  192
#define NOTE_EVERY_NS 1000000000ull /* of which tables were used: a system call for each */

static void *map_value(int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

void unwind_maps_settle(struct unwind_maps *m)
{
	unwind_room_settle(&m->room);
}

int unwind_maps_new(const struct unwind_maps_fds *fds, uint64_t max_bytes,
		    struct unwind_maps **ret_maps, struct diag *ret_diag)
{
	struct unwind_maps *m = xcalloc(1, sizeof(*m));

	m->fds = *fds;
	table_places_init(&m->places, FIRST_TABLES);
	unwind_room_init(&m->room, fds->slabs, fds->pages, max_bytes);
	m->rules = map_value(fds->rules, sizeof(*m->rules));
	if (!m->rules || !unwind_room_pages(&m->room, 0, 1)) {
		int err = errno;

		unwind_maps_free(m);
		return diag_set(ret_diag, err, "the maps of unwind tables cannot be mapped: %s",
				strerror(err));
	}
	m->shared = shared_rules_new(m->rules);
	m->share = fair_share_new(unwind_room_free_rows(&m->room));
	*ret_maps = m;
	return 0;
}

void unwind_maps_free(struct unwind_maps *m)
{
	if (!m)
		return;
	unwind_room_deinit(&m->room);
	for (size_t i = 0; i < m->nr_tables; i++)
		free(m->tables[i].rules.number);
	for (size_t i = 0; i < m->nr_resting; i++)
		free(m->resting[i].table.rules.number);
	shared_rules_free(m->shared);
	fair_share_free(m->share);
	if (m->rules)
		munmap(m->rules, sizeof(*m->rules));
	table_places_deinit(&m->places);
	free(m->tables);
	free(m->resting);
	free(m);
}

struct eddy_unwind_rules *unwind_maps_rules(struct unwind_maps *m)
{
	return m->rules;
}

/* ---- room --------------------------------------------------------------------------------- */

static bool has_rested(const struct resting *r, uint64_t now_ns)
{
	return now_ns - r->since_ns >= UNWIND_MAPS_REST_SECONDS * 1000000000ull;
}

/* Room that has rested long enough is free again; what began to rest first stands first. */
static void resting_wake(struct unwind_maps *m)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	size_t out = 0;

	if (!m->nr_resting || !has_rested(&m->resting[0], now_ns))
		return;
	for (size_t i = 0; i < m->nr_resting; i++) {
		struct table *t = &m->resting[i].table;

		if (!has_rested(&m->resting[i], now_ns) ||
		    unwind_room_give_back(&m->room, &t->place) < 0) {
			m->resting[out++] = m->resting[i];
			continue;
		}
		shared_rules_give(m->shared, &t->rules);
	}
	m->nr_resting = out;
}

/* The sampler keeps what it found of a file while the version is the same. */
static void version_change(struct unwind_maps *m)
{
	uint32_t *version = map_view_get(
		&m->room.pages, offsetof(struct eddy_unwind_pages, version), sizeof(*version));

	if (version)
		__atomic_fetch_add(version, 1, __ATOMIC_RELEASE);
}

/* Its room can be used again when nobody can be reading it any more. */
static void table_rest(struct unwind_maps *m, const struct table *t)
{
	if (!t->place.nr_pages)
		return;
	array_reserve(m->resting, m->cap_resting, m->nr_resting + 1);
	m->resting[m->nr_resting++] =
		(struct resting){ .table = *t, .since_ns = clock_ns(CLOCK_MONOTONIC) };
}

static uint32_t *place_of(const struct unwind_maps *m, const struct eddy_unwind_key *key)
{
	return table_places_find(&m->places, m, file_key_hash(key), key);
}

static void table_put_in(struct unwind_maps *m, const struct table *t)
{
	array_reserve(m->tables, m->cap_tables, m->nr_tables + 1);
	m->tables[m->nr_tables++] = *t;
	*table_places_add(&m->places, m, file_key_hash(&t->key)) = m->nr_tables;
}

/* The last one takes its place. */
static void table_take_out(struct unwind_maps *m, size_t i)
{
	const struct table *last = &m->tables[m->nr_tables - 1];

	table_places_remove(&m->places, m, place_of(m, &m->tables[i].key));
	if (i != m->nr_tables - 1)
		*place_of(m, &last->key) = i + 1;
	m->tables[i] = *last;
	m->nr_tables--;
}

static void table_retire(struct unwind_maps *m, size_t i)
{
	bpf_map_delete_elem(m->fds.files, &m->tables[i].key);
	version_change(m);
	table_rest(m, &m->tables[i]);
	fair_share_give(m->share, m->tables[i].owner, m->tables[i].place.nr_rows);
	m->nr_rows -= m->tables[i].place.nr_rows;
	table_take_out(m, i);
}

static bool is_pinned(const struct table *t)
{
	return t->used_in == UINT64_MAX;
}

/* Rows that are free, or will be when they have rested. */
static uint64_t rows_to_come(const struct unwind_maps *m)
{
	uint64_t nr = unwind_room_free_rows(&m->room);

	for (size_t i = 0; i < m->nr_resting; i++)
		nr += m->resting[i].table.place.nr_rows;
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

/* Asks which tables were used since the last time, if that is a while ago. */
static void tables_note_use(struct unwind_maps *m)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (m->noted_ns && now_ns - m->noted_ns < NOTE_EVERY_NS)
		return;
	m->noted_ns = now_ns;
	m->eviction_round++;
	for (size_t i = 0; i < m->nr_tables; i++)
		if (!is_pinned(&m->tables[i]) && unwind_maps_was_used(m, &m->tables[i].key))
			m->tables[i].used_in = m->eviction_round;
	version_change(m); /* so that those in use are looked up, and marked, again */
}

/* The longest unused table of an owner, or of all (NULL); false: there is none that may go. */
static bool table_oldest(const struct unwind_maps *m, const owner_id *owner, size_t *ret_index)
{
	uint64_t oldest = UINT64_MAX; /* none that is pinned */

	for (size_t i = 0; i < m->nr_tables; i++) {
		if ((owner && m->tables[i].owner != *owner) || m->tables[i].used_in >= oldest)
			continue;
		oldest = m->tables[i].used_in;
		*ret_index = i;
	}
	return oldest != UINT64_MAX;
}

/*
 * Retires tables until there will be room for as many rows as are wanted, the longest unused
 * first.  What rests already counts: nothing more makes way while the first is being waited for.
 * When all are free and still do not fit (in pieces too small), one makes way all the same.
 */
static void tables_evict(struct unwind_maps *m, uint64_t nr_rows)
{
	size_t oldest;

	tables_note_use(m);
	while (m->nr_tables && (rows_to_come(m) < nr_rows || !m->nr_resting)) {
		if (!table_oldest(m, NULL, &oldest))
			return;
		table_retire(m, oldest);
		m->nr_evicted++;
	}
}

/* The longest unused table of an owner makes way for another user's, or for another of his own. */
static bool owner_evict(struct unwind_maps *m, owner_id owner, uint32_t *ret_nr_rules)
{
	size_t oldest;

	if (!table_oldest(m, &owner, &oldest))
		return false;
	*ret_nr_rules = m->tables[oldest].rules.nr;
	table_retire(m, oldest);
	m->nr_evicted++;
	m->limits.nr[LIMIT_TABLES]++;
	return true;
}

/* Makes room in its owner's share for so many rows; false: it is larger than that. */
static bool share_make_room(struct unwind_maps *m, owner_id owner, uint64_t nr_rows)
{
	owner_id from = owner;
	bool has_looked = false;
	uint32_t nr_rules;
	int r;

	while ((r = fair_share_ask(m->share, owner, nr_rows)) < 0) {
		if (!has_looked)
			tables_note_use(m);
		has_looked = true;
		if (r == -ENOSPC && !fair_share_greediest(m->share, owner, &from))
			return false;
		if (!owner_evict(m, r == -ENOSPC ? from : owner, &nr_rules))
			return false;
	}
	return true;
}

/* Those who have more rules than their share lose tables, until `nr` rules may have come free. */
static void rules_make_room(struct unwind_maps *m, owner_id owner, uint32_t nr)
{
	uint32_t nr_came = 0, nr_rules;
	owner_id from;

	tables_note_use(m);
	for (size_t i = 0; i < m->nr_resting; i++)
		nr_came += m->resting[i].table.rules.nr;
	while (nr_came < nr && shared_rules_greediest(m->shared, owner, &from) &&
	       owner_evict(m, from, &nr_rules))
		nr_came += nr_rules;
}

/* Rules of the file that were left out are taken in when there is room: the file is asked for. */
void unwind_maps_age(struct unwind_maps *m)
{
	resting_wake(m);
	for (size_t i = m->nr_tables; i-- > 0;) {
		const struct table *t = &m->tables[i];

		if (t->rules.nr_refused && !is_pinned(t) &&
		    shared_rules_have_room(m->shared, t->owner, t->rules.nr_refused))
			table_retire(m, i);
	}
}

/* ---- tables ------------------------------------------------------------------------------- */

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

/* Takes what a table needs; -ENOSPC: there may be room when what made way has rested. */
static int table_put(struct unwind_maps *m, const struct unwind_table *table, struct table *t)
{
	int r = table->rules ? shared_rules_take(m->shared, t->owner, table->rules, &t->rules) : 0;

	if (r < 0) {
		rules_make_room(m, t->owner, unwind_rules_count(table->rules));
		return r;
	}
	r = unwind_room_put(&m->room, table, t->rules.number, &t->place);
	if (r < 0)
		shared_rules_give(m->shared, &t->rules);
	if (r == -ENOSPC)
		tables_evict(m, table->nr_rows);
	return r;
}

static void count_left_out(struct unwind_maps *m, const struct unwind_table *table,
			   const struct table *t)
{
	m->limits.nr[LIMIT_RULES] += t->rules.nr_refused;
	if (table->rules)
		m->limits.nr[LIMIT_RULES] += unwind_rules_refused(table->rules);
}

int unwind_maps_add(struct unwind_maps *m, const struct eddy_unwind_key *key, uint32_t id,
		    const struct unwind_table *table)
{
	struct eddy_unwind_file f = { .id = id, .kind = EDDY_FILE_NOTABLE };
	struct table t = { .key = *key, .used_in = is_vdso(key) ? UINT64_MAX : m->eviction_round };
	const uint32_t *place = place_of(m, key);
	int r = 0;

	resting_wake(m);
	if (place) /* of before */
		table_retire(m, *place - 1);
	if (table)
		file_fill(&f, table);
	if (f.kind == EDDY_FILE_TABLE && !share_make_room(m, table->owner, table->nr_rows)) {
		f.kind = EDDY_FILE_NOTABLE;
		m->limits.nr[LIMIT_TABLES]++;
	}
	if (f.kind == EDDY_FILE_TABLE) {
		t.owner = table->owner;
		r = table_put(m, table, &t);
		if (r < 0)
			return r;
		f.first_page = t.place.first_page;
		f.nr_pages = t.place.nr_pages;
		f.page_base = table->page_base;
	}
	if (bpf_map_update_elem(m->fds.files, key, &f, BPF_ANY) < 0) {
		r = -errno;
		table_rest(m, &t);
		m->limits.nr[LIMIT_TABLES] += r == -E2BIG;
		return r;
	}
	if (f.kind == EDDY_FILE_TABLE) {
		table_put_in(m, &t);
		m->nr_rows += t.place.nr_rows;
		fair_share_take(m->share, t.owner, t.place.nr_rows);
		count_left_out(m, table, &t);
	}
	return 0;
}

void unwind_maps_forget(struct unwind_maps *m, const struct eddy_unwind_key *key)
{
	const uint32_t *place = place_of(m, key);

	if (place)
		table_retire(m, *place - 1);
	else
		bpf_map_delete_elem(m->fds.files, key);
}

void unwind_maps_get_stats(const struct unwind_maps *m, struct unwind_maps_stats *ret_stats)
{
	*ret_stats = (struct unwind_maps_stats){
		.nr_tables = m->nr_tables,
		.row_bytes = m->nr_rows * sizeof(uint32_t),
		.slab_bytes = (uint64_t)m->room.nr_slabs * sizeof(struct eddy_unwind_slab),
		.nr_evicted = m->nr_evicted,
		.nr_rules = shared_rules_nr(m->shared),
		.limits = m->limits,
	};
}
