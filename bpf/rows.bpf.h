/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a place in a table to its rule.  A search of the table itself touches three or four pages
 * of memory that the sampled program has displaced from all caches since the last sample; but most
 * frames of a stack were in the stack before.  So what was found is kept in a log, one for each
 * CPU, in the order in which it was first met: the callers of a frame stand behind it, and most
 * stacks are a few runs through the log.
 *
 *	row[n] hit -> is row[n + 1] the caller's? -> head[hash of the place] -> search, appended
 *
 * A row holds for one version of the tables, so nothing is kept of a table that was taken away.
 */
#ifndef EDDY_ROWS_BPF_H
#define EDDY_ROWS_BPF_H

#include "index.bpf.h"
#include "maps.bpf.h"
#include "unwind_search.h"

static __always_inline __u32 place_hash(__u64 place)
{
	return (place * 0x9e3779b97f4a7c15ull) >> 53; /* EDDY_NR_ROW_HEADS: 2^11 */
}

static __always_inline bool row_is(const struct eddy_row *row, __u64 place, __u32 version)
{
	return row->place == place && row->version == version;
}

/* The number of the row of a place, looked for at number `at` first; negative: it is not there. */
static __always_inline int row_find(const struct eddy_rows *r, __u64 place, __u32 version, __u32 at)
{
	__u32 nr = at & (EDDY_NR_ROWS - 1);

	if (row_is(&r->row[nr], place, version))
		return nr;
	nr = r->head[place_hash(place) & (EDDY_NR_ROW_HEADS - 1)] & (EDDY_NR_ROWS - 1);
	return row_is(&r->row[nr], place, version) ? (int)nr : -1;
}

/* Appends a row, whose rule is for the caller to fill: its number. */
static __always_inline __u32 row_append(struct eddy_rows *r, __u64 place, __u32 version)
{
	__u32 at = r->next++ & (EDDY_NR_ROWS - 1);

	r->row[at].place = place;
	r->row[at].version = version;
	r->head[place_hash(place) & (EDDY_NR_ROW_HEADS - 1)] = at;
	return at;
}

/*
 * Searches the table for the row of a place (without EDDY_ROW_VALID) and appends it to the log:
 * its number there, or negative.
 */
__noinline int row_search(__u64 place, __u32 version)
{
	struct eddy_unwind_pages *all_pages;
	struct eddy_unwind_rules *all_rules;
	struct eddy_unwind_slab *slab;
	struct eddy_unwind_page *p;
	__u32 zero = 0, nr, at;
	struct eddy_rows *r = bpf_map_lookup_elem(&rows, &zero);
	void *map;

	all_pages = bpf_map_lookup_elem(&pages, &zero);
	all_rules = bpf_map_lookup_elem(&rules, &zero);
	if (!r || !all_pages || !all_rules)
		return -1;
	p = &all_pages->page[(place >> EDDY_UNWIND_PAGE_SHIFT) & (EDDY_UNWIND_MAX_PAGES - 1)];
	nr = p->slab;
	map = bpf_map_lookup_elem(&slabs, &nr);
	if (!map)
		return -1;
	slab = bpf_map_lookup_elem(map, &zero);
	if (!slab)
		return -1;
	nr = eddy_unwind_search(slab, p, place) & (EDDY_UNWIND_MAX_RULES - 1);
	at = row_append(r, place | EDDY_ROW_VALID, version);
	r->row[at].rule = all_rules->rule[nr];
	return at;
}

/* The rule of a place; *at is where its row is looked for first, and then where its caller's is. */
static __always_inline const struct eddy_unwind_rule *rule_find(__u64 place, __u32 version,
								__u32 *at)
{
	__u32 zero = 0, nr;
	struct eddy_rows *r = bpf_map_lookup_elem(&rows, &zero);
	int found;

	if (!r)
		return NULL;
	found = row_find(r, place | EDDY_ROW_VALID, version, *at);
	if (found < 0)
		found = row_search(place, version);
	if (found < 0)
		return NULL;
	nr = EDDY_INDEX(found, EDDY_NR_ROWS);
	*at = nr + 1;
	return &r->row[nr].rule;
}

#endif
