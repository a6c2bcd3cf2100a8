// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The heaviest child of every node is found in one loop over the nodes; the way down from a base
 * ends where a node's own samples are more than those of each of its children.
 */
#include "analysis/process_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base_marks.h"
#include "util/mem.h"

static int compare(const void *va, const void *vb, void *ctx)
{
	const struct process_row *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(frame_table_name(ctx, a->base, NULL), frame_table_name(ctx, b->base, NULL));
}

void process_rows_find(const struct profile *p, struct process_rows *ret_rows)
{
	size_t nr = profile_nr_nodes(p), cap = 0;
	_cleanup_free_ uint64_t *sums = xcalloc(nr, sizeof(*sums));
	_cleanup_free_ node_id *heaviest = xcalloc(nr, sizeof(*heaviest)); /* 0: no child */
	const node_id *parents = profile_parents(p);
	struct process_rows rows = { 0 };

	profile_sum(p, sums);
	for (node_id n = 1; n < nr; n++)
		if (sums[n] > sums[heaviest[parents[n]]] || !heaviest[parents[n]])
			heaviest[parents[n]] = n;
	for (node_id n = 1; n < nr; n++) {
		node_id at = n;

		if (parents[n] != NODE_ROOT || !sums[n] ||
		    !frame_is_base(profile_frames(p), profile_frame(p, n)))
			continue;
		while (heaviest[at] && sums[heaviest[at]] >= profile_self(p, at))
			at = heaviest[at];
		array_reserve(rows.rows, cap, rows.nr + 1);
		rows.rows[rows.nr++] = (struct process_row){ profile_frame(p, n), sums[n], at };
	}
	if (rows.nr)
		qsort_r(rows.rows, rows.nr, sizeof(*rows.rows), compare, profile_frames(p));
	*ret_rows = rows;
}

void process_rows_deinit(struct process_rows *rows)
{
	free(rows->rows);
	*rows = (struct process_rows){ 0 };
}
