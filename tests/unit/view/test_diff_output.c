// SPDX-License-Identifier: GPL-2.0-or-later
/* A diff's format by its name, by a path, and what there is. */
#include "unit/unit.h"

#include <errno.h>

#include "util/mem.h"
#include "view/diff_output.h"

static void test_found(void **state)
{
	static const struct {
		const char *name, *path, *format;
	} of[] = {
		{ NULL, "-", "text" },
		{ NULL, "x.txt", "text" },
		{ NULL, "x.tsv", "tsv" },
		{ NULL, "x.folded", "folded" },
		{ NULL, "x.folded.gz", "folded.gz" },
		{ NULL, "x.pb.gz", "pprof" },
		{ NULL, "dir.tsv/x.svg", "svg" },
		{ NULL, "x.htm", "html" },
		{ "tsv", "x.svg", "tsv" },
		{ "html", "-", "html" },
	};
	const struct diff_format *f;
	struct diag diag = { "" };

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		f = NULL;
		assert_int_equal(diff_format_find(of[i].name, of[i].path, &f, &diag), 0);
		assert_string_equal(f->name, of[i].format);
		assert_non_null(f->write);
	}
}

static void test_unknown(void **state)
{
	const struct diff_format *f = NULL;
	struct diag diag = { "" };

	assert_int_equal(diff_format_find(NULL, "x.json", &f, &diag), -EINVAL);
	assert_string_equal(diag.text,
			    "x.json: the suffix names no format (use --format); there are .txt, "
			    ".tsv, .folded, .folded.gz, .pb.gz, .svg and .html");
	assert_int_equal(diff_format_find("htm", "-", &f, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "did you mean 'html'?"));
	assert_null(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("diff_output", tests, NULL, NULL);
}
