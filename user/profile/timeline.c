// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cells come nearly in order of time and are only appended; they are sorted, by their bits, when
 * the room is full and when they are looked at.
 */
#include "profile/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define LEAST_CELLS 16

bool timeline_can_have(uint64_t slot_ns)
{
	return slot_ns && (slot_ns < TIMELINE_SECOND_NS ? !(TIMELINE_SECOND_NS % slot_ns)
							: !(slot_ns % TIMELINE_SECOND_NS));
}

struct timeline *timeline_new(uint64_t slot_ns, uint64_t start_ns, size_t max_cells)
{
	struct timeline *t = xcalloc(1, sizeof(*t));

	t->slot_ns = t->asked_ns = slot_ns;
	t->start_ns = start_ns;
	t->max_cells = max_cells < LEAST_CELLS ? LEAST_CELLS : max_cells;
	return t;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	free(t->cells);
	free(t);
}

struct timeline *timeline_copy(const struct timeline *t)
{
	struct timeline *copy = xmalloc(sizeof(*copy));

	*copy = *t;
	copy->cells = xcalloc(t->nr, sizeof(*copy->cells));
	copy->cap = t->nr;
	if (t->nr)
		memcpy(copy->cells, t->cells, t->nr * sizeof(*copy->cells));
	return copy;
}

/* ---- order -------------------------------------------------------------------------------- */

static uint32_t digit_of(const struct timeline_cell *cell, unsigned int digit)
{
	uint64_t key = (uint64_t)cell->slot << 32 | cell->node;

	return key >> 16 * digit & 0xffff;
}

/* Stable, by 16 bits of the key; false: they all have the same there. */
static bool sort_digit(const struct timeline_cell *from, struct timeline_cell *to, size_t nr,
		       unsigned int digit, size_t *starts)
{
	size_t at = 0;

	memset(starts, 0, sizeof(*starts) << 16);
	for (size_t i = 0; i < nr; i++)
		starts[digit_of(&from[i], digit)]++;
	if (starts[digit_of(&from[0], digit)] == nr)
		return false;
	for (size_t i = 0; i < 1 << 16; i++) {
		size_t here = starts[i];

		starts[i] = at;
		at += here;
	}
	for (size_t i = 0; i < nr; i++)
		to[starts[digit_of(&from[i], digit)]++] = from[i];
	return true;
}

static void join_equal(struct timeline *t)
{
	size_t out = 0;

	for (size_t i = 0; i < t->nr; i++) {
		struct timeline_cell *before = out ? &t->cells[out - 1] : NULL;

		if (before && before->slot == t->cells[i].slot && before->node == t->cells[i].node)
			before->weight += t->cells[i].weight;
		else
			t->cells[out++] = t->cells[i];
	}
	t->nr = out;
}

void timeline_sort(struct timeline *t)
{
	_cleanup_free_ size_t *starts = xmalloc(sizeof(*starts) << 16);
	struct timeline_cell *other = xcalloc(t->nr, sizeof(*other));

	for (unsigned int digit = 0; t->nr && digit < 4; digit++)
		if (sort_digit(t->cells, other, t->nr, digit, starts)) {
			struct timeline_cell *sorted = other;

			other = t->cells;
			t->cells = sorted;
			t->cap = t->nr;
		}
	free(other);
	join_equal(t);
}

/* ---- slots -------------------------------------------------------------------------------- */

/* How many slots are one of the next length: the least that still divides a second. */
static uint32_t slots_to_join(uint64_t slot_ns)
{
	uint64_t rows = slot_ns < TIMELINE_SECOND_NS ? TIMELINE_SECOND_NS / slot_ns : 2;

	for (uint64_t i = 2; i * i <= rows; i++)
		if (!(rows % i))
			return i;
	return rows;
}

static void lengthen(struct timeline *t)
{
	uint32_t nr = slots_to_join(t->slot_ns);

	t->slot_ns *= nr;
	t->nr_slots = (t->nr_slots + nr - 1) / nr;
	for (size_t i = 0; i < t->nr; i++)
		t->cells[i].slot /= nr;
}

void timeline_fit(struct timeline *t, size_t max_cells)
{
	timeline_sort(t);
	while (t->nr > max_cells && t->nr_slots > 1) {
		lengthen(t);
		timeline_sort(t);
	}
}

/* ---- cells -------------------------------------------------------------------------------- */

void timeline_add_cell(struct timeline *t, const struct timeline_cell *cell)
{
	if (t->nr >= t->max_cells) {
		timeline_fit(t, t->max_cells / 4 * 3);
		/* Stacks of one slot: there are no more of them than nodes. */
		if (t->nr >= t->max_cells)
			t->max_cells = 2 * t->nr;
	}
	array_reserve(t->cells, t->cap, t->nr + 1);
	t->cells[t->nr++] = *cell;
	t->weight += cell->weight;
	if (cell->slot >= t->nr_slots)
		t->nr_slots = cell->slot + 1;
}

void timeline_add(struct timeline *t, uint64_t time_ns, node_id node, uint64_t weight)
{
	uint64_t since = time_ns > t->start_ns ? time_ns - t->start_ns : 0;

	if (t->nr >= t->max_cells)
		timeline_fit(t, t->max_cells / 4 * 3);
	while (since / t->slot_ns >= TIMELINE_MAX_SLOTS)
		lengthen(t);
	timeline_add_cell(t, &(struct timeline_cell){ since / t->slot_ns, node, weight });
	t->nr_samples++;
}

void timeline_end(struct timeline *t, uint64_t end_ns)
{
	uint64_t slots =
		end_ns > t->start_ns ? (end_ns - t->start_ns + t->slot_ns - 1) / t->slot_ns : 1;

	if (slots > TIMELINE_MAX_SLOTS)
		slots = TIMELINE_MAX_SLOTS;
	for (size_t i = 0; i < t->nr; i++)
		if (t->cells[i].slot >= slots)
			t->cells[i].slot = slots - 1;
	t->nr_slots = slots;
}

void timeline_move(struct timeline *t, const node_id *nodes)
{
	size_t out = 0;

	for (size_t i = 0; i < t->nr; i++) {
		struct timeline_cell cell = t->cells[i];

		cell.node = nodes[cell.node];
		if (cell.node == NODE_DROP) {
			t->left_out += cell.weight;
			t->weight -= cell.weight;
			continue;
		}
		t->cells[out++] = cell;
	}
	t->nr = out;
}
