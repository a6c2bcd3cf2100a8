// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose samples: every base once, marks too, and the way to the heaviest code under it. */
#include "unit/analysis/stacks.h"

#include "analysis/base_marks.h"
#include "analysis/process_rows.h"

static void add_path(char *to, size_t size, const struct profile *p, node_id n)
{
	_cleanup_free_ node_id *chain = NULL;
	size_t nr = profile_chain(p, n, &chain);

	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(to);

		snprintf(to + len, size - len, "%s%s", i ? ";" : " ",
			 frame_table_name(profile_frames(p), profile_frame(p, chain[i]), NULL));
	}
}

static void check(const char *text, bool has_bases, const char *want)
{
	struct stacks s;
	_cleanup_profile_ struct profile *p = NULL;
	_cleanup_process_rows_ struct process_rows rows = { 0 };
	char got[256] = "";

	stacks_init(&s);
	stacks_parse(&s, text);
	p = profile_mark_bases(s.profile, has_bases);
	process_rows_find(p, &rows);
	for (size_t i = 0; i < rows.nr; i++) {
		size_t len = strlen(got);

		snprintf(got + len, sizeof(got) - len, "%s%d", i ? " " : "",
			 (int)rows.rows[i].samples);
		add_path(got, sizeof(got), p, rows.rows[i].hottest);
	}
	assert_string_equal(got, want);
	stacks_deinit(&s);
}

static void test_rows(void **state)
{
	check("a;m;x 3 a;m;y 4 b;m 7 [softirq];r 1", true, "7 a;m;y 7 b;m 1 [softirq];r");
	/* Own samples that are more than any callee's end the way. */
	check("a;m 5 a;m;x 4 a;n 8", true, "17 a;m");
	check("a 2", true, "2 a");
	check("a;m 5 [softirq];r 1", false, "1 [softirq];r");
	check("a;m 0", true, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests_name("process_rows", tests, NULL, NULL);
}
