// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells of one slot stand together, in the order they came; a stack may stand there twice. */
#include "output/html_windows.h"

#include <errno.h>
#include <stdlib.h>

#include "util/mem.h"

struct html_windows *html_windows_new(size_t max_cells, size_t max_slots)
{
	struct html_windows *w = xcalloc(1, sizeof(*w));

	w->stacks = profile_new(NULL);
	w->per_slot = 1;
	w->max_cells = max_cells;
	w->max_slots = max_slots;
	return w;
}

void html_windows_free(struct html_windows *w)
{
	if (!w)
		return;
	profile_free(w->stacks);
	free(w->is_base);
	free(w->slots);
	free(w->cells);
	free(w);
}

/* ---- slots ----------------------------------------------------------------------------------- */

static void add_slot(struct html_slot *to, const struct html_slot *from)
{
	int64_t end = from->start_s + (int64_t)from->seconds;

	if (end > to->start_s + (int64_t)to->seconds)
		to->seconds = (uint64_t)(end - to->start_s);
	to->nr_windows += from->nr_windows;
	to->nr_untold += from->nr_untold;
	to->due += from->due;
	to->busy += from->busy;
	to->kept += from->kept;
	to->lost += from->lost;
	to->nr_cells += from->nr_cells;
}

/* Each stack of a slot once; those of the first cells on, which is where they are left. */
static size_t join_cells(struct html_cell *from, size_t nr, struct html_cell *to, uint64_t *counts)
{
	size_t out = 0;

	for (size_t i = 0; i < nr; i++)
		counts[from[i].node] += from[i].count;
	for (size_t i = 0; i < nr; i++) {
		node_id node = from[i].node;

		if (!counts[node])
			continue;
		to[out++] = (struct html_cell){ node, counts[node] };
		counts[node] = 0;
	}
	return out;
}

/* Two slots become one. */
static void halve(struct html_windows *w)
{
	_cleanup_free_ uint64_t *counts = xcalloc(profile_nr_nodes(w->stacks), sizeof(*counts));
	size_t out = 0, from = 0, to = 0;

	for (size_t i = 0; i < w->nr; i += 2) {
		struct html_slot slot = w->slots[i];
		size_t nr;

		if (i + 1 < w->nr)
			add_slot(&slot, &w->slots[i + 1]);
		nr = slot.nr_cells;
		slot.nr_cells = join_cells(w->cells + from, nr, w->cells + to, counts);
		from += nr;
		to += slot.nr_cells;
		w->slots[out++] = slot;
	}
	w->nr = out;
	w->nr_cells = to;
	w->per_slot *= 2;
}

/* Windows of several hosts at one time are one. */
static bool has_same_end(const struct html_slot *a, const struct html_slot *b)
{
	return a->start_s + (int64_t)a->seconds == b->start_s + (int64_t)b->seconds;
}

static void open_slot(struct html_windows *w, const struct html_slot *about)
{
	if (w->nr && (has_same_end(&w->slots[w->nr - 1], about) ||
		      w->slots[w->nr - 1].nr_windows < w->per_slot)) {
		add_slot(&w->slots[w->nr - 1], about);
		return;
	}
	array_reserve(w->slots, w->cap, w->nr + 1);
	w->slots[w->nr++] = *about;
}

static node_id place(struct html_windows *w, node_id parent, frame_id frame, bool is_base)
{
	size_t old = w->cap_bases;
	node_id node = profile_child(w->stacks, parent, frame);

	array_reserve(w->is_base, w->cap_bases, (size_t)node + 1);
	for (size_t i = old; i < w->cap_bases; i++)
		w->is_base[i] = false;
	w->is_base[node] |= is_base;
	return node;
}

int html_windows_add(struct html_windows *w, const struct html_slot *about, const struct profile *p,
		     const bool *is_base)
{
	_cleanup_free_ node_id *to = xcalloc(profile_nr_nodes(p), sizeof(*to));

	open_slot(w, about);
	for (node_id n = 0; n < profile_nr_nodes(p); n++) {
		uint64_t self = profile_self(p, n);

		if (n)
			to[n] = place(w, to[profile_parent(p, n)], profile_frame(p, n), is_base[n]);
		if (!self)
			continue;
		if (profile_add(w->stacks, to[n], self) < 0)
			return -EOVERFLOW;
		array_reserve(w->cells, w->cap_cells, w->nr_cells + 1);
		w->cells[w->nr_cells++] = (struct html_cell){ to[n], self };
		w->slots[w->nr - 1].nr_cells++;
	}
	while (w->nr > 1 && (w->nr_cells > w->max_cells || w->nr > w->max_slots))
		halve(w);
	return 0;
}

/* ---- the page -------------------------------------------------------------------------------- */

struct writing {
	const struct html_windows *w;
	const struct html_fit *fit;
	struct html_tree *t;
	uint32_t *index;   /* of nodes of the page: number in preorder, from 1 */
	uint64_t *counts;  /* by that number */
	uint64_t *selves;  /* by function */
	uint32_t *indexes; /* of one slot */
};

static int compare_indexes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The function with most of its own; functions by rank, so the first of several is the same. */
static void add_hottest(struct writing *c, const struct html_cell *cells, size_t nr)
{
	struct strbuf *to = &c->t->sections[HTML_WINDOWS];
	size_t hottest = 0;

	for (size_t f = 0; f < c->t->functions.nr; f++)
		c->selves[f] = 0;
	for (size_t i = 0; i < nr; i++) {
		node_id node = cells[i].node;
		uint32_t rank = node && !c->w->is_base[node]
					? c->t->functions.rank[profile_frame(c->w->stacks, node)]
					: UINT32_MAX;

		if (rank != UINT32_MAX)
			c->selves[rank] += cells[i].count;
	}
	for (size_t f = 0; f < c->t->functions.nr; f++)
		if (c->selves[f] && (!hottest || c->selves[f] > c->selves[hottest - 1]))
			hottest = f + 1;
	html_number_add(to, hottest);
	html_number_add(to, hottest ? c->selves[hottest - 1] : 0);
}

static size_t add_cells(struct writing *c, const struct html_cell *cells, size_t nr)
{
	struct strbuf *to = &c->t->sections[HTML_CELLS];
	size_t out = 0;
	uint32_t before = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t index = c->index[html_fit_node(c->fit, cells[i].node)];

		if (!c->counts[index])
			c->indexes[out++] = index;
		c->counts[index] += cells[i].count;
	}
	qsort(c->indexes, out, sizeof(*c->indexes), compare_indexes);
	for (size_t i = 0; i < out; i++) {
		html_number_add(to, c->indexes[i] - before);
		html_number_add(to, c->counts[c->indexes[i]]);
		before = c->indexes[i];
		c->counts[c->indexes[i]] = 0;
	}
	return out;
}

static void add_window(struct writing *c, const struct html_slot *s, const struct html_cell *cells)
{
	struct strbuf *to = &c->t->sections[HTML_WINDOWS];

	html_number_add(to, (uint64_t)s->start_s);
	html_number_add(to, s->seconds);
	html_number_add(to, s->nr_windows);
	html_number_add(to, s->nr_untold);
	html_number_add(to, s->due);
	html_number_add(to, s->busy);
	html_number_add(to, s->kept);
	html_number_add(to, s->lost);
	add_hottest(c, cells, s->nr_cells);
	html_number_add(to, add_cells(c, cells, s->nr_cells));
}

void html_windows_write(const struct html_windows *w, const struct html_fit *fit,
			struct html_tree *t)
{
	size_t nr = profile_nr_nodes(fit->p), at = 0, most = 0;
	struct writing c = { w,
			     fit,
			     t,
			     xcalloc(nr, sizeof(*c.index)),
			     xcalloc(nr + 1, sizeof(*c.counts)),
			     xcalloc(t->functions.nr, sizeof(*c.selves)),
			     NULL };

	for (size_t i = 0; i < t->nr; i++)
		c.index[t->order[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < w->nr; i++)
		most = w->slots[i].nr_cells > most ? w->slots[i].nr_cells : most;
	c.indexes = xcalloc(most, sizeof(*c.indexes));
	for (size_t i = 0; i < w->nr; i++) {
		add_window(&c, &w->slots[i], w->cells + at);
		at += w->slots[i].nr_cells;
	}
	free(c.index);
	free(c.counts);
	free(c.selves);
	free(c.indexes);
}
