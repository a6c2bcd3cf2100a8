// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows merged in memory: every number, and the same as merging their files. */
#include "unit/unit.h"

#include "archive/sidecar.h"
#include "archive/sidecar_merge.h"
#include "archive/sidecar_rule.h"
#include "util/mem.h"

static const struct json_style hide_zero = { .hide_zero = true };

static json_id at(const struct json *j, const char *a, const char *b)
{
	json_id id = json_member(j, JSON_ROOT, a);

	return b ? json_member(j, id, b) : id;
}

static uint64_t integer(const struct json *j, const char *a, const char *b)
{
	return json_integer(j, at(j, a, b));
}

/* The names stand in one text, "due delivered idle". */
static void add_counts(struct json *j, const char *object, const char *names,
		       const uint64_t *values)
{
	json_id id = json_add(j, JSON_ROOT, object, JSON_OBJECT);
	_cleanup_free_ char *copy = xstrdup(names);
	char *rest = copy, *name;

	while ((name = strsep(&rest, " ")))
		json_set_style(j, json_add_integer(j, id, name, *values++), hide_zero);
}

static struct json *make(uint64_t start_ms, uint64_t freq_hz)
{
	struct json *j = json_new();
	json_id cost;

	json_add_integer(j, JSON_ROOT, "version", 1);
	json_add_string(j, JSON_ROOT, "host", "h");
	json_add_string(j, JSON_ROOT, "event", "cpu-clock");
	json_add_integer(j, JSON_ROOT, "freq_hz", freq_hz);
	json_set_style(j, json_add_integer(j, JSON_ROOT, "period", 0), hide_zero);
	json_add_integer(j, JSON_ROOT, "cpus", 2);
	sidecar_add_time(j, "start", start_ms);
	sidecar_add_time(j, "end", start_ms + 1000);
	add_counts(j, "samples", "due delivered idle filtered kept lost",
		   (const uint64_t[]){ 10, 9, 1, 2, 3, 3 });
	add_counts(j, "weight", "due delivered idle filtered kept lost",
		   (const uint64_t[]){ 1000, 900, 100, 200, 300, 300 });
	json_set_style(j, json_add_integer(j, JSON_ROOT, "dropped", 0), hide_zero);
	add_counts(j, "losses", "map-full ring-full", (const uint64_t[]){ 0, 0 });
	json_add_integer(j, JSON_ROOT, "distinct_stacks", 5);
	cost = json_add(j, JSON_ROOT, "cost", JSON_OBJECT);
	json_set_number(j, json_add(j, cost, "bpf_ns_per_sample", JSON_NUMBER), 1000);
	json_set_number(j, json_add(j, cost, "cpu_seconds", JSON_NUMBER), 0.25);
	json_add_integer(j, cost, "max_rss_bytes", 4096);
	json_add_integer(j, cost, "rss_bytes", 2048);
	json_add(j, JSON_ROOT, "notes", JSON_ARRAY);
	return j;
}

static void test_sum(void **state)
{
	struct json *a = make(1000, 100);
	_cleanup_json_ struct json *b = make(2000, 101);
	_cleanup_sidecar_merge_ struct sidecar_merge *m = NULL;
	const struct json *s;
	json_id notes;

	sidecar_note(a, "one");
	sidecar_note(a, "two");
	sidecar_note(b, "one");
	sidecar_note(b, "three");
	json_set_integer(a, at(a, "losses", "ring-full"), 2);
	json_add_integer(b, at(b, "losses", NULL), "map-busy", 3);
	json_set_integer(b, at(b, "cpus", NULL), 4);
	json_set_number(b, at(b, "cost", "bpf_ns_per_sample"), 4000);
	json_set_integer(b, at(b, "samples", "delivered"), 18);
	json_set_integer(b, at(b, "cost", "max_rss_bytes"), 100);
	m = sidecar_merge_new_windows(a);
	assert_int_equal(sidecar_merge_add(m, b, NULL), 0);
	s = sidecar_merge_json(m);
	assert_int_equal(integer(s, "version", NULL), 1);
	assert_string_equal(json_string(s, at(s, "event", NULL)), "cpu-clock");
	assert_string_equal(json_string(s, at(s, "start", NULL)), "1970-01-01T00:00:01.000Z");
	assert_string_equal(json_string(s, at(s, "end", NULL)), "1970-01-01T00:00:03.000Z");
	assert_int_equal(json_kind(s, at(s, "freq_hz", NULL)), JSON_NULL);
	assert_int_equal(integer(s, "cpus", NULL), 4);
	assert_int_equal(integer(s, "samples", "due"), 20);
	assert_int_equal(integer(s, "samples", "delivered"), 27);
	assert_int_equal(integer(s, "samples", "kept"), 6);
	assert_int_equal(integer(s, "samples", "lost"), 6);
	assert_int_equal(integer(s, "weight", "delivered"), 1800);
	assert_int_equal(json_count(s, at(s, "losses", NULL)), 3);
	assert_int_equal(integer(s, "losses", "ring-full"), 2);
	assert_int_equal(integer(s, "losses", "map-busy"), 3);
	assert_true(json_number(s, at(s, "cost", "bpf_ns_per_sample")) == 3000);
	assert_true(json_number(s, at(s, "cost", "cpu_seconds")) == 0.5);
	assert_int_equal(integer(s, "cost", "max_rss_bytes"), 4096);
	notes = at(s, "notes", NULL);
	assert_int_equal(json_count(s, notes), 4);
	notes = json_next(s, json_first(s, notes));
	assert_string_equal(json_string(s, notes), "two");
	notes = json_next(s, notes);
	assert_string_equal(json_string(s, notes), SIDECAR_RATES_DIFFER);
	assert_string_equal(json_string(s, json_next(s, notes)), "three");
}

/* The clock was set back between them: the order tells more than the times. */
static void test_clock_set_back(void **state)
{
	_cleanup_json_ struct json *b = make(1000, 99);
	_cleanup_sidecar_merge_ struct sidecar_merge *m =
		sidecar_merge_new_windows(make(100000, 99));
	const struct json *s = sidecar_merge_json(m);

	sidecar_merge_add(m, b, NULL);
	assert_string_equal(json_string(s, at(s, "start", NULL)), "1970-01-01T00:01:40.000Z");
	assert_string_equal(json_string(s, at(s, "end", NULL)), "1970-01-01T00:00:02.000Z");
}

/* Windows that wait for days, again and again merged, take no more room. */
static void test_bytes(void **state)
{
	_cleanup_json_ struct json *b = make(1000, 49);
	_cleanup_sidecar_merge_ struct sidecar_merge *m =
		sidecar_merge_new_windows(make(100000, 99));
	size_t bytes;

	sidecar_merge_add(m, b, NULL);
	bytes = sidecar_merge_bytes(m);
	for (int i = 0; i < 1000; i++)
		sidecar_merge_add(m, b, NULL);
	assert_int_equal(sidecar_merge_bytes(m), bytes);
	assert_int_equal(integer(sidecar_merge_json(m), "samples", "due"), 10020);
}

static struct json *written(const struct json *j)
{
	_cleanup_free_ char *text = NULL;
	struct json *back = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	json_write(f, j);
	fclose(f);
	assert_int_equal(json_parse(text, len, &back, NULL), 0);
	return back;
}

/* Every number of the first object is the second's, but for those of the second alone. */
static void expect_same(const struct json *a, json_id in_a, const struct json *b, json_id in_b)
{
	for (json_id x = json_first(a, in_a); x != JSON_NONE; x = json_next(a, x)) {
		json_id y = json_member(b, in_b, json_name(a, x));

		if (!strcmp(json_name(a, x), "notes"))
			continue;
		if (y == JSON_NONE)
			fail_msg("%s is not there", json_name(a, x));
		assert_int_equal(json_kind(a, x) == JSON_NULL, json_kind(b, y) == JSON_NULL);
		assert_true(json_number(a, x) - json_number(b, y) < 0.11 &&
			    json_number(b, y) - json_number(a, x) < 0.11);
		assert_string_equal(json_string(a, x), json_string(b, y));
		if (json_kind(a, x) == JSON_OBJECT)
			expect_same(a, x, b, y);
	}
}

/* Windows merged in memory and then written, and written and then merged, say the same. */
static void test_as_files(void **state)
{
	for (int round = 0; round < 200; round++) {
		_cleanup_sidecar_merge_ struct sidecar_merge *files = sidecar_merge_new();
		_cleanup_sidecar_merge_ struct sidecar_merge *windows = NULL;
		_cleanup_json_ struct json *in_memory = NULL, *of_files = NULL;
		_cleanup_free_ char *text = NULL;
		size_t len;
		FILE *f;

		for (int i = 0; i < 5; i++) {
			struct json *s = make(1000 * i, test_random() % 8 ? 99 : 49);
			_cleanup_json_ struct json *file = NULL;
			json_id ns = at(s, "cost", "bpf_ns_per_sample");

			sidecar_set_integer(s, JSON_ROOT, "period", round % 2);
			sidecar_set_integer(s, JSON_ROOT, "cpus", 1 + test_random() % 4);
			sidecar_set_integer(s, at(s, "samples", NULL), "delivered",
					    1 + test_random() % 100);
			sidecar_set_integer(s, JSON_ROOT, "dropped", 1 + test_random() % 5);
			sidecar_set_integer(s, at(s, "losses", NULL), "ring-full",
					    test_random() % 3);
			sidecar_set_integer(s, at(s, "cost", NULL), "rss_bytes",
					    test_random() % 1000);
			if (!i || test_random() % 3)
				json_set_number(s, ns, test_random() % 5000);
			else
				json_set_null(s, ns);
			file = written(s);
			assert_int_equal(sidecar_merge_add(files, file, NULL), 0);
			if (!windows) {
				windows = sidecar_merge_new_windows(s);
				continue;
			}
			sidecar_merge_add(windows, s, NULL);
			json_free(s);
		}
		sidecar_set_integer(sidecar_merge_json(windows), JSON_ROOT, "distinct_stacks", 7);
		in_memory = written(sidecar_merge_json(windows));
		f = open_memstream(&text, &len);
		sidecar_merge_write(f, files, 7);
		fclose(f);
		assert_int_equal(json_parse(text, len, &of_files, NULL), 0);
		expect_same(in_memory, JSON_ROOT, of_files, JSON_ROOT);
	}
}

static void test_lose_and_note(void **state)
{
	_cleanup_json_ struct json *s = make(0, 99);
	size_t before = json_bytes(s), nr = 0;
	json_id last = JSON_NONE;

	sidecar_lose_kept(s, "window-memory");
	assert_int_equal(integer(s, "samples", "kept"), 0);
	assert_int_equal(integer(s, "samples", "lost"), 6);
	assert_int_equal(integer(s, "losses", "window-memory"), 3);
	assert_int_equal(integer(s, "weight", "kept"), 0);
	assert_int_equal(integer(s, "weight", "lost"), 600);
	for (int i = 0; i < 1000; i++)
		sidecar_note(s, "note %d", i % 500);
	for (json_id e = json_first(s, at(s, "notes", NULL)); e != JSON_NONE; e = json_next(s, e)) {
		last = e;
		nr++;
	}
	assert_true(nr > 10 && nr < 100);
	assert_non_null(strstr(json_string(s, last), "more"));
	assert_true(json_bytes(s) > before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum),	 cmocka_unit_test(test_clock_set_back),
		cmocka_unit_test(test_bytes),	 cmocka_unit_test(test_lose_and_note),
		cmocka_unit_test(test_as_files),
	};

	return cmocka_run_group_tests_name("sidecar_windows", tests, NULL, NULL);
}
