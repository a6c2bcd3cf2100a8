// SPDX-License-Identifier: GPL-2.0-or-later
/* What graphviz would read as something else than a character of a name. */
#include "unit/unit.h"

#include <stdio.h>

#include "output/dot_quote.h"
#include "util/cleanup.h"
#include "util/mem.h"

static void test_quoted(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ "f(int) <x> {y|z}; #", "f(int) <x> {y|z}; #" },
		{ "say \"\"", "say \\\"\\\"" },
		{ "\\N\\", "\\\\N\\\\" },
		{ "operator&&", "operator&amp;&amp;" },
		{ "&lt;&#60;", "&amp;lt;&amp;#60;" },
		{ "\xc3\xa9", "\xc3\xa9" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *out = NULL;
		size_t len;
		FILE *f = open_memstream(&out, &len);

		dot_quote(f, cases[i].text, strlen(cases[i].text));
		assert_int_equal(fclose(f), 0);
		assert_string_equal(out, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quoted),
	};

	return cmocka_run_group_tests_name("dot_quote", tests, NULL, NULL);
}
