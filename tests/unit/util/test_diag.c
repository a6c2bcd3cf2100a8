// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages: the code, foreign bytes, and length. */
#include "unit/unit.h"

#include "util/diag.h"

static void test_set(void **state)
{
	struct diag diag;

	assert_int_equal(diag_set(&diag, EINVAL, "%s:%d: %s", "x.folded", 17, "no count"), -EINVAL);
	assert_string_equal(diag.text, "x.folded:17: no count");
	assert_int_equal(diag_set(NULL, ENOENT, "nobody asks"), -ENOENT);
}

/* Foreign bytes: what a terminal would act on is replaced, letters stay. */
static void test_controls(void **state)
{
	struct diag diag;

	diag_set(&diag, EINVAL,
		 "a\x1b[31m\nb\x7f \xc2\x9b"
		 "31m gr\xc3\xbc\xc3\x9f \xc2\xa0");
	assert_string_equal(diag.text, "a?[31m?b? ??31m gr\xc3\xbc\xc3\x9f \xc2\xa0");
}

static void test_long(void **state)
{
	struct diag diag;
	char name[4096];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	diag_set(&diag, EINVAL, "%s", name);
	assert_int_equal(strlen(diag.text), sizeof(diag.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
