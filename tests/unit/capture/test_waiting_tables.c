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
	assert_true(waiting_tables_put(&w, first, SECOND));
	assert_true(waiting_tables_put(&w, second, 2 * SECOND));
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
	assert_true(waiting_tables_put(&w, large, SECOND));
	assert_false(waiting_tables_put(&w, small, SECOND)); /* the caller's still */
	assert_ptr_equal(waiting_tables_take(&w, 1000 * SECOND), large);
	assert_true(waiting_tables_put(&w, small, SECOND));
	unwind_job_free(large);
	waiting_tables_deinit(&w); /* the small one too */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_turn),
		cmocka_unit_test(within_a_bound),
	};

	return cmocka_run_group_tests_name("waiting_tables", tests, NULL, NULL);
}
