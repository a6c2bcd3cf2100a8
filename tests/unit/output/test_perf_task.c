// SPDX-License-Identifier: GPL-2.0-or-later
/* What base frames say of tasks, and what they only seem to say. */
#include "unit/unit.h"

#include "output/perf_task.h"
#include "util/mem.h"

static void test_tasks(void **state)
{
	static const struct {
		enum base_frame root;
		const char *text;
		struct perf_task want;
	} cases[] = {
		{ BASE_FRAME_COMM, "app-12", { .comm = "app-12" } },
		{ BASE_FRAME_PROCESS, "a-b-12", { 12, 12, 0, "a-b" } },
		{ BASE_FRAME_PROCESS, "swapper-0", { .comm = "swapper" } },
		{ BASE_FRAME_PROCESS, "app-?", { .comm = "app-?" } },
		{ BASE_FRAME_THREAD, "a/7-12/13", { 12, 13, 0, "a/7" } },
		{ BASE_FRAME_THREAD, "a-12", { .comm = "a-12" } },
		{ BASE_FRAME_CPU, "cpu-13", { .cpu = 13, .comm = "cpu-13" } },
		{ BASE_FRAME_CGROUP, "/user.slice/a-12", { .comm = "/user.slice/a-1" } },
		{ BASE_FRAME_PROCESS, "a-4194305", { .comm = "a-4194305" } }, /* none has it */
		{ BASE_FRAME_PROCESS, "a-99999999999", { .comm = "a-9999999999999" } },
		{ BASE_FRAME_PROCESS, "-12", { .comm = "-12" } },
		{ BASE_FRAME_COMM, "", { .comm = "" } },
		/* No half of a character. */
		{ BASE_FRAME_COMM, "aaaaaaaaaaaaaa\xc3\xa9", { .comm = "aaaaaaaaaaaaaa" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_task t;
		const char *comm = cases[i].want.comm;

		perf_task_parse(cases[i].text, strlen(cases[i].text), cases[i].root, &t);
		assert_int_equal(t.pid, cases[i].want.pid);
		assert_int_equal(t.tid, cases[i].want.tid);
		assert_int_equal(t.cpu, cases[i].want.cpu);
		assert_memory_equal(t.comm, comm, strlen(comm) < 13 ? strlen(comm) + 1 : 13);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests_name("perf_task", tests, NULL, NULL);
}
