// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables that wait for room: how long, how many, in which order. */
#include "capture/waiting_tables.h"

#include "unit/unit.h"
#include "util/mem.h"

#define SECOND 1000000000ull

static struct unwind_job *job_of(size_t nr_rows)
{
	struct unwind_job *job = xcalloc(1, sizeof(*job));

	job->fd = job->copy.fd = -1;
	job->table = xcalloc(1, sizeof(*job->table));
	job->table->row = xcalloc(nr_rows, sizeof(*job->table->row));
	job->table->nr_rows = nr_rows;
	return job;
}

static void in_turn(void **state)
{
	struct unwind_job *first = job_of(1), *second = job_of(1);
	struct waiting_tables w;

	waiting_tables_init(&w, 1 << 20);
	assert_null(waiting_tables_take(&w, 1000 * SECOND));
	waiting_tables_put(&w, first, SECOND);
	waiting_tables_put(&w, second, 2 * SECOND);
	assert_null(waiting_tables_take_left(&w));
	assert_null(waiting_tables_take(&w, SECOND));
	assert_ptr_equal(waiting_tables_take(&w, first->retry_at_ns), first);
	assert_null(waiting_tables_take(&w, first->retry_at_ns));
	assert_ptr_equal(waiting_tables_take(&w, 1000 * SECOND), second);
	assert_null(waiting_tables_take(&w, 1000 * SECOND));
	unwind_job_free(first);
	unwind_job_free(second);
	waiting_tables_deinit(&w);
}

static void within_a_bound(void **state)
{
	struct unwind_job *large = job_of(1000), *small = job_of(1);
	struct waiting_tables w;

	waiting_tables_init(&w, 1000 * sizeof(*large->table->row));
	waiting_tables_put(&w, large, SECOND);
	assert_null(waiting_tables_take_left(&w));
	waiting_tables_put(&w, small, SECOND);
	assert_ptr_equal(waiting_tables_take_left(&w), small);
	assert_null(waiting_tables_take_left(&w));
	assert_ptr_equal(waiting_tables_take(&w, 1000 * SECOND), large);
	assert_null(waiting_tables_take(&w, 1000 * SECOND));
	waiting_tables_put(&w, small, SECOND);
	unwind_job_free(large);
	waiting_tables_deinit(&w); /* the small one too */
}

/* One user's tables fill the queue: those of others wait in it all the same, and his make way. */
static void others_wait_too(void **state)
{
	enum { NR = 500, ROWS = 10 };
	struct waiting_tables w;
	struct unwind_job *job;
	int nr = 0, nr_left = 0, nr_others = 0;

	waiting_tables_init(&w, 1000 * sizeof(*job->table->row));
	for (int i = 0; i < NR; i++) {
		job = job_of(ROWS);
		/* One in a hundred is the system's or another user's. */
		job->table->owner = i % 100 == 50 ? OWNER_SYSTEM : i % 100 == 75 ? 2000 : 3000;
		waiting_tables_put(&w, job, SECOND);
		assert_true(fair_share_used(w.bytes) <= fair_share_total(w.bytes));
		while ((job = waiting_tables_take_left(&w))) {
			assert_int_equal(job->table->owner, 3000);
			unwind_job_free(job);
			nr_left++;
		}
	}
	while ((job = waiting_tables_take(&w, 1000 * SECOND))) {
		nr_others += job->table->owner != 3000;
		unwind_job_free(job);
		nr++;
	}
	assert_int_equal(nr, 1000 / ROWS);
	assert_int_equal(nr + nr_left, NR);
	assert_int_equal(nr_others, 10);
	assert_int_equal(fair_share_used(w.bytes), 0);
	waiting_tables_deinit(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_turn),
		cmocka_unit_test(within_a_bound),
		cmocka_unit_test(others_wait_too),
	};

	return cmocka_run_group_tests_name("waiting_tables", tests, NULL, NULL);
}
