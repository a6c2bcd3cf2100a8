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

static void test_decimal(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = { { "0", 0 },  { "1000", 1000 }, { "0.25", 0.25 },	  { ".5", 0.5 },
		     { "2.", 2 }, { "3e6", 3e6 },   { "1.5E-3", 1.5e-3 }, { "1e+2", 100 } };
	static const char *const bad[] = { "",	 ".",	"-1",  "+1",  " 1",  "1 ",    "1e",   "1e+",
					   "e5", ".e5", "0x5", "nan", "inf", "1.2.3", "1e2.5" };
	double value = -1;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(parse_decimal(good[i].text, &value), 0);
		assert_true(value == good[i].value);
	}
	value = -1;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_decimal(bad[i], &value), -EINVAL);
	assert_int_equal(parse_decimal("1e999", &value), -ERANGE);
	assert_true(value == -1);
}

static void test_percent(void **state)
{
	static const struct {
		const char *text;
		double percent;
	} good[] = { { "0", 0 },     { "5%", 5 },    { "0.25", 0.25 },
		     { ".5%", 0.5 }, { "100", 100 }, { "12.3", 12.3 } };
	static const char *const bad[] = { "",	  "%",	 ".",	"-1",  "+1",  " 1",    "1 %",
					   "5%%", "1e1", "0x5", "nan", "inf", "1.2.3", "5p" };
	double percent = -1;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(parse_percent(good[i].text, &percent), 0);
		assert_true(percent == good[i].percent);
	}
	percent = -1;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_percent(bad[i], &percent), -EINVAL);
	assert_int_equal(parse_percent("100.1", &percent), -ERANGE);
	assert_true(percent == -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),	cmocka_unit_test(test_duration),
		cmocka_unit_test(test_size),	cmocka_unit_test(test_list),
		cmocka_unit_test(test_decimal), cmocka_unit_test(test_percent),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
