// SPDX-License-Identifier: GPL-2.0-or-later
/* Which format a name or a suffix means, and what is said when it is none. */
#include "unit/unit.h"

#include "output/folded.h"
#include "output/pprof.h"
#include "output/speedscope.h"

static void test_by_path(void **state)
{
	assert_ptr_equal(writer_find(NULL, "a.folded", NULL), &folded_writer);
	assert_ptr_equal(writer_find(NULL, "dir.html/a.txt", NULL), &folded_writer);
	assert_ptr_equal(writer_find(NULL, "-", NULL), &folded_writer);
	assert_ptr_equal(writer_find("folded", "a.unknown", NULL), &folded_writer);
	assert_ptr_equal(writer_find(NULL, "a.speedscope.json", NULL), &speedscope_writer);
	assert_ptr_equal(writer_find(NULL, "a.json", NULL), &speedscope_writer);
	assert_ptr_equal(writer_find(NULL, "a.folded.pb.gz", NULL), &pprof_writer);
}

/* What stands beside folded text is nothing that stacks are written to, unless it is asked for. */
static void test_sidecar(void **state)
{
	struct diag diag;

	assert_null(writer_find(NULL, "a.folded.json", &diag));
	assert_non_null(strstr(diag.text, "beside folded text"));
	assert_null(writer_find(NULL, "dir/a.txt.gz.json", &diag));
	assert_ptr_equal(writer_find("speedscope", "a.folded.json", NULL), &speedscope_writer);
	assert_ptr_equal(writer_find(NULL, "folded.json", NULL), &speedscope_writer);
	assert_ptr_equal(writer_find(NULL, ".folded.json", NULL), &speedscope_writer);
}

static void test_unknown(void **state)
{
	struct diag diag;

	assert_null(writer_find(NULL, "a.unknown", &diag));
	assert_non_null(strstr(diag.text, "a.unknown: the suffix names no format"));
	assert_non_null(strstr(diag.text, "folded (.folded .txt)"));
	assert_null(writer_find(NULL, ".folded", NULL)); /* a hidden file without suffix */
	assert_null(writer_find(NULL, "a.folded/b", NULL));
	assert_null(writer_find("FOLDED", "a.folded", &diag));
	assert_non_null(strstr(diag.text, "no format 'FOLDED'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_path),
		cmocka_unit_test(test_sidecar),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
