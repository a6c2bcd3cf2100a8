// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of weights, added to a profile and taken off again. */
#include "live/live_tallies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void tallies_deinit(struct tallies *t)
{
	free(t->items);
	*t = (struct tallies){ 0 };
}

static int tally_add(const struct tally *t, struct profile *to, uint32_t factor)
{
	uint64_t weight;

	if (__builtin_mul_overflow(t->weight, factor, &weight))
		return -EOVERFLOW;
	return profile_add(to, t->node, weight);
}

static void subtract(const struct tallies *t, size_t nr, struct profile *from, uint32_t factor)
{
	for (size_t i = 0; i < nr; i++)
		profile_subtract(from, t->items[i].node, t->items[i].weight * factor);
}

void tallies_subtract(const struct tallies *t, struct profile *from, uint32_t factor)
{
	subtract(t, t->nr, from, factor);
}

int tallies_add(const struct tallies *t, struct profile *to, uint32_t factor)
{
	for (size_t i = 0; i < t->nr; i++)
		if (tally_add(&t->items[i], to, factor) < 0) {
			subtract(t, i, to, factor);
			return -EOVERFLOW;
		}
	return 0;
}

void tallies_take(struct tallies *t, struct profile *into, const struct profile *stacks)
{
	_cleanup_free_ node_id *nodes = xmalloc(profile_nr_nodes(stacks) * sizeof(*nodes));
	size_t nr = profile_nr_stacks(stacks);

	profile_carry(into, stacks, nodes);
	t->items = xcalloc(nr, sizeof(*t->items));
	for (node_id n = 0; n < profile_nr_nodes(stacks); n++)
		if (profile_self(stacks, n))
			t->items[t->nr++] = (struct tally){ nodes[n], profile_self(stacks, n) };
}

static int by_node(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

int tallies_join(struct tallies *a, struct tallies *b)
{
	struct tally *items = xcalloc(a->nr + b->nr, sizeof(*items));
	size_t nr = 0;

	memcpy(items, a->items, a->nr * sizeof(*items));
	memcpy(items + a->nr, b->items, b->nr * sizeof(*items));
	qsort(items, a->nr + b->nr, sizeof(*items), by_node);
	for (size_t i = 0; i < a->nr + b->nr; i++) {
		if (!nr || items[nr - 1].node != items[i].node) {
			items[nr++] = items[i];
		} else if (__builtin_add_overflow(items[nr - 1].weight, items[i].weight,
						  &items[nr - 1].weight)) {
			free(items);
			return -EOVERFLOW;
		}
	}
	tallies_deinit(a);
	tallies_deinit(b);
	*a = (struct tallies){ items, nr };
	return 0;
}
