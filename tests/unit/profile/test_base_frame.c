// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of root frames as --root and the `.json` write them, and what their texts say of tasks. */
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

static void assert_part(struct bytes part, const char *want)
{
	assert_int_equal(part.len, strlen(want));
	if (part.len)
		assert_memory_equal(part.at, want, part.len);
}

static void test_split(void **state)
{
	static const struct {
		const char *text, *comm, *pid, *tid;
	} cases[] = {
		{ "app", "app", "", "" },
		{ "app-12", "app", "12", "" },
		{ "app-12/13", "app", "12", "13" },
		{ "a-b-12", "a-b", "12", "" },
		{ "a/7-12/13", "a/7", "12", "13" },
		{ "a-1/2-3", "a-1/2", "3", "" },
		{ "app-?/?", "app", "?", "?" },
		{ "app-?/13", "app", "?", "13" },
		{ "app-?", "app", "?", "" },
		{ "app?", "app?", "", "" },
		{ "cpu-3", "cpu", "3", "" },
		{ "kworker/3", "kworker/3", "", "" },
		{ "12", "12", "", "" },
		{ "-12", "-12", "", "" }, /* a comm has a character */
		{ "-12/12", "-12/12", "", "" },
		{ "a12/13", "a12/13", "", "" },
		{ "app-", "app-", "", "" },
		{ "app-/13", "app-/13", "", "" },
		{ "app-12/", "app-12/", "", "" },
		{ "a--1", "a-", "1", "" },
		{ "", "", "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct base_frame_task t = base_frame_split(cases[i].text, strlen(cases[i].text));

		assert_part(t.comm, cases[i].comm);
		assert_part(t.pid, cases[i].pid);
		assert_part(t.tid, cases[i].tid);
	}
	assert_part(base_frame_split("app-12/13", 5).pid, "1"); /* no more of it than it is given */
}

static void test_put_together(void **state)
{
	static const struct base_frame_task app = { { "app", 3 }, { "12", 2 }, { "13", 2 } },
					    hidden = { { "[nmi]", 5 }, { 0 }, { 0 } };
	static const struct {
		enum base_frame kind;
		const struct base_frame_task *task;
		const char *want;
	} cases[] = {
		{ BASE_FRAME_COMM, &app, "app" },
		{ BASE_FRAME_PROCESS, &app, "app-12" },
		{ BASE_FRAME_THREAD, &app, "app-12/13" },
		{ BASE_FRAME_COMM, &hidden, "\\x5bnmi]" },
		{ BASE_FRAME_PROCESS, &hidden, "\\x5bnmi]-?" },
		{ BASE_FRAME_THREAD, &hidden, "\\x5bnmi]-?/?" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		base_frame_add_task(&text, cases[i].kind, cases[i].task);
		assert_string_equal(text.bytes, cases[i].want);
	}
}

static void test_numbers(void **state)
{
	uint64_t n = 5;

	assert_false(base_frame_number((struct bytes){ 0 }, &n));
	assert_false(base_frame_number((struct bytes){ "?", 1 }, &n));
	assert_int_equal(n, 5);
	assert_true(base_frame_number((struct bytes){ "123", 2 }, &n));
	assert_int_equal(n, 12);
	assert_true(base_frame_number((struct bytes){ "18446744073709551614", 20 }, &n));
	assert_true(n == UINT64_MAX - 1);
	assert_true(base_frame_number((struct bytes){ "18446744073709551616", 20 }, &n));
	assert_true(n == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),	     cmocka_unit_test(test_zeroed),
		cmocka_unit_test(test_common),	     cmocka_unit_test(test_split),
		cmocka_unit_test(test_put_together), cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests_name("base_frame", tests, NULL, NULL);
}
