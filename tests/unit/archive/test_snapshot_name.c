// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of snapshots and directories of hosts: there and back, and refused with any byte changed.
 */
#include "unit/unit.h"

#include "archive/snapshot_name.h"
#include "util/mem.h"

static void test_known(void **state)
{
	struct snapshot_name n;

	assert_int_equal(snapshot_name_parse("20261120T161230Z-10.folded.gz", &n), 0);
	assert_int_equal(n.start_s, 1795191150);
	assert_int_equal(n.seconds, 10);
	assert_int_equal(n.nr, 0);
	assert_true(n.is_gzip);
	assert_int_equal(snapshot_name_parse("19700101T000000Z-0-2.folded", &n), 0);
	assert_int_equal(n.start_s, 0);
	assert_int_equal(n.nr, 2);
	assert_false(n.is_gzip);
	assert_int_equal(snapshot_name_parse("20240229T235959Z-4294967295.folded", &n), 0);
	assert_int_equal(n.seconds, 4294967295u);
	assert_int_equal(snapshot_name_parse_json("20240229T235959Z-1.folded.json", &n), 0);
	assert_int_equal(n.seconds, 1);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"20261120T161230Z",
		"20261120T161230Z-",
		"20261120T161230Z-.folded",
		"20261120T161230Z-10",
		"20261120T161230Z-10.folde",
		"20261120T161230Z-10.folded.gz.gz",
		"20261120T161230Z-10.folded.json",
		"20261120T161230Z-010.folded",
		"20261120T161230Z-+1.folded",
		"20261120T161230Z--1.folded",
		"20261120T161230Z-4294967296.folded",
		"20261120T161230Z-99999999999999999999999999.folded",
		"20261120T161230Z-10-.folded",
		"20261120T161230Z-10-0.folded",
		"20261120T161230Z-10-1.folded",
		"20261120T161230Z-10-02.folded",
		"20261120T161230Z-10-2-2.folded",
		"20261120t161230Z-10.folded",
		"20261120T161230z-10.folded",
		"20261120 161230Z-10.folded",
		"20260229T161230Z-10.folded",
		"20261320T161230Z-10.folded",
		"20260020T161230Z-10.folded",
		"20260431T161230Z-10.folded",
		"20261120T241230Z-10.folded",
		"20261120T166030Z-10.folded",
		"20261120T161260Z-10.folded",
		"19691231T235959Z-10.folded",
		"2026112 T161230Z-10.folded",
		" 20261120T161230Z-10.folded",
		"20261120T161230Z-10.folded ",
		".eddy-snapshot.tmp",
	};
	struct snapshot_name n;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (snapshot_name_parse(bad[i], &n) != -EINVAL)
			fail_msg("'%s' is taken for a snapshot", bad[i]);
	assert_int_equal(snapshot_name_parse_json("20261120T161230Z-10.folded", &n), -EINVAL);
	assert_int_equal(snapshot_name_parse_json(".json", &n), -EINVAL);
	assert_int_equal(snapshot_name_parse_json("", &n), -EINVAL);
}

static void random_name(struct snapshot_name *n)
{
	static const uint64_t ranges[] = { 2, 100, 86400, 4294967296 };

	n->start_s = test_random_below(253402300800);
	n->seconds = test_random_below(ranges[test_random_below(ARRAY_SIZE(ranges))]);
	n->nr = test_random_below(3) ? 0 : 2 + test_random_below(1000);
	n->is_gzip = test_random_below(2);
}

/* What is formatted is parsed to the same parts, and the order of names is that of their starts. */
static void test_round_trip(void **state)
{
	struct snapshot_name n, m, last = { 0 };
	char text[SNAPSHOT_NAME_BYTES], before[SNAPSHOT_NAME_BYTES];

	snapshot_name_format(&last, before);
	for (int i = 0; i < 50000; i++) {
		random_name(&n);
		snapshot_name_format(&n, text);
		assert_true(strlen(text) + strlen(".json") < SNAPSHOT_NAME_BYTES);
		assert_int_equal(snapshot_name_parse(text, &m), 0);
		assert_int_equal(snapshot_name_compare(&n, &m), 0);
		snapshot_name_format_json(&n, text);
		assert_int_equal(snapshot_name_parse_json(text, &m), 0);
		assert_int_equal(snapshot_name_parse(text, &m), -EINVAL);
		if (n.start_s != last.start_s)
			assert_int_equal(snapshot_name_compare(&n, &last) < 0,
					 strcmp(text, before) < 0);
		strcpy(before, text);
		last = n;
	}
}

/* Any change of one byte makes another name or none. */
static void test_one_byte(void **state)
{
	struct snapshot_name n, m;
	char text[SNAPSHOT_NAME_BYTES], again[SNAPSHOT_NAME_BYTES];

	for (int i = 0; i < 20000; i++) {
		random_name(&n);
		snapshot_name_format(&n, text);
		text[test_random_below(strlen(text))] = 1 + test_random_below(255);
		if (snapshot_name_parse(text, &m) < 0)
			continue;
		snapshot_name_format(&m, again);
		assert_string_equal(text, again);
	}
}

static void test_hosts(void **state)
{
	static const struct {
		const char *host, *dir;
	} known[] = {
		{ "build-7.example.org", "build-7.example.org" },
		{ "", "%" },
		{ ".", "%2E" },
		{ "..", "%2E." },
		{ "../../etc", "%2E.%2F..%2Fetc" },
		{ "a b\n%", "a%20b%0A%25" },
		{ "\xc3\xa4", "%C3%A4" },
	};
	char dir[SNAPSHOT_HOST_BYTES], host[65];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		snapshot_host_dir(known[i].host, dir);
		assert_string_equal(dir, known[i].dir);
	}
	for (int i = 0; i < 10000; i++) {
		size_t len = test_random_below(sizeof(host));

		for (size_t k = 0; k < len; k++)
			host[k] = 1 + test_random_below(255);
		host[len] = '\0';
		snapshot_host_dir(host, dir);
		assert_true(dir[0] && dir[0] != '.');
		assert_null(strchr(dir, '/'));
		assert_true(strlen(dir) <= 255);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),	   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_one_byte),
		cmocka_unit_test(test_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
