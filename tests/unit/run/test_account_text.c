// SPDX-License-Identifier: GPL-2.0-or-later
/* Every number that is counted is told, in words or in the `.json`, or it says here why not. */
#include "unit/unit.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "run/account_text.h"
#include "util/mem.h"

static const struct capture_event clock_event = { .name = "cpu-clock", .is_clock = true };
static const struct capture_event hardware = { .name = "cache-misses" };

struct told_otherwise {
	size_t at, bytes;
	const char *why;
};
#define TOLD_OTHERWISE(type, member, why)                                \
	{                                                                \
		offsetof(type, member), sizeof(((type *)0)->member), why \
	}

static const struct told_otherwise of_sampler[] = {
	TOLD_OTHERWISE(struct sampler_stats, idle_task,
		       "what is not taken of idle CPUs goes by it"),
	TOLD_OTHERWISE(struct sampler_stats, not_taken_slack, "when a note is worth it"),
	TOLD_OTHERWISE(struct sampler_stats, weight.lost, "their sum is; each of waits"),
	TOLD_OTHERWISE(struct sampler_stats, throttled, "as a note"),
	TOLD_OTHERWISE(struct sampler_stats, bpf_ns, "by sample"),
	TOLD_OTHERWISE(struct sampler_stats, bpf_runs, "the kernel's count, which tests compare"),
	TOLD_OTHERWISE(struct sampler_stats, bpf_misses, "as a note"),
	TOLD_OTHERWISE(struct sampler_stats, unwoken_ns, "in microseconds"),
	TOLD_OTHERWISE(struct sampler_stats, user_bytes, "part of what the process has"),
	TOLD_OTHERWISE(struct sampler_stats, tables.maps.nr_tables,
		       "how full maps are: tests look"),
	TOLD_OTHERWISE(struct sampler_stats, tables.maps.row_bytes, "in MiB"),
	TOLD_OTHERWISE(struct sampler_stats, tables.maps.slab_bytes, "in MiB"),
	TOLD_OTHERWISE(struct sampler_stats, tables.maps.limits, "with those of all others"),
	TOLD_OTHERWISE(struct sampler_stats, tables.nr_files, "how full maps are: tests look"),
	TOLD_OTHERWISE(struct sampler_stats, tables.preload_ns, "in seconds"),
};

/* A number that no other one is, and no part of one. */
static uint64_t number_of(size_t i)
{
	return UINT64_C(700000000) + 1001 * i;
}

static void fill(void *to, size_t bytes, size_t first)
{
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
		uint64_t n = number_of(first + i);

		memcpy((char *)to + i * sizeof(n), &n, sizeof(n));
	}
}

static char *all_text(const struct capture_account *a)
{
	const struct account_extra extra = { .host = "h" };
	_cleanup_json_ struct json *j = account_sidecar(a, &extra);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	json_write(f, j);
	account_text_write(f, a, &extra, true);
	fclose(f);
	return text;
}

static bool is_told(const char *text, uint64_t n)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%" PRIu64, n);
	return strstr(text, digits);
}

static bool is_excused(const struct told_otherwise *excuses, size_t nr, size_t at)
{
	for (size_t i = 0; i < nr; i++)
		if (at >= excuses[i].at && at < excuses[i].at + excuses[i].bytes)
			return true;
	return false;
}

/* What three captures tell together: by a clock, weighed by events of hardware, of waits. */
static char *three_texts(struct capture_account *a)
{
	_cleanup_free_ char *plain = NULL, *weighed = NULL, *waits = NULL;

	a->event = &clock_event;
	a->rate.freq_hz = 99;
	plain = all_text(a);
	a->event = &hardware;
	a->sampler.is_weighed = true;
	weighed = all_text(a);
	a->sampler.is_weighed = false;
	a->sampler.is_time = true;
	waits = all_text(a);
	return xasprintf("%s%s%s", plain, weighed, waits);
}

static void test_every_number_of_the_sampler(void **state)
{
	const size_t bytes = offsetof(struct sampler_stats, due_is_known);
	struct capture_account a = { 0 };
	_cleanup_free_ char *text = NULL;

	fill(&a.sampler, bytes, 0);
	text = three_texts(&a);
	for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
		bool told = is_told(text, number_of(at / sizeof(uint64_t)));

		if (told == is_excused(of_sampler, ARRAY_SIZE(of_sampler), at))
			fail_msg("the number at byte %zu of struct sampler_stats is %s", at,
				 told ? "told, and excused" : "told nowhere");
	}
}

static void test_every_number_of_the_collector(void **state)
{
	static const struct told_otherwise excuses[] = {
		TOLD_OTHERWISE(struct collector_stats, user_broken[EDDY_END_ROOT],
			       "of them nothing is broken"),
		TOLD_OTHERWISE(struct collector_stats, wait_us[EDDY_WAIT_NONE], "no wait"),
	};
	struct capture_account a = { 0 };
	_cleanup_free_ char *text = NULL;

	fill(&a.collector, sizeof(a.collector), 500);
	a.collector.user_broken[EDDY_END_ROOT] = 0;
	text = three_texts(&a);
	for (size_t at = 0; at < sizeof(a.collector); at += sizeof(uint64_t))
		if (!is_told(text, number_of(500 + at / sizeof(uint64_t))) &&
		    !is_excused(excuses, ARRAY_SIZE(excuses), at))
			fail_msg("the number at byte %zu of struct collector_stats is told nowhere",
				 at);
}

static void test_every_miss_and_worker(void **state)
{
	struct capture_account a = { 0 };
	_cleanup_free_ char *text = NULL;

	fill(a.symbolizer.misses, sizeof(a.symbolizer.misses), 1000);
	fill(a.limits.nr, sizeof(a.limits.nr), 2000);
	fill(&a.workers, sizeof(a.workers), 3000);
	a.workers.cpu_ns = 0; /* in seconds */
	text = three_texts(&a);
	for (size_t i = 0; i < ARRAY_SIZE(a.symbolizer.misses); i++)
		assert_true(is_told(text, number_of(1000 + i)));
	for (size_t i = 0; i < ARRAY_SIZE(a.limits.nr); i++)
		assert_true(is_told(text, number_of(2000 + i)));
	for (size_t i = 0; i < sizeof(a.workers) / sizeof(uint64_t); i++)
		assert_true(i == offsetof(struct worker_pool_stats, cpu_ns) / sizeof(uint64_t) ||
			    is_told(text, number_of(3000 + i)));
}

/* Of all samples: less than the whole is never 100 %. */
static void test_summary(void **state)
{
	struct capture_account a = {
		.event = &clock_event,
		.rate.freq_hz = 99,
		.seconds = 10,
		.sampler = { .due = 1980,
			     .due_is_known = true,
			     .delivered = 1980,
			     .idle = 980,
			     .kept = 1000,
			     .nr_cpus = 2 },
		.collector = { .user_total = 100000, .user_complete = 99999 },
	};
	const struct account_extra extra = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	account_text_write(f, &a, &extra, false);
	fclose(f);
	assert_string_equal(text,
			    "1000 samples in 10.0 s (2 CPUs x 99 Hz; 1980 expected, 980 idle, "
			    "0 lost); stacks whole 99.9 %\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_number_of_the_sampler),
		cmocka_unit_test(test_every_number_of_the_collector),
		cmocka_unit_test(test_every_miss_and_worker),
		cmocka_unit_test(test_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
