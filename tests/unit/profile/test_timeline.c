// SPDX-License-Identifier: GPL-2.0-or-later
/* Whatever room there is, no weight is lost and each cell stays in its place of time. */
#include "profile/timeline.h"

#include "unit/unit.h"

#define MS	 UINT64_C(1000000)
#define START_NS (5 * TIMELINE_SECOND_NS)

static uint64_t weight_of(const struct timeline *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nr; i++)
		sum += t->cells[i].weight;
	return sum;
}

static void expect_sorted(const struct timeline *t)
{
	for (size_t i = 1; i < t->nr; i++) {
		const struct timeline_cell *a = &t->cells[i - 1], *b = &t->cells[i];

		assert_true(a->slot < b->slot || (a->slot == b->slot && a->node < b->node));
	}
}

static void test_lengths(void **state)
{
	assert_true(timeline_can_have(MS));
	assert_true(timeline_can_have(10 * MS));
	assert_true(timeline_can_have(TIMELINE_SECOND_NS));
	assert_true(timeline_can_have(60 * TIMELINE_SECOND_NS));
	assert_false(timeline_can_have(0));
	assert_false(timeline_can_have(30 * MS));
	assert_false(timeline_can_have(1500 * MS));
}

/* Samples come nearly in order of time, of several CPUs; each slot is compared with a plain sum. */
static void test_order(void **state)
{
	enum { SLOTS = 200, NODES = 50 };
	static uint64_t truth[SLOTS][NODES];
	_cleanup_timeline_ struct timeline *t = timeline_new(10 * MS, START_NS, 1 << 20);
	uint64_t weight = 0, at = 0, met = 0;

	memset(truth, 0, sizeof(truth));
	for (int i = 0; i < 20000; i++) {
		uint32_t slot = i * (SLOTS - 10) / 20000 + test_random_below(10);
		node_id node = test_random_below(NODES);
		uint64_t w = 1 + test_random_below(3);

		timeline_add(t, START_NS + slot * 10 * MS + test_random_below(10 * MS), node, w);
		truth[slot][node] += w;
		weight += w;
	}
	timeline_sort(t);
	expect_sorted(t);
	for (size_t i = 0; i < t->nr; i++)
		assert_int_equal(t->cells[i].weight, truth[t->cells[i].slot][t->cells[i].node]);
	for (size_t i = 0; i < (size_t)SLOTS * NODES; i++)
		met += truth[i / NODES][i % NODES] > 0;
	at = t->nr;
	assert_int_equal(at, met);
	assert_int_equal(weight_of(t), weight);
	assert_int_equal(t->weight, weight);
	assert_int_equal(t->nr_samples, 20000);
	assert_int_equal(t->slot_ns, 10 * MS);
}

/* Slots become longer, always a part of a second or whole ones; nothing is lost. */
static void test_room(void **state)
{
	static const size_t rooms[] = { 16, 100, 1000, 5000 };

	for (size_t r = 0; r < sizeof(rooms) / sizeof(rooms[0]); r++) {
		_cleanup_timeline_ struct timeline *t = timeline_new(MS, START_NS, rooms[r]);

		for (uint64_t i = 0; i < 30000; i++)
			timeline_add(t, START_NS + i * MS, test_random_below(20), 1);
		assert_true(t->nr <= rooms[r] || t->nr_slots == 1);
		assert_true(timeline_can_have(t->slot_ns));
		assert_true(t->slot_ns > MS);
		assert_int_equal(t->asked_ns, MS);
		assert_int_equal(weight_of(t), 30000);
		timeline_sort(t);
		expect_sorted(t);
		/* Where they were: a slot has as many as milliseconds. */
		for (size_t i = 0; i < t->nr; i++)
			assert_true(t->cells[i].slot < t->nr_slots);
		for (uint32_t s = 0; s + 1 < t->nr_slots; s++) {
			uint64_t sum = 0;

			for (size_t i = 0; i < t->nr; i++)
				sum += t->cells[i].slot == s ? t->cells[i].weight : 0;
			assert_int_equal(sum, t->slot_ns / MS);
			if (s == 50)
				break;
		}
	}
}

/* More stacks than there is room for, all in one slot: still none is lost. */
static void test_one_slot(void **state)
{
	_cleanup_timeline_ struct timeline *t = timeline_new(10 * MS, START_NS, 16);

	for (node_id n = 0; n < 500; n++)
		timeline_add(t, START_NS + n * 100 * MS, n, 1);
	timeline_sort(t);
	assert_int_equal(t->nr, 500);
	assert_int_equal(weight_of(t), 500);
}

static void test_ends(void **state)
{
	_cleanup_timeline_ struct timeline *t = timeline_new(10 * MS, START_NS, 100);

	timeline_add(t, START_NS - 3 * MS, 1, 1); /* while sampling began */
	timeline_add(t, START_NS + 35 * MS, 1, 1);
	timeline_end(t, START_NS + 31 * MS);
	assert_int_equal(t->nr_slots, 4);
	assert_int_equal(t->cells[0].slot, 0);
	assert_int_equal(t->cells[1].slot, 3);
	timeline_end(t, START_NS + 1000 * MS);
	assert_int_equal(t->nr_slots, 100);
	/* Very long: slots that would have no number are longer ones. */
	timeline_add(t, START_NS + TIMELINE_MAX_SLOTS * 10 * MS, 1, 1);
	assert_true(t->slot_ns > 10 * MS);
	assert_true(t->cells[2].slot < TIMELINE_MAX_SLOTS);
	timeline_end(t, UINT64_MAX);
	assert_true(t->nr_slots <= TIMELINE_MAX_SLOTS);
}

static void test_move(void **state)
{
	static const node_id to[] = { 0, 7, 7, NODE_DROP };
	_cleanup_timeline_ struct timeline *t = timeline_new(10 * MS, START_NS, 100), *copy = NULL;

	timeline_add(t, START_NS, 1, 2);
	timeline_add(t, START_NS, 2, 3);
	timeline_add(t, START_NS, 3, 5);
	copy = timeline_copy(t);
	timeline_move(t, to);
	timeline_sort(t);
	assert_int_equal(t->nr, 1);
	assert_int_equal(t->cells[0].node, 7);
	assert_int_equal(t->cells[0].weight, 5);
	assert_int_equal(t->weight, 5);
	assert_int_equal(t->left_out, 5);
	assert_int_equal(copy->nr, 3);
}

static void test_nothing(void **state)
{
	_cleanup_timeline_ struct timeline *t = timeline_new(10 * MS, START_NS, 0), *copy = NULL;

	timeline_fit(t, 0);
	copy = timeline_copy(t);
	assert_int_equal(copy->nr, 0);
	timeline_end(t, START_NS);
	assert_int_equal(t->nr_slots, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths), cmocka_unit_test(test_order),
		cmocka_unit_test(test_room),	cmocka_unit_test(test_one_slot),
		cmocka_unit_test(test_ends),	cmocka_unit_test(test_move),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
