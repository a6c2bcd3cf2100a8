// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose job is next, while some are held up for as long as the test likes. */
#include "util/owner_jobs.h"

#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/mem.h"

#define A 1001
#define B 1002
#define C 1003

struct test_job {
	struct owner_job job;
	unsigned int number;
	sem_t *wait;	       /* until it is posted; NULL: it takes no time */
	unsigned int sleep_us; /* that it takes */
	bool was_at_once;
};

static unsigned int nr_dropped;

static void run(void *ctx, struct owner_job *job, bool at_once)
{
	struct test_job *t = (struct test_job *)job;
	sem_t *begun = ctx;

	if (begun)
		sem_post(begun);
	t->was_at_once = at_once;
	if (t->sleep_us)
		usleep(t->sleep_us);
	if (t->wait)
		sem_wait(t->wait);
}

static void drop(struct owner_job *job)
{
	nr_dropped++;
	free(job);
}

static struct owner_jobs *jobs_new(unsigned int nr_threads, sem_t *begun)
{
	const struct owner_jobs_opts opts = {
		.nr_threads = nr_threads, .run = run, .drop = drop, .ctx = begun
	};
	struct owner_jobs *j = NULL;

	nr_dropped = 0;
	assert_int_equal(owner_jobs_new(&opts, &j), 0);
	return j;
}

static struct owner_job *job_new(owner_id owner, unsigned int number, sem_t *wait)
{
	struct test_job *t = xcalloc(1, sizeof(*t));

	t->job.owner = owner;
	t->number = number;
	t->wait = wait;
	return &t->job;
}

static unsigned int take(struct owner_jobs *j)
{
	struct pollfd p = { .fd = owner_jobs_fd(j), .events = POLLIN };
	struct owner_job *job;
	unsigned int number;

	while (!(job = owner_jobs_take(j)))
		assert_int_equal(poll(&p, 1, 60000), 1);
	number = ((struct test_job *)job)->number;
	free(job);
	return number;
}

/* One that is held up keeps all of its owner's waiting, and nobody else's. */
static void nobody_has_two_done_at_once(void **state)
{
	sem_t held, begun;
	struct owner_jobs *j;

	sem_init(&held, 0, 0);
	sem_init(&begun, 0, 0);
	j = jobs_new(2, &begun);
	owner_jobs_add(j, job_new(A, 1, &held));
	sem_wait(&begun);
	owner_jobs_add(j, job_new(A, 2, NULL));
	owner_jobs_add(j, job_new(B, 3, NULL));
	owner_jobs_add(j, job_new(B, 4, NULL));
	assert_int_equal(take(j), 3);
	assert_int_equal(take(j), 4);
	usleep(10000);
	assert_null(owner_jobs_take(j));
	sem_post(&held);
	assert_int_equal(take(j), 1);
	assert_int_equal(take(j), 2);
	owner_jobs_free(j);
	sem_destroy(&held);
	sem_destroy(&begun);
}

/* With one thread: of those that wait, the job of who had least of its time is next. */
static void who_had_least_is_next(void **state)
{
	sem_t held, begun;
	struct owner_jobs *j;

	sem_init(&held, 0, 0);
	sem_init(&begun, 0, 0);
	j = jobs_new(1, &begun);
	owner_jobs_add(j, job_new(A, 1, &held));
	sem_wait(&begun);
	usleep(20000);
	sem_post(&held);
	assert_int_equal(take(j), 1);
	owner_jobs_add(j, job_new(C, 2, &held));
	sem_wait(&begun);
	owner_jobs_add(j, job_new(A, 3, NULL));
	owner_jobs_add(j, job_new(A, 4, NULL));
	owner_jobs_add(j, job_new(B, 5, NULL));
	sem_post(&held);
	assert_int_equal(take(j), 2);
	assert_int_equal(take(j), 5);
	assert_int_equal(take(j), 3);
	assert_int_equal(take(j), 4);
	owner_jobs_free(j);
	sem_destroy(&held);
	sem_destroy(&begun);
}

static void what_nobody_takes_is_dropped(void **state)
{
	struct owner_jobs *j = jobs_new(2, NULL);

	owner_jobs_add_done(j, job_new(A, 1, NULL));
	owner_jobs_add_done(j, job_new(A, 2, NULL));
	assert_int_equal(take(j), 1);
	for (unsigned int i = 0; i < 100; i++)
		owner_jobs_add(j, job_new(1000 + i % 7, i, NULL));
	owner_jobs_free(j);
	assert_int_equal(nr_dropped, 101);
}

/* What one has done is to be taken from another; who polls that is woken. */
static void jobs_go_on_elsewhere(void **state)
{
	struct owner_jobs *second = jobs_new(1, NULL), *first = NULL;
	const struct owner_jobs_opts opts = {
		.nr_threads = 1, .run = run, .drop = drop, .done_in = second
	};
	struct pollfd p = { .fd = owner_jobs_fd(second), .events = POLLIN };

	assert_int_equal(owner_jobs_new(&opts, &first), 0);
	for (unsigned int i = 0; i < 50; i++)
		owner_jobs_add(first, job_new(A, i, NULL));
	for (unsigned int i = 0; i < 50; i++)
		assert_int_equal(take(second), i);
	assert_null(owner_jobs_take(first));
	assert_null(owner_jobs_take(second));
	assert_int_equal(poll(&p, 1, 0), 0);
	owner_jobs_tell(second);
	assert_int_equal(poll(&p, 1, 0), 1);
	owner_jobs_free(first);
	owner_jobs_free(second);
}

/* Gives out a pressing one; was it done at once? */
static bool is_at_once(struct owner_jobs *j, owner_id owner, unsigned int sleep_us, uint64_t cpu_ns)
{
	struct owner_job *job = job_new(owner, 1, NULL);
	bool was_at_once;

	((struct test_job *)job)->sleep_us = sleep_us;
	job->cpu_ns = cpu_ns;
	was_at_once = owner_jobs_add_pressing(j, job);
	if (was_at_once) {
		assert_true(((struct test_job *)job)->was_at_once);
		free(job);
	} else {
		assert_int_equal(take(j), 1);
	}
	return was_at_once;
}

/* Who was slow once is not waited for again soon; that is nobody else's loss. */
static void who_is_quick_is_served_at_once(void **state)
{
	struct owner_jobs *j = jobs_new(2, NULL);
	unsigned int nr = 0;

	for (unsigned int i = 0; i < 100; i++)
		nr += is_at_once(j, A, 0, 0);
	if (nr == 100) { /* the machine may have been slow */
		assert_true(is_at_once(j, A, 25000, 0));
		assert_false(is_at_once(j, A, 0, 0));
	}
	assert_true(is_at_once(j, B, 0, 6000000));
	assert_false(is_at_once(j, B, 0, 0));
	/* 2 ms each are little, but not when there is nothing else. */
	for (nr = 0; nr < 2000 && is_at_once(j, C, 2000, 0); nr++)
		continue;
	assert_in_range(nr, 1, 1000);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(is_at_once(j, OWNER_SYSTEM, 25000, 6000000));
	/* So many are slow that some are not known to be: they are asked at once, once. */
	for (unsigned int i = 0; i < 200; i++)
		is_at_once(j, 2000 + i, 0, 6000000);
	assert_false(is_at_once(j, 2199, 0, 0));
	owner_jobs_free(j);
}

/* Many jobs of many owners: each is done once, and those of one owner in their order. */
static void each_is_done_once(void **state)
{
	struct owner_jobs *j = jobs_new(OWNER_JOBS_MAX_THREADS + 3, NULL);
	unsigned int last[5] = { 0 };
	struct owner_job *job;

	for (unsigned int i = 1; i <= 1000; i++)
		owner_jobs_add(j, job_new(i * 7 % 5, i, NULL));
	for (unsigned int nr = 0; nr < 1000;) {
		struct pollfd p = { .fd = owner_jobs_fd(j), .events = POLLIN };

		if (!(job = owner_jobs_take(j))) {
			assert_int_equal(poll(&p, 1, 60000), 1);
			continue;
		}
		assert_true(((struct test_job *)job)->number > last[job->owner]);
		last[job->owner] = ((struct test_job *)job)->number;
		free(job);
		nr++;
	}
	owner_jobs_free(j);
	assert_int_equal(nr_dropped, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_has_two_done_at_once),
		cmocka_unit_test(who_had_least_is_next),
		cmocka_unit_test(what_nobody_takes_is_dropped),
		cmocka_unit_test(jobs_go_on_elsewhere),
		cmocka_unit_test(who_is_quick_is_served_at_once),
		cmocka_unit_test(each_is_done_once),
	};

	return cmocka_run_group_tests_name("owner_jobs", tests, NULL, NULL);
}
