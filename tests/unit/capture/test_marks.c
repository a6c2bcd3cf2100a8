// SPDX-License-Identifier: GPL-2.0-or-later
/* Marks of a record: as many as it says and as it has. */
#include "capture/marks.h"

#include <bpf/bpf.h>

#include "unit/unit.h"

#define NR_CPUS 3

static struct eddy_marks_event map[EDDY_NR_TURNS][NR_CPUS];
static uint64_t sum;
static unsigned int nr_taken;

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	memcpy(value, map[*(const uint32_t *)key], sizeof(map[0]));
	return 0;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	memcpy(map[*(const uint32_t *)key], value, sizeof(map[0]));
	return 0;
}

static void take(void *ctx, const struct eddy_mark *mark)
{
	sum += mark->time_ns;
	nr_taken++;
}

static void test_record(void **state)
{
	struct eddy_marks_event ev = { .nr = 5 };
	const size_t head = offsetof(struct eddy_marks_event, marks);

	for (uint32_t i = 0; i < EDDY_NR_MARKS; i++)
		ev.marks[i].time_ns = 1;
	sum = 0;
	marks_each(&ev, sizeof(ev), take, NULL);
	assert_int_equal(sum, 5);
	marks_each(&ev, head + 2 * sizeof(ev.marks[0]) + 7, take, NULL);
	assert_int_equal(sum, 7);
	marks_each(&ev, head, take, NULL);
	marks_each(&ev, 3, take, NULL);
	assert_int_equal(sum, 7);
	ev.nr = UINT32_MAX;
	marks_each(&ev, SIZE_MAX, take, NULL);
	assert_int_equal(sum, 7 + EDDY_NR_MARKS);
}

/* Those of the turn that is over, of all CPUs, once. */
static void test_map(void **state)
{
	for (uint32_t turn = 0; turn < EDDY_NR_TURNS; turn++)
		for (uint32_t i = 0; i < NR_CPUS; i++) {
			map[turn][i].nr = i;
			map[turn][i].marks[0].time_ns = turn ? 100 : 1;
			map[turn][i].marks[1].time_ns = turn ? 100 : 1;
		}
	sum = nr_taken = 0;
	assert_int_equal(marks_take(0, 7, NR_CPUS, take, NULL), 0);
	assert_int_equal(nr_taken, 3);
	assert_int_equal(sum, 300);
	assert_int_equal(marks_take(0, 7, NR_CPUS, take, NULL), 0);
	assert_int_equal(nr_taken, 3);
	assert_int_equal(marks_take(0, 8, NR_CPUS, take, NULL), 0);
	assert_int_equal(sum, 303);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_map),
	};

	return cmocka_run_group_tests_name("marks", tests, NULL, NULL);
}
