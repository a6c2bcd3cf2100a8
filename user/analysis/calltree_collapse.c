// SPDX-License-Identifier: GPL-2.0-or-later
/* A call tree back to a profile: recursion is out, every sample on the chain of its node. */
#include <stdlib.h>

#include "analysis/calltree.h"
#include "util/mem.h"

/* The node of the collapsed profile that stands for a row; 0: none yet, NODE_DROP: none needed. */
struct collapse {
	const struct calltree *tree;
	node_id *node_of;
};

static node_id place_collapsed(void *ctx, struct profile *out, node_id at, node_id in_node,
			       frame_id frame)
{
	const struct collapse *c = ctx;
	row_id row = calltree_end(c->tree, in_node);

	if (row == ROW_TOP || c->node_of[row] == NODE_DROP)
		return at; /* nothing will be added here */
	if (!c->node_of[row])
		c->node_of[row] = profile_child(out, at, frame);
	return c->node_of[row];
}

/* Samples pass through nodes on the way to a stub that is on no chain of the result. */
static void mark_unneeded(const struct calltree *t, node_id *node_of)
{
	const struct calltree_row *rows = calltree_rows(t);
	const struct calltree_counts *counts = calltree_counts(t);
	size_t nr = calltree_nr_rows(t);

	for (row_id r = 1; r < nr; r++)
		node_of[r] = NODE_DROP;
	for (row_id r = nr - 1; r > 0; r--) {
		if (!rows[r].target && counts[r].self)
			node_of[r] = 0;
		if (!node_of[r])
			node_of[rows[r].parent] = 0;
	}
}

struct profile *calltree_collapse(const struct profile *profile, enum collapse_degree degree)
{
	_cleanup_calltree_ struct calltree *t = calltree_new(profile, degree);
	_cleanup_free_ node_id *node_of = xcalloc(calltree_nr_rows(t), sizeof(*node_of));
	struct collapse c = { t, node_of };

	mark_unneeded(t, node_of);
	return profile_remap(profile, place_collapsed, &c, NULL);
}
