// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of text, and what fits into so many, for any bytes. */
#include "unit/unit.h"

#include "util/text_width.h"

static size_t width(const char *s)
{
	return text_width(s, strlen(s));
}

static void test_width(void **state)
{
	assert_int_equal(width(""), 0);
	assert_int_equal(width("main"), 4);
	assert_int_equal(width("größe"), 5);
	assert_int_equal(width("関数"), 4);
	assert_int_equal(width("e\xcc\x81"), 1);	/* e and a combining accent */
	assert_int_equal(width("\xf0\x9f\x98\x80"), 2); /* an emoji */
	assert_int_equal(width("\xff\xfe"), 2);		/* no UTF-8 */
	assert_int_equal(width("a\xe9\x96"), 3);	/* cut off */
}

static void test_fit(void **state)
{
	size_t w = 99;

	assert_int_equal(text_fit("main", 4, 10, &w), 4);
	assert_int_equal(w, 4);
	assert_int_equal(text_fit("main", 4, 2, &w), 2);
	assert_int_equal(w, 2);
	assert_int_equal(text_fit("関数", 6, 3, &w), 3); /* half a character is none */
	assert_int_equal(w, 2);
	assert_int_equal(text_fit("e\xcc\x81x", 4, 1, &w), 3);
	assert_int_equal(text_fit("abc", 3, 0, NULL), 0);
}

/* Any bytes: what fits never exceeds the room, and all fits where there is room. */
static void test_random_bytes(void **state)
{
	for (int round = 0; round < 20000; round++) {
		char s[24];
		size_t len = test_random_below(sizeof(s)), w, columns = test_random_below(20), n;

		for (size_t i = 0; i < len; i++)
			s[i] = test_random();
		n = text_fit(s, len, columns, &w);
		assert_true(n <= len && w <= columns);
		assert_true(text_width(s, n) == w);
		assert_int_equal(text_fit(s, len, 2 * sizeof(s), NULL), len);
	}
}

static void check_add(const char *s, size_t columns, bool is_ascii, const char *want)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	text_fit_add(&sb, s, strlen(s), columns, is_ascii);
	assert_string_equal(sb.bytes, want);
}

static void test_ellipsis(void **state)
{
	check_add("main", 4, false, "main");
	check_add("main", 3, false, "ma\u2026");
	check_add("main", 3, true, "m..");
	check_add("main", 1, true, ".");
	check_add("main", 0, false, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_ellipsis),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests_name("text_width", tests, NULL, NULL);
}
