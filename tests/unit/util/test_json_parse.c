// SPDX-License-Identifier: GPL-2.0-or-later
/* Values that are read, what is refused, and bounded depth. */
#include "unit/unit.h"

#include "util/json.h"
#include "util/mem.h"

static void test_values(void **state)
{
	const char *text =
		" {\"a\": [1, -2, 2.5, 18446744073709551615, 18446744073709551616], "
		"\"b\": {\"c\": true, \"d\": null},\r\n\t\"e\": \"x\\u00e9\\ud83d\\ude00\\n\"} ";
	_cleanup_json_ struct json *j = NULL;
	json_id a, e;

	assert_int_equal(json_parse(text, strlen(text), &j, NULL), 0);
	assert_int_equal(json_count(j, JSON_ROOT), 3);
	a = json_member(j, JSON_ROOT, "a");
	assert_int_equal(json_count(j, a), 5);
	e = json_first(j, a);
	assert_int_equal(json_kind(j, e), JSON_INTEGER);
	assert_int_equal(json_integer(j, e), 1);
	e = json_next(j, e);
	assert_int_equal(json_kind(j, e), JSON_NUMBER);
	assert_true(json_number(j, e) == -2 && json_integer(j, e) == 0);
	e = json_next(j, json_next(j, e));
	assert_true(json_integer(j, e) == UINT64_MAX);
	e = json_next(j, e);
	assert_int_equal(json_kind(j, e), JSON_NUMBER);
	assert_int_equal(json_next(j, e), JSON_NONE);
	assert_true(json_bool(j, json_member(j, json_member(j, JSON_ROOT, "b"), "c")));
	assert_string_equal(json_string(j, json_member(j, JSON_ROOT, "e")),
			    "x\xc3\xa9\xf0\x9f\x98\x80\n");
	assert_int_equal(json_member(j, JSON_ROOT, "f"), JSON_NONE);
	assert_int_equal(json_member(j, JSON_NONE, "a"), JSON_NONE);
	assert_int_equal(json_integer(j, JSON_NONE), 0);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		"{",
		"}",
		"{}x",
		"[1,]",
		"[1 2]",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{a:1}",
		"[01]",
		"[1.]",
		"[.5]",
		"[-]",
		"[1e]",
		"[+1]",
		"[1e999]",
		"[nul]",
		"\"",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u0000\"",
		"\"\\ud800\"",
		"\"\\ude00\"",
		"\"a\nb\"",
		"{\"a\":1,\"a\":2}",
		"[1],",
		"'a'",
		"[tru]",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct json *j = NULL;
		struct diag diag = { "" };

		if (json_parse(bad[i], strlen(bad[i]), &j, &diag) != -EINVAL)
			fail_msg("'%s' is not refused", bad[i]);
		assert_true(*diag.text && !j);
	}
}

static void test_depth_is_bounded(void **state)
{
	char text[4 * JSON_MAX_DEPTH] = "";
	struct json *j = NULL;

	memset(text, '[', JSON_MAX_DEPTH);
	memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	assert_int_equal(json_parse(text, 2 * JSON_MAX_DEPTH, &j, NULL), 0);
	json_free(j);
	memset(text, '[', JSON_MAX_DEPTH + 1);
	memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
	assert_int_equal(json_parse(text, 2 * JSON_MAX_DEPTH + 2, &j, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
