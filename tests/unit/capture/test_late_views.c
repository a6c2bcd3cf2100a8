// SPDX-License-Identifier: GPL-2.0-or-later
/* When mappings are read, and for whom: of this process, and of children that this test makes. */
#include "capture/late_views.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/clock.h"
#include "util/mem.h"

static struct late_views *views_new(void)
{
	struct late_views *v = NULL;

	assert_int_equal(late_views_new(NULL, NULL, &v), 0);
	return v;
}

static void wait_for_all(struct late_views *v)
{
	while (late_views_nr_reading(v)) {
		usleep(1000);
		late_views_poll(v);
	}
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* All samples that were taken before the reading share it. */
static void one_reading_serves_those_before(void **state)
{
	struct late_views *v = views_new();
	uint64_t time_ns = now_ns();
	struct late_view *a = late_views_get(v, getpid(), getuid(), time_ns, false), *b, *c;

	assert_non_null(a);
	b = late_views_get(v, getpid(), getuid(), time_ns - 5, false);
	assert_ptr_equal(a, b);
	wait_for_all(v);
	assert_int_equal(a->state, LATE_VIEW_READ);
	assert_non_null(process_maps_find(&a->maps, (uintptr_t)wait_for_all));
	/* Of a later one something else may be mapped. */
	c = late_views_get(v, getpid(), getuid(), now_ns(), true);
	assert_non_null(c);
	assert_ptr_not_equal(a, c);
	wait_for_all(v);
	assert_int_equal(c->state, LATE_VIEW_READ);
	late_view_unref(v, a);
	late_view_unref(v, b);
	late_view_unref(v, c);
	assert_true(late_views_bytes(v) > 0);
	late_views_forget(v);
	assert_int_equal(late_views_bytes(v), 0);
	late_views_free(v);
}

/* stat(2) of a file that is mapped, by a thread; of what is not mapped any more there is none. */
static void files_are_told_apart(void **state)
{
	struct late_views *v = views_new();
	struct late_view *view = late_views_get(v, getpid(), getuid(), now_ns(), false);
	const struct process_mapping *m;
	struct stat st;
	dev_t dev;
	ino_t ino;

	if (geteuid())
		skip(); /* following the link takes a capability */
	wait_for_all(v);
	m = process_maps_find(&view->maps, (uintptr_t)wait_for_all);
	assert_non_null(m);
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_false(late_view_stat(v, view, m, &dev, &ino));
	assert_int_equal(late_views_nr_reading(v), 1);
	wait_for_all(v);
	assert_true(late_view_stat(v, view, m, &dev, &ino));
	assert_true(dev == st.st_dev && ino == st.st_ino);
	for (size_t i = 0; i < view->maps.nr; i++)
		late_view_stat(v, view, &view->maps.items[i], &dev, &ino);
	late_view_unref(v, view); /* readings have references of their own */
	late_views_free(v);
}

static void who_has_ended_is_gone(void **state)
{
	struct late_views *v = views_new();
	pid_t pid = fork();
	struct late_view *view;

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	view = late_views_get(v, pid, 0, 1, false);
	assert_non_null(view);
	wait_for_all(v);
	assert_int_equal(view->state, LATE_VIEW_GONE);
	/* Others of it do not ask again. */
	assert_ptr_equal(late_views_get(v, pid, 0, 2, false), view);
	assert_int_equal(late_views_nr_reading(v), 0);
	late_view_unref(v, view);
	late_view_unref(v, view);
	late_views_free(v);
}

/* With so many executable mappings that reading them takes more than 5 ms. */
static pid_t child_with_mappings(void)
{
	const size_t page = sysconf(_SC_PAGESIZE), nr = 60000;
	pid_t pid = fork();
	char *p;

	if (pid)
		return pid;
	p = mmap(NULL, nr * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; p != MAP_FAILED && i < nr; i += 2)
		mprotect(p + i * page, page, PROT_READ | PROT_EXEC);
	raise(SIGSTOP);
	_exit(0);
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Reads it once; how long it rests then at least, when it is asked for again. */
static uint64_t rest_ns(struct late_views *v, pid_t pid, uint32_t uid)
{
	struct late_view *view = late_views_get(v, pid, uid, now_ns(), true);
	uint64_t start_ns, ns;

	assert_non_null(view);
	wait_for_all(v);
	start_ns = now_ns();
	late_view_unref(v, view);
	while (!(view = late_views_get(v, pid, uid, now_ns(), false)))
		usleep(1000);
	ns = now_ns() - start_ns;
	late_view_unref(v, view);
	wait_for_all(v);
	return ns;
}

/* The second process of an owner rests for what both take; another owner's does not. */
static void owners_rest_for_all_they_have(void **state)
{
	struct late_views *v = views_new();
	pid_t pids[3];
	uint64_t first_ns, second_ns, other_ns;

	if (test_is_emulated()) /* nothing is known of its time */
		skip();
	for (int i = 0; i < 3; i++) {
		pids[i] = child_with_mappings();
		assert_int_equal(waitpid(pids[i], NULL, WUNTRACED), pids[i]);
	}
	first_ns = rest_ns(v, pids[0], 1001);
	second_ns = rest_ns(v, pids[1], 1001);
	other_ns = rest_ns(v, pids[2], 1002);
	assert_true(first_ns > 19 * 5000000ull || second_ns == 0);
	assert_true(second_ns > first_ns * 5 / 4);
	assert_true(other_ns < second_ns);
	for (int i = 0; i < 3; i++)
		child_end(pids[i]);
	late_views_free(v);
}

/* One owner's questions do not take all places. */
static void owners_share_what_is_asked(void **state)
{
	struct late_views *v = views_new();
	struct late_view *views[4096];
	size_t nr = 0;
	pid_t pid = child_with_mappings();

	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	/* The first is read for a while; there are no such PIDs. */
	views[nr++] = late_views_get(v, pid, 1001, 1, false);
	while (nr < ARRAY_SIZE(views) &&
	       (views[nr] = late_views_get(v, (1u << 30) + nr, 1001, 1, false)))
		nr++;
	assert_true(nr < ARRAY_SIZE(views));
	assert_null(late_views_get(v, 1u << 31, 1001, 1, true));
	views[nr] = late_views_get(v, 1u << 31, 1002, 1, false);
	assert_non_null(views[nr++]);
	wait_for_all(v);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(views[i]->state, i ? LATE_VIEW_GONE : LATE_VIEW_READ);
		late_view_unref(v, views[i]);
	}
	child_end(pid);
	late_views_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_reading_serves_those_before),
		cmocka_unit_test(files_are_told_apart),
		cmocka_unit_test(who_has_ended_is_gone),
		cmocka_unit_test(owners_rest_for_all_they_have),
		cmocka_unit_test(owners_share_what_is_asked),
	};

	return cmocka_run_group_tests_name("late_views", tests, NULL, NULL);
}
