// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows of several CPUs: who comes in which order, and what one leaves to its next window. */
#include "capture/due_samples.h"

#include "unit/unit.h"
#include "util/mem.h"

/* CPUs 0 to 15, and 4000. */
static uint64_t delivered[17];

static struct drain_cpu counted(const struct drain *drain, uint32_t cpu)
{
	return (struct drain_cpu){ .delivered = delivered[cpu == 4000 ? 16 : cpu] };
}

static void set(struct due_samples *d, const struct cpu_events_cpu *cpus, size_t nr)
{
	free(d->cpus);
	d->cpus = xcalloc(nr, sizeof(*cpus));
	memcpy(d->cpus, cpus, nr * sizeof(*cpus));
	d->totals = (struct cpu_events_totals){ .due_is_known = true, .nr_cpus = nr };
}

static void test_windows(void **state)
{
	/* In the second one a CPU has come, and stands in front. */
	static const struct cpu_events_cpu first[] = { { .cpu = 3, .due = 100, .slack = 1 } },
					   second[] = { { .cpu = 4000, .due = 50, .slack = 2 },
							{ .cpu = 3, .due = 300, .slack = 4 } };
	struct due_samples d = { 0 };

	memset(delivered, 0, sizeof(delivered));
	delivered[3] = 90;
	set(&d, first, 1);
	due_samples_judge(&d, counted, NULL);
	assert_int_equal(d.not_taken.busy, 10);
	assert_int_equal(d.slack, 1);
	delivered[3] = 290;
	delivered[16] = 50;
	set(&d, second, 2);
	due_samples_judge(&d, counted, NULL);
	assert_int_equal(d.not_taken.busy, 10); /* neither has lost one since */
	assert_int_equal(d.slack, 2 + 4);	/* of the last window only */
	due_samples_deinit(&d);
}

static void test_causes(void **state)
{
	static const struct cpu_events_cpu cpus[] = {
		{ .cpu = 0, .due = 100, .idle = 40 },
		{ .cpu = 1, .due = 100, .throttled = 30 },
		{ .cpu = 2, .due = 100, .stolen = 20 },
	};
	struct due_samples d = { 0 };

	memset(delivered, 0, sizeof(delivered));
	delivered[0] = 60;
	delivered[1] = 70;
	delivered[2] = 80;
	set(&d, cpus, 3);
	due_samples_judge(&d, counted, NULL);
	assert_int_equal(d.not_taken.idle, 40);
	assert_int_equal(d.not_taken.throttled, 30);
	assert_int_equal(d.not_taken.stolen, 20);
	assert_int_equal(d.not_taken.busy, 0);
	due_samples_deinit(&d);
}

/* What was due is not known for a frequency on what is no clock: nothing is missing. */
static void test_not_known(void **state)
{
	static const struct cpu_events_cpu cpus[] = { { .cpu = 0, .due = 100, .slack = 1 } };
	struct due_samples d = { 0 };

	memset(delivered, 0, sizeof(delivered));
	set(&d, cpus, 1);
	d.totals.due_is_known = false;
	due_samples_judge(&d, counted, NULL);
	assert_int_equal(not_taken_total(&d.not_taken), 0);
	assert_int_equal(d.slack, 0);
	due_samples_deinit(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_not_known),
	};

	return cmocka_run_group_tests_name("due_samples", tests, NULL, NULL);
}
