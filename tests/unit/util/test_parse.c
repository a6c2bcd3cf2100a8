// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers, durations, sizes and lists, and what is none. */
#include "unit/unit.h"

#include "util/parse.h"

static void test_u64(void **state)
{
	uint64_t v = 7;

	assert_int_equal(parse_u64("0", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(parse_u64("18446744073709551615", &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(parse_u64("18446744073709551616", &v), -ERANGE);
	assert_int_equal(parse_u64("", &v), -EINVAL);
	assert_int_equal(parse_u64("-1", &v), -EINVAL);
	assert_int_equal(parse_u64("+1", &v), -EINVAL);
	assert_int_equal(parse_u64(" 1", &v), -EINVAL);
	assert_int_equal(parse_u64("1 ", &v), -EINVAL);
	assert_true(v == UINT64_MAX); /* untouched by failures */
}

static void test_duration(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "10", 10000000000 },	       { "10s", 10000000000 }, { "2m", 120000000000 },
		{ "1.5s", 1500000000 },	       { "200ms", 200000000 }, { "0.25", 250000000 },
		{ "1h", 3600000000000 },       { "50us", 50000 },      { "1d", 86400000000000 },
		{ "1.000000001", 1000000001 },
	};
	static const char *const bad[] = { "", "0", "s", "1x", "1.", "1.s", "-1", "1 s", "0.0s" };
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(parse_duration_ns(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_duration_ns(bad[i], &ns), -EINVAL);
	assert_int_equal(parse_duration_ns("99999999999999d", &ns), -ERANGE);
}

static void test_size(void **state)
{
	uint64_t b;

	assert_int_equal(parse_size_bytes("64K", &b), 0);
	assert_int_equal(b, 65536);
	assert_int_equal(parse_size_bytes("2GiB", &b), 0);
	assert_true(b == 2ull << 30);
	assert_int_equal(parse_size_bytes("512B", &b), 0);
	assert_int_equal(b, 512);
	assert_int_equal(parse_size_bytes("5X", &b), -EINVAL);
	assert_int_equal(parse_size_bytes("99999999999G", &b), -ERANGE);
}

static void test_list(void **state)
{
	uint32_t *list = NULL;
	size_t n;

	assert_int_equal(parse_u32_list("7,0-3,2", &list, &n), 0);
	assert_int_equal(n, 5);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(list[i], i);
	assert_int_equal(list[4], 7);
	free(list);
	assert_int_equal(parse_u32_list("", &list, &n), -EINVAL);
	assert_int_equal(parse_u32_list("1,", &list, &n), -EINVAL);
	assert_int_equal(parse_u32_list("3-1", &list, &n), -EINVAL);
	assert_int_equal(parse_u32_list("0-99999999", &list, &n), -ERANGE);
	assert_int_equal(parse_u32_list("4294967296", &list, &n), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
