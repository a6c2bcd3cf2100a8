// SPDX-License-Identifier: GPL-2.0-or-later
/* The .json of merged files: sums, rates that differ, overflow, members that do not fit. */
#include "unit/unit.h"

#include "archive/sidecar_merge.h"
#include "util/mem.h"

static int add(struct sidecar_merge *m, const char *text)
{
	_cleanup_json_ struct json *j = NULL;
	struct diag diag;

	assert_int_equal(json_parse(text, strlen(text), &j, &diag), 0);
	return sidecar_merge_add(m, j, &diag);
}

static struct json *merged(struct sidecar_merge *m, uint64_t distinct)
{
	_cleanup_free_ char *text = NULL;
	struct json *j = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	sidecar_merge_write(f, m, distinct);
	fclose(f);
	assert_int_equal(json_parse(text, len, &j, NULL), 0);
	return j;
}

static json_id at(const struct json *j, const char *a, const char *b)
{
	json_id id = json_member(j, JSON_ROOT, a);

	return b ? json_member(j, id, b) : id;
}

#define SIDECAR(host, cpus, start, end, due, hz, ns, rss, more)                             \
	"{\"version\": 1, \"host\": \"" host "\", \"cpus\": " #cpus ", \"start\": \"" start \
	"\", \"end\": \"" end "\", \"freq_hz\": " #hz ", \"samples\": {\"due\": " #due      \
	", \"delivered\": " #due "}, \"losses\": {" more                                    \
	"}, \"cost\": {\"bpf_ns_per_sample\": " #ns                                         \
	", \"cpu_seconds\": 0.5, \"max_rss_bytes\": " #rss ", \"rss_bytes\": " #rss         \
	"}, \"notes\": [\"blind\", \"" host "\"]}"

static void test_sums(void **state)
{
	_cleanup_sidecar_merge_ struct sidecar_merge *m = sidecar_merge_new();
	_cleanup_json_ struct json *j = NULL;

	add(m,
	    SIDECAR("a", 2, "2026-11-20T10:00:10Z", "2026-11-20T10:00:20Z", 100, 99, 1000, 7, ""));
	add(m, SIDECAR("b", 4, "2026-11-20T10:00:00Z", "2026-11-20T10:00:10Z", 300, 99, 2000, 9,
		       "\"ring-full\": 3"));
	add(m, SIDECAR("a", 3, "2026-11-20T10:00:20Z", "2026-11-20T10:00:30Z", 100, 99, 1000, 8,
		       "\"ring-full\": 1"));
	sidecar_merge_add_missing(m, 55);
	assert_int_equal(sidecar_merge_nr(m), 3);
	assert_int_equal(sidecar_merge_nr_missing(m), 1);
	j = merged(m, 77);
	assert_int_equal(json_integer(j, at(j, "version", NULL)), 1);
	assert_string_equal(json_string(j, at(j, "host", NULL)), "a, b");
	assert_int_equal(json_integer(j, at(j, "cpus", NULL)), 7);
	assert_int_equal(json_integer(j, at(j, "freq_hz", NULL)), 99);
	assert_string_equal(json_string(j, at(j, "start", NULL)), "2026-11-20T10:00:00Z");
	assert_string_equal(json_string(j, at(j, "end", NULL)), "2026-11-20T10:00:30Z");
	assert_int_equal(json_integer(j, at(j, "samples", "due")), 500);
	assert_int_equal(json_integer(j, at(j, "losses", "ring-full")), 4);
	assert_int_equal(json_integer(j, at(j, "distinct_stacks", NULL)), 77);
	assert_int_equal(json_integer(j, at(j, "files", NULL)), 4);
	assert_true(json_number(j, at(j, "cost", "bpf_ns_per_sample")) == 1600);
	assert_true(json_number(j, at(j, "cost", "cpu_seconds")) == 1.5);
	assert_int_equal(json_integer(j, at(j, "cost", "max_rss_bytes")), 9);
	assert_int_equal(json_integer(j, at(j, "cost", "rss_bytes")), 9);
	assert_int_equal(json_count(j, at(j, "notes", NULL)), 4); /* blind, a, b, missing */
}

static void test_rates_that_differ(void **state)
{
	_cleanup_sidecar_merge_ struct sidecar_merge *m = sidecar_merge_new();
	_cleanup_json_ struct json *j = NULL;

	add(m, SIDECAR("a", 2, "x", "y", 100, 99, 1, 7, ""));
	add(m, SIDECAR("a", 2, "x", "y", 100, 999, 1, 7, ""));
	j = merged(m, 1);
	assert_int_equal(json_kind(j, at(j, "freq_hz", NULL)), JSON_NULL);
	assert_int_equal(json_count(j, at(j, "notes", NULL)), 3);
}

static void test_overflow(void **state)
{
	_cleanup_sidecar_merge_ struct sidecar_merge *m = sidecar_merge_new();

	assert_int_equal(add(m, "{\"samples\": {\"due\": 18446744073709551615}}"), 0);
	assert_int_equal(add(m, "{\"samples\": {\"due\": 1}}"), -EOVERFLOW);
}

/* Kinds that do not match, other members, lists of objects: nothing of it breaks the rest. */
static void test_odd_objects(void **state)
{
	static const char *const odd[] = {
		"{\"samples\": 3, \"host\": 5, \"cost\": [], \"notes\": {}, \"cpus\": \"x\"}",
		"{\"samples\": {\"due\": \"x\"}, \"host\": {\"a\": 1}, \"notes\": [1, {}, \"s\"]}",
		"{\"samples\": {\"due\": 7, \"deep\": {\"er\": {\"x\": 2}}}, \"extra\": {}}",
		"{\"start\": 5, \"end\": null, \"cost\": {\"bpf_ns_per_sample\": null}}",
	};

	for (int round = 0; round < 200; round++) {
		_cleanup_sidecar_merge_ struct sidecar_merge *m = sidecar_merge_new();
		_cleanup_json_ struct json *j = NULL;

		for (int i = 0; i < 6; i++)
			assert_int_equal(add(m, odd[test_random_below(4)]), 0);
		j = merged(m, 1);
		assert_int_equal(json_kind(j, JSON_ROOT), JSON_OBJECT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_rates_that_differ),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_odd_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
