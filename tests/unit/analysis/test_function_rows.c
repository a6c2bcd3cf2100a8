// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions in both orders; processes and marks are no functions, also where they share a name. */
#include "unit/analysis/stacks.h"

#include "analysis/base_marks.h"
#include "analysis/function_rows.h"

static const char text[] = "sort;main;sort 4 sort;main;cmp 9 [softirq];rcu_[k] 2 "
			   "[lost:ring-full] 3 sh;[truncated];main 1";

static void check(struct stacks *s, bool has_bases, enum function_sort sort, const char *want)
{
	_cleanup_profile_ struct profile *p = profile_mark_bases(s->profile, has_bases);
	_cleanup_callgraph_ struct callgraph *cg = callgraph_new();
	_cleanup_function_rows_ struct function_rows rows = { 0 };
	char got[256] = "";

	assert_int_equal(profile_total(p), profile_total(s->profile));
	assert_int_equal(callgraph_update(cg, p, NULL), 0);
	function_rows_find(callgraph_graph(cg), profile_frames(p), sort, &rows);
	for (size_t i = 0; i < rows.nr; i++) {
		const struct graph_function *f = &callgraph_graph(cg)->functions[rows.functions[i]];
		size_t len = strlen(got);

		snprintf(got + len, sizeof(got) - len, "%s %d/%d ",
			 frame_table_name(profile_frames(p), rows.functions[i], NULL), (int)f->self,
			 (int)f->inclusive);
	}
	assert_string_equal(got, want);
	assert_int_equal(rows.nowhere, 3);
}

static void test_orders(void **state)
{
	struct stacks s;

	stacks_init(&s);
	stacks_parse(&s, text);
	check(&s, true, FUNCTIONS_BY_SELF, "cmp 9/9 sort 4/4 rcu 2/2 main 1/14 ");
	check(&s, true, FUNCTIONS_BY_INCLUSIVE, "main 1/14 cmp 9/9 sort 4/4 rcu 2/2 ");
	/* Without knowing of bases names stay functions, marks do not. */
	check(&s, false, FUNCTIONS_BY_INCLUSIVE, "main 1/14 sort 4/13 cmp 9/9 rcu 2/2 sh 0/1 ");
	stacks_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
	};

	return cmocka_run_group_tests_name("function_rows", tests, NULL, NULL);
}
