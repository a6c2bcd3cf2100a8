// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of root frames as --root and the `.json` write them. */
#include "unit/unit.h"

#include <string.h>

#include "profile/base_frame.h"
#include "util/mem.h"

static void test_lists(void **state)
{
	static const char *const good[] = { "comm", "none", "unit,program",
					    "host,cgroup,thread,cpu" };
	static const char *const bad[] = { "",		",",	     "comm,",
					   "unit,unit", "none,comm", "comm,none",
					   "Comm",	"comm ,cpu", "comm,cpu,unit,host,process" };
	struct base_frames b;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		assert_true(base_frames_parse(good[i], &b));
		base_frames_print(&text, &b);
		assert_string_equal(text.bytes, good[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(base_frames_parse(bad[i], &b));
}

static void test_zeroed(void **state)
{
	struct base_frames zero = { 0 }, comm, none;

	assert_true(base_frames_parse("comm", &comm));
	assert_true(base_frames_parse("none", &none));
	assert_true(base_frames_are_equal(&zero, &comm));
	assert_false(base_frames_are_equal(&zero, &none));
	assert_int_equal(base_frames_nr(&zero), 1);
	assert_int_equal(base_frames_nr(&none), 0);
	assert_false(base_frames_have(&none, BASE_FRAME_NONE));
}

static void test_common(void **state)
{
	struct base_frames a, b, c;

	assert_true(base_frames_parse("unit,program", &a));
	assert_true(base_frames_parse("program,unit", &b));
	c = base_frames_common(&a, &a);
	assert_true(base_frames_are_equal(&a, &c));
	c = base_frames_common(&a, &b);
	assert_int_equal(base_frames_kind(&c, 0), NR_BASE_FRAMES);
	c = base_frames_under_host(&a);
	assert_int_equal(base_frames_nr(&c), 3);
	assert_int_equal(base_frames_kind(&c, 0), BASE_FRAME_HOST);
	c = base_frames_under_host(&c);
	assert_int_equal(base_frames_nr(&c), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_zeroed),
		cmocka_unit_test(test_common),
	};

	return cmocka_run_group_tests_name("base_frame", tests, NULL, NULL);
}
