// SPDX-License-Identifier: GPL-2.0-or-later
/* Other columns than the weights go the way of their nodes: each step says where they went. */
#include "output/html_fit.h"

#include <stdlib.h>

#include "util/mem.h"

static void fit_take(struct html_fit *f, struct profile *next)
{
	profile_free(f->owned);
	f->p = f->owned = next;
}

static void name_empty(struct html_fit *f)
{
	const struct profile *p = f->p;
	struct profile *out;

	if (!profile_self(p, NODE_ROOT))
		return;
	f->to = xcalloc(profile_nr_nodes(p), sizeof(*f->to));
	out = profile_new(profile_frames(p));
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		f->to[n] = profile_child(out, f->to[profile_parent(p, n)], profile_frame(p, n));
		profile_add(out, f->to[n], profile_self(p, n)); /* cannot exceed p's total */
	}
	f->to[NODE_ROOT] =
		profile_child(out, NODE_ROOT, frame_table_add_base(profile_frames(p), ""));
	profile_add(out, f->to[NODE_ROOT], profile_self(p, NODE_ROOT));
	fit_take(f, out);
}

static void leave_out(struct html_fit *f, size_t nr_nodes, size_t max_nodes)
{
	struct profile *pruned = html_prune(f->p, max_nodes, &f->left_out);
	_cleanup_free_ node_id *to = NULL;

	if (!pruned)
		return;
	to = xcalloc(profile_nr_nodes(f->p), sizeof(*to));
	html_prune_nodes(f->p, pruned, &f->left_out, to);
	if (!f->to)
		f->to = take_ptr(to);
	else
		for (size_t n = 0; n < nr_nodes; n++)
			f->to[n] = to[f->to[n]];
	fit_take(f, pruned);
}

void html_fit_init(struct html_fit *f, const struct profile *p, size_t max_nodes)
{
	*f = (struct html_fit){ .p = p };
	name_empty(f);
	leave_out(f, profile_nr_nodes(p), max_nodes);
	f->sums = xcalloc(profile_nr_nodes(f->p), sizeof(*f->sums));
	profile_sum(f->p, f->sums);
}

void html_fit_deinit(struct html_fit *f)
{
	profile_free(f->owned);
	free(f->to);
	free(f->sums);
}

node_id html_fit_node(const struct html_fit *f, node_id node)
{
	return f->to ? f->to[node] : node;
}

uint64_t *html_fit_column(const struct html_fit *f, const uint64_t *values, size_t nr)
{
	uint64_t *column = xcalloc(profile_nr_nodes(f->p), sizeof(*column));

	for (size_t n = 0; n < nr; n++)
		if (values[n])
			column[html_fit_node(f, n)] += values[n];
	return column;
}
