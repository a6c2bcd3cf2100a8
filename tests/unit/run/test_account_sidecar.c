// SPDX-License-Identifier: GPL-2.0-or-later
/* The .json of a capture, as a whole. */
#include "unit/unit.h"

#include <stdio.h>

#include "run/account_sidecar.h"
#include "util/mem.h"

static const struct capture_event cpu_clock = { .name = "cpu-clock", .is_clock = true };

static char *text_of(const struct capture_account *a, const struct account_extra *extra)
{
	_cleanup_json_ struct json *j = account_sidecar(a, extra);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	json_write(f, j);
	fclose(f);
	return text;
}

static void test_object(void **state)
{
	char *notes[] = { "a \"note\"", "back\\slash \x1b[31m\n\xff" };
	const struct capture_account a = {
		.event = &cpu_clock,
		.command = "a\"b",
		.filter = "pid, comm",
		.rate.freq_hz = 99,
		.start_ms = 1234567890123,
		.end_ms = 1234567891004,
		.sampler = { .nr_cpus = 2,
			     .due = 10,
			     .idle = 1,
			     .filtered = 2,
			     .kept = 3,
			     .lost[SAMPLER_LOST_RING_FULL] = 3,
			     .not_taken = { 4, 5, 6, 7 } },
		.nr_lost = 3,
		.collector = { .user_total = 5,
			       .user_complete = 2,
			       .user_fp = 1,
			       .user_code = 2,
			       .user_broken = { [EDDY_END_NOMAP] = 1, [EDDY_END_FAULT] = 2 } },
		.cpu_seconds = 0.25,
		.max_rss_bytes = 4096,
		.rss_bytes = 2048,
		.limits.nr = { [LIMIT_NAMES] = 4, [LIMIT_JIT] = 5 },
		.notes = notes,
		.nr_notes = 2,
	};
	const struct account_extra extra = { .dropped = 2, .host = "h\nost" };
	_cleanup_free_ char *text = text_of(&a, &extra);

	assert_non_null(strstr(text, "{\n  \"version\": 1,\n  \"host\": \"h\\\\x0aost\",\n"));
	assert_non_null(strstr(text, "\"command\": \"a\\\"b\",\n  \"filter\": \"pid, comm\","));
	assert_non_null(strstr(text, "\"freq_hz\": 99,\n  \"cpus\": 2,\n"));
	assert_non_null(strstr(text, "\"start\": \"2009-02-13T23:31:30.123Z\""));
	assert_non_null(strstr(text, "\"end\": \"2009-02-13T23:31:31.004Z\""));
	assert_non_null(strstr(text, "  \"samples\": {\"due\": 10, \"delivered\": 0, \"idle\": 1, "
				     "\"filtered\": 2, \"kept\": 3, \"lost\": 3},\n"
				     "  \"not_taken\": {\"idle\": 4, \"throttled\": 5, "
				     "\"stolen\": 6, \"busy\": 7},\n"
				     "  \"dropped\": 2,\n  \"losses\": {\"ring-full\": 3},\n"));
	assert_non_null(strstr(
		text,
		"\"user_stacks\": {\"total\": 5, \"complete\": 2, "
		"\"fp_steps\": 1, \"code_steps\": 2, \"broken\": {\"no-map\": 1, \"fault\": 2}"));
	assert_non_null(strstr(text,
			       ", \"exit_work\": 0,\n    \"agree\": 0, \"disagree\": 0, "
			       "\"silent\": 0,\n    \"matrix\": {\n      \"task\": {\"task\": "
			       "0, \"off\": 0, \"user\": 0},\n"));
	assert_non_null(strstr(text, "\"user\": 0}}},\n  \"cost\": {\"bpf_ns_per_sample\": null, "
				     "\"cpu_seconds\": 0.250, \"max_rss_bytes\": 4096, "
				     "\"rss_bytes\": 2048},\n"
				     "  \"limits\": {\"names\": 4, \"jit\": 5},\n"));
	assert_non_null(strstr(text, "  \"notes\": [\n    \"a \\\"note\\\"\",\n    \"back"));
	assert_string_equal(text + strlen(text) - 8, "\"\n  ]\n}\n");
	/* Nothing that JSON forbids in strings, whatever came in. */
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	assert_null(strchr(text, '\xff'));
}

/* What is mostly 0, or not always known, is not written then. */
/* Of hardware: for how long others had the counters. */
static void test_counter(void **state)
{
	const struct capture_event misses = { .name = "cache-misses" };
	const struct capture_account a = { .event = &misses,
					   .sampler = { .is_weighed = true,
							.enabled_ns = 100,
							.running_ns = 50 } },
				     clock = { .event = &cpu_clock };
	const struct account_extra extra = { 0 };
	_cleanup_free_ char *text = text_of(&a, &extra), *plain = text_of(&clock, &extra);

	assert_non_null(strstr(text, "\"counter\": {\"enabled_ns\": 100, \"running_ns\": 50}"));
	assert_null(strstr(plain, "counter"));
}

static void test_left_out(void **state)
{
	struct capture_account a = { .event = &cpu_clock, .rate.period = 1000 };
	const struct account_extra extra = { .host = "h" };
	_cleanup_free_ char *plain = text_of(&a, &extra), *weighed = NULL;

	a.sampler.is_weighed = true;
	a.sampler.weight.counted = 7;
	weighed = text_of(&a, &extra);
	assert_non_null(strstr(plain, "\"unit\": \"samples\",\n  \"root\": \"comm\",\n  "
				      "\"freq_hz\": 0,\n  \"period\": 1000,\n"));
	assert_non_null(strstr(plain, "\"losses\": {},\n"));
	assert_non_null(strstr(plain, "\"limits\": {},\n"));
	assert_non_null(strstr(plain, "\"broken\": {}}"));
	assert_non_null(strstr(plain, "\"notes\": []\n}\n"));
	assert_null(strstr(plain, "dropped"));
	assert_null(strstr(plain, "weight"));
	assert_null(strstr(plain, "command"));
	assert_null(strstr(plain, "filter\""));
	assert_non_null(strstr(weighed, "\"unit\": \"events\""));
	assert_non_null(strstr(weighed, "  \"weight\": {\"due\": 7, \"delivered\": 0, "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_object),
		cmocka_unit_test(test_counter),
		cmocka_unit_test(test_left_out),
	};

	return cmocka_run_group_tests_name("account_sidecar", tests, NULL, NULL);
}
