// SPDX-License-Identifier: GPL-2.0-or-later
/* What --root needs of the samples of others. */
#include "unit/unit.h"

#include "input/perf_stack.h"
#include "util/mem.h"

static void test_needs(void **state)
{
	static const struct {
		const char *root, *want;
	} cases[] = {
		{ "comm", NULL },
		{ "process", "pid" },
		{ "thread", "tid" },
		{ "cpu", "cpu" },
		{ "none", NULL },
		{ "cgroup", NULL },
		{ "host", NULL },
		{ "host,cgroup,thread", "tid" },
		{ "comm,cpu,process", "cpu" },
		{ "unit", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct reading r = { 0 };
		struct perf_stack s;
		const char *need;

		assert_true(base_frames_parse(cases[i].root, &r.opts.root));
		perf_stack_init(&s, &r);
		need = perf_stack_need(&s);
		if (cases[i].want)
			assert_string_equal(need, cases[i].want);
		else
			assert_null(need);
		perf_stack_deinit(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needs),
	};

	return cmocka_run_group_tests_name("perf_stack", tests, NULL, NULL);
}
