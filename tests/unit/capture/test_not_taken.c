// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples that were due and not delivered, by cause, from readings of one CPU. */
#include "unit/unit.h"

#include "capture/not_taken.h"

static struct not_taken judge(struct not_taken_cpu *cpu, struct cpu_samples now)
{
	struct not_taken n = { 0 };

	now.slack = 20;
	not_taken_judge(cpu, &now, &n);
	return n;
}

static void expect(struct not_taken n, uint64_t idle, uint64_t throttled, uint64_t stolen,
		   uint64_t busy)
{
	assert_int_equal(n.idle, idle);
	assert_int_equal(n.throttled, throttled);
	assert_int_equal(n.stolen, stolen);
	assert_int_equal(n.busy, busy);
	assert_int_equal(not_taken_total(&n), idle + throttled + stolen + busy);
}

static void test_busy(void **state)
{
	struct not_taken_cpu cpu = { 0 };

	expect(judge(&cpu, (struct cpu_samples){ .due = 1000, .delivered = 600 }), 0, 0, 0, 400);
	expect(judge(&cpu, (struct cpu_samples){ .due = 2000, .delivered = 1600 }), 0, 0, 0, 0);
}

static void test_idle(void **state)
{
	struct not_taken_cpu cpu = { 0 };

	/* All of its time idle, and no tick; then ticks of the idle task, every one. */
	expect(judge(&cpu, (struct cpu_samples){ .due = 1000, .delivered = 3, .idle_due = 998 }),
	       997, 0, 0, 0);
	expect(judge(&cpu, (struct cpu_samples){ .due = 2000,
						 .delivered = 1003,
						 .idle_due = 1998,
						 .idle_delivered = 1000 }),
	       0, 0, 0, 0);
	/* Half idle with ticks, and a guard on the other half: nothing is put on the idle time. */
	expect(judge(&cpu, (struct cpu_samples){ .due = 3000,
						 .delivered = 1503,
						 .idle_due = 2498,
						 .idle_delivered = 1500 }),
	       1, 0, 0, 499);
}

static void test_each_cause(void **state)
{
	struct not_taken_cpu cpu = { 0 };

	expect(judge(&cpu, (struct cpu_samples){ .due = 1000,
						 .delivered = 400,
						 .idle_due = 150,
						 .idle_delivered = 50,
						 .throttled_due = 200,
						 .stolen_due = 50 }),
	       100, 200, 50, 250);
	/* Causes that explain more than is missing take no more than that. */
	cpu = (struct not_taken_cpu){ 0 };
	expect(judge(&cpu, (struct cpu_samples){ .due = 1000,
						 .delivered = 900,
						 .idle_due = 70,
						 .throttled_due = 60,
						 .stolen_due = 500 }),
	       40, 60, 0, 0);
}

/* Samples come a little before they are due, or behind the end of the window they were due in. */
static void test_ends_of_windows(void **state)
{
	struct not_taken_cpu cpu = { 0 };

	expect(judge(&cpu, (struct cpu_samples){ .due = 1000, .delivered = 1003 }), 0, 0, 0, 0);
	expect(judge(&cpu, (struct cpu_samples){ .due = 2000, .delivered = 2000 }), 0, 0, 0, 0);
	expect(judge(&cpu, (struct cpu_samples){ .due = 3000, .delivered = 2999 }), 0, 0, 0, 1);
	/* What it was ahead by is not kept for ever. */
	expect(judge(&cpu, (struct cpu_samples){ .due = 4000, .delivered = 4999 }), 0, 0, 0, 0);
	expect(judge(&cpu, (struct cpu_samples){ .due = 5000, .delivered = 5499 }), 0, 0, 0, 480);
}

/* Idle time is told in ticks: what a window has too much of, the next has too little of. */
static void test_ticks(void **state)
{
	struct not_taken_cpu cpu = { 0 };
	struct not_taken sums = { 0 };
	struct cpu_samples now = { .slack = 20 };

	for (int i = 0; i < 100; i++) {
		now.due += 99;
		now.delivered += 9;
		now.idle_due = now.due * 90 / 99 / 10 * 10;
		not_taken_judge(&cpu, &now, &sums);
	}
	assert_int_equal(not_taken_total(&sums), 9000);
	assert_true(sums.idle >= 8900);
	/* An error that grows all the time does not hide a loss: a slack of it at most. */
	cpu = (struct not_taken_cpu){ 0 };
	now = (struct cpu_samples){ .slack = 20 };
	sums = (struct not_taken){ 0 };
	for (int i = 0; i < 1000; i++) {
		now.due += 99;
		now.delivered += 99;
		now.idle_due += 1;
		now.stolen_due += 1;
		not_taken_judge(&cpu, &now, &sums);
	}
	assert_int_equal(not_taken_total(&sums), 0);
	now.due += 1000;
	not_taken_judge(&cpu, &now, &sums);
	expect(sums, 20, 0, 20, 960);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy),	   cmocka_unit_test(test_idle),
		cmocka_unit_test(test_each_cause), cmocka_unit_test(test_ends_of_windows),
		cmocka_unit_test(test_ticks),
	};

	return cmocka_run_group_tests_name("not_taken", tests, NULL, NULL);
}
