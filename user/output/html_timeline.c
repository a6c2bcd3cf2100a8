// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes go the way of the stacks: through the passes, what a page leaves out, into preorder. */
#include "output/html_timeline.h"

#include <stdlib.h>

#include "output/html_windows.h"
#include "util/mem.h"

/* By node that was followed: its number on the page, from 1; NODE_DROP: passes left it out. */
static node_id *numbers_of(const struct profile *p, const struct html_fit *fit,
			   const struct html_tree *tree, const struct timeline *t)
{
	const node_id *followed = profile_followed(p);
	_cleanup_free_ node_id *number = xcalloc(profile_nr_nodes(fit->p), sizeof(*number));
	node_id most = 0, *numbers;

	for (size_t i = 0; i < tree->nr; i++)
		number[tree->order[i]] = (node_id)i + 1;
	for (size_t i = 0; i < t->nr; i++)
		most = t->cells[i].node > most ? t->cells[i].node : most;
	numbers = xcalloc((size_t)most + 1, sizeof(*numbers));
	for (size_t i = 0; i < t->nr; i++) {
		node_id at = followed[t->cells[i].node];

		numbers[t->cells[i].node] =
			at == NODE_DROP ? NODE_DROP : number[html_fit_node(fit, at)];
	}
	return numbers;
}

static size_t cells_of_slot(const struct timeline *t, size_t first)
{
	size_t nr = 1;

	while (first + nr < t->nr && t->cells[first + nr].slot == t->cells[first].slot)
		nr++;
	return nr;
}

/*
 * Of each slot that has stacks: its number less that of the one before (of the first: from -1), how
 * many stacks, and of each its node's number less the one before, samples.
 */
static void add_slots(const struct timeline *t, struct strbuf *to)
{
	int64_t before = -1;

	for (size_t i = 0, nr; i < t->nr; i += nr) {
		node_id node = 0;

		nr = cells_of_slot(t, i);
		html_number_add(to, (uint64_t)(t->cells[i].slot - before));
		html_number_add(to, nr);
		before = t->cells[i].slot;
		for (size_t k = i; k < i + nr; k++) {
			html_number_add(to, t->cells[k].node - node);
			html_number_add(to, t->cells[k].weight);
			node = t->cells[k].node;
		}
	}
}

void html_timeline_write(const struct timeline *t, const struct profile *p,
			 const struct html_fit *fit, struct html_tree *tree, struct json *meta)
{
	_cleanup_timeline_ struct timeline *own = timeline_copy(t);
	_cleanup_free_ node_id *numbers = numbers_of(p, fit, tree, t);
	json_id object = json_add(meta, JSON_ROOT, "timeline", JSON_OBJECT);

	timeline_move(own, numbers);
	timeline_fit(own, HTML_MAX_CELLS);
	add_slots(own, &tree->sections[HTML_TIMES]);
	json_add_integer(meta, object, "slot_ns", own->slot_ns);
	json_add_integer(meta, object, "asked_ns", own->asked_ns);
	json_add_integer(meta, object, "slots", own->nr_slots);
	json_add_integer(meta, object, "start_ms", own->start_ms);
	json_add_integer(meta, object, "timed", own->weight);
	json_add_integer(meta, object, "untimed", own->untimed);
}
