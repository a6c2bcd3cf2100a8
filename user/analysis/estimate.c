// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time is linear, so each entry of a cycle is treated alone and the results are added: from the
 * entry, only the arcs that lead one rank (least number of arcs) further are kept, which makes the
 * cycle an acyclic graph rooted there; time flows up it, each function's split among its kept
 * callers by their counts.
 *
 * The cost is entries * (members + arcs), quadratic for a cycle entered everywhere.  Entries are
 * treated by falling share; what a bounded run leaves out is at most the shares left.
 */
#include "analysis/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/mem.h"

struct entry {
	double share;
	uint32_t rank, member;
};

/* A cycle with its members numbered from 0 and its inner arcs by caller, self arcs left out. */
struct cycle_graph {
	uint32_t nr, nr_entries;
	uint32_t *start, *to;
	double *count;
	uint32_t *arc; /* number in the whole graph */
	double *base;  /* self and what leaves the cycle from here */
	struct entry *entries;
	/* For one entry: */
	uint32_t *rank, *order;
	double *norm, *time;
};

static void cycle_graph_deinit(struct cycle_graph *cg)
{
	free(cg->start);
	free(cg->to);
	free(cg->count);
	free(cg->arc);
	free(cg->base);
	free(cg->entries);
	free(cg->rank);
	free(cg->order);
	free(cg->norm);
	free(cg->time);
}

static int compare_entries(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void add_entry(struct cycle_graph *cg, const struct graph *g, const struct cycles *c,
		      uint32_t f, uint32_t member)
{
	double count = 0;

	for (uint32_t i = g->in_start[f]; i < g->in_start[f + 1]; i++)
		if (!cycles_is_inner(c, &g->arcs[g->in_arc[i]]))
			count += g->arcs[g->in_arc[i]].frames;
	if (count > 0)
		cg->entries[cg->nr_entries++] = (struct entry){
			.share = count / cycles_of(c, f)->arrivals,
			.rank = graph_rank(g, f),
			.member = member,
		};
}

/* local[f] is the number of function f among the members; filled here. */
static void cycle_graph_init(struct cycle_graph *cg, const struct graph *g, const struct cycles *c,
			     const struct component *x, uint32_t *local)
{
	const uint32_t *members = c->members + x->first;
	uint32_t nr_arcs = 0, cap = 0;

	for (uint32_t m = 0; m < x->nr; m++) {
		local[members[m]] = m;
		cap += g->out_start[members[m] + 1] - g->out_start[members[m]];
	}
	*cg = (struct cycle_graph){
		.nr = x->nr,
		.start = xmalloc(((size_t)x->nr + 1) * sizeof(*cg->start)),
		.to = xmalloc(cap * sizeof(*cg->to)),
		.count = xmalloc(cap * sizeof(*cg->count)),
		.arc = xmalloc(cap * sizeof(*cg->arc)),
		.base = xmalloc(x->nr * sizeof(*cg->base)),
		.entries = xmalloc(x->nr * sizeof(*cg->entries)),
		.rank = xmalloc(x->nr * sizeof(*cg->rank)),
		.order = xmalloc(x->nr * sizeof(*cg->order)),
		.norm = xmalloc(x->nr * sizeof(*cg->norm)),
		.time = xcalloc(x->nr, sizeof(*cg->time)),
	};
	for (uint32_t m = 0; m < x->nr; m++) {
		uint32_t f = members[m];

		cg->start[m] = nr_arcs;
		cg->base[m] = g->functions[f].self;
		for (uint32_t i = g->out_start[f]; i < g->out_start[f + 1]; i++) {
			const struct graph_arc *arc = &g->arcs[g->out_arc[i]];

			if (!cycles_is_inner(c, arc)) {
				cg->base[m] += arc->frames;
			} else if (arc->callee != f) {
				cg->to[nr_arcs] = local[arc->callee];
				cg->count[nr_arcs] = arc->frames;
				cg->arc[nr_arcs++] = g->out_arc[i];
			}
		}
		add_entry(cg, g, c, f, m);
	}
	cg->start[x->nr] = nr_arcs;
	qsort(cg->entries, cg->nr_entries, sizeof(*cg->entries), compare_entries);
}

#define RANK_NONE UINT32_MAX

/* Ranks by breadth-first search, and for each member the counts of its kept callers. */
static void rank_members(struct cycle_graph *cg, uint32_t entry)
{
	uint32_t nr_met = 0;

	for (uint32_t m = 0; m < cg->nr; m++)
		cg->rank[m] = RANK_NONE;
	cg->rank[entry] = 0;
	cg->order[nr_met++] = entry;
	for (uint32_t i = 0; i < nr_met; i++) {
		uint32_t u = cg->order[i];

		for (uint32_t k = cg->start[u]; k < cg->start[u + 1]; k++) {
			uint32_t v = cg->to[k];

			if (cg->rank[v] == RANK_NONE) {
				cg->rank[v] = cg->rank[u] + 1;
				cg->norm[v] = 0;
				cg->order[nr_met++] = v;
			}
			if (cg->rank[v] == cg->rank[u] + 1)
				cg->norm[v] += cg->count[k];
		}
	}
}

/* Adds what one entry contributes to the members and to the arcs. */
static void propagate_entry(struct estimate *e, struct cycle_graph *cg, const struct entry *entry,
			    double *sums)
{
	rank_members(cg, entry->member);
	/* All members are reached: that is what a component is. */
	for (uint32_t i = cg->nr; i-- > 0;) {
		uint32_t u = cg->order[i];
		double time = entry->share * cg->base[u];

		for (uint32_t k = cg->start[u]; k < cg->start[u + 1]; k++) {
			uint32_t v = cg->to[k];
			double part;

			if (cg->rank[v] != cg->rank[u] + 1)
				continue;
			part = cg->count[k] / cg->norm[v] * cg->time[v];
			time += part;
			if (isnan(e->arcs[cg->arc[k]]))
				e->arcs[cg->arc[k]] = 0;
			e->arcs[cg->arc[k]] += part;
		}
		cg->time[u] = time;
		sums[u] += time;
	}
}

static double share_left(const struct cycle_graph *cg, uint32_t nr_done)
{
	double left = 0;

	for (uint32_t i = cg->nr_entries; i-- > nr_done;)
		left += cg->entries[i].share;
	return left;
}

static void estimate_cycle(struct estimate *e, const struct graph *g, const struct cycles *c,
			   const struct component *x, uint32_t *local,
			   const struct estimate_opts *opts)
{
	__attribute__((cleanup(cycle_graph_deinit))) struct cycle_graph cg;
	_cleanup_free_ double *sums = xcalloc(x->nr, sizeof(*sums));
	uint64_t steps_per_entry, affordable = opts->budget - e->steps;
	uint32_t nr_done = 0;
	double left;

	cycle_graph_init(&cg, g, c, x, local);
	steps_per_entry = (uint64_t)cg.nr + cg.start[cg.nr];
	for (; nr_done < cg.nr_entries && affordable >= steps_per_entry; nr_done++)
		affordable -= steps_per_entry;
	left = share_left(&cg, nr_done);
	if (!nr_done || left > opts->max_left)
		return;
	for (uint32_t i = 0; i < nr_done; i++)
		propagate_entry(e, &cg, &cg.entries[i], sums);
	e->steps += nr_done * steps_per_entry;
	e->left[x - c->components] = left;
	for (uint32_t m = 0; m < x->nr; m++)
		e->functions[c->members[x->first + m]] = sums[m];
}

void estimate_find(struct estimate *e, const struct graph *g, const struct cycles *c,
		   const struct estimate_opts *opts)
{
	_cleanup_free_ uint32_t *local = xmalloc(g->nr_functions * sizeof(*local));

	*e = (struct estimate){
		.functions = xmalloc(g->nr_functions * sizeof(*e->functions)),
		.arcs = xmalloc(g->nr_arcs * sizeof(*e->arcs)),
		.left = xmalloc(c->nr_components * sizeof(*e->left)),
	};
	for (uint32_t f = 0; f < g->nr_functions; f++)
		e->functions[f] = cycles_of(c, f)->number ? NAN : g->functions[f].inclusive;
	for (uint32_t a = 0; a < g->nr_arcs; a++)
		e->arcs[a] = cycles_is_inner(c, &g->arcs[a]) ? NAN : g->arcs[a].frames;
	for (uint32_t x = 0; x < c->nr_components; x++)
		e->left[x] = c->components[x].number ? 1 : 0;
	for (uint32_t i = 0; i < c->nr_cycles; i++)
		estimate_cycle(e, g, c, &c->components[c->printed[i]], local, opts);
}

void estimate_deinit(struct estimate *e)
{
	free(e->functions);
	free(e->arcs);
	free(e->left);
	*e = (struct estimate){ 0 };
}
