// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of events as perf has them; codes are those of perf_event_open(2). */
#include "capture/event_name.h"

#include <linux/perf_event.h>

#include "unit/unit.h"

static struct event_code parsed(const char *name)
{
	struct event_code code;
	struct diag diag = { "" };
	int r = event_name_parse("/nowhere", name, &code, &diag);

	if (r)
		fail_msg("%s: %d %s", name, r, diag.text);
	return code;
}

static void check(const char *name, uint32_t type, uint64_t config)
{
	struct event_code code = parsed(name);

	assert_int_equal(code.type, type);
	assert_int_equal(code.config[0], config);
	assert_false(code.exclude_user || code.exclude_kernel || code.exclude_hv);
}

static void test_names(void **state)
{
	check("cpu-clock", PERF_TYPE_SOFTWARE, 0);
	check("faults", PERF_TYPE_SOFTWARE, 2);
	check("cgroup-switches", PERF_TYPE_SOFTWARE, 11);
	check("cycles", PERF_TYPE_HARDWARE, 0);
	check("branch-instructions", PERF_TYPE_HARDWARE, 4);
	check("idle-cycles-backend", PERF_TYPE_HARDWARE, 8);
	assert_true(parsed("cpu-cycles").is_cycles);
	assert_false(parsed("ref-cycles").is_cycles);
}

/* perf_event_open(2): cache | operation << 8 | result << 16 */
static void test_caches(void **state)
{
	check("LLC-load-misses", PERF_TYPE_HW_CACHE, 2 | 0 << 8 | 1 << 16);
	check("LLC-loads", PERF_TYPE_HW_CACHE, 2);
	check("L1-dcache-stores", PERF_TYPE_HW_CACHE, 0 | 1 << 8);
	check("L1-icache-load-misses", PERF_TYPE_HW_CACHE, 1 | 1 << 16);
	check("dTLB-store-misses", PERF_TYPE_HW_CACHE, 3 | 1 << 8 | 1 << 16);
	check("itlb-loads", PERF_TYPE_HW_CACHE, 4);
	check("branch-load-misses", PERF_TYPE_HW_CACHE, 5 | 1 << 16);
	check("branch-misses", PERF_TYPE_HARDWARE, 5);
	check("node-prefetch-misses", PERF_TYPE_HW_CACHE, 6 | 2 << 8 | 1 << 16);
	check("LLC-misses", PERF_TYPE_HW_CACHE, 2 | 1 << 16);
	check("L1-data-speculative-read-refs", PERF_TYPE_HW_CACHE, 0 | 2 << 8);
}

static void test_raw(void **state)
{
	check("r01c2", PERF_TYPE_RAW, 0x1c2);
	check("rFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX);
}

static void test_modifiers(void **state)
{
	struct event_code code = parsed("cycles:u");

	assert_true(code.exclude_kernel && code.exclude_hv && !code.exclude_user);
	assert_int_equal(code.precision, EVENT_PRECISION_NONE);
	code = parsed("r01c2:kpp");
	assert_true(code.exclude_user && code.exclude_hv && !code.exclude_kernel);
	assert_int_equal(code.precision, EVENT_PRECISION_EXACTLY);
	assert_int_equal(code.precise, 2);
	code = parsed("LLC-loads:uk");
	assert_true(code.exclude_hv && !code.exclude_user && !code.exclude_kernel);
	code = parsed("instructions:P");
	assert_int_equal(code.precision, EVENT_PRECISION_HIGHEST);
	assert_false(code.exclude_user);
}

static void test_others(void **state)
{
	static const char *const tracepoints[] = { "sched:sched_switch", "cs2:u", "rad:event",
						   "node:load" };
	static const struct {
		const char *name, *why;
	} refused[] = {
		{ "bicycles", "did you mean" },
		{ "LLC-foo", "no event 'LLC-foo'" },
		{ "LLC-loads-x", "no event" },
		{ "r", "no event" },
		{ "r12345678901234567", "no event" },
		{ "rxyz", "no event" },
		{ "cycles:x", "not 'x'" },
		{ "cycles:", "not ''" },
		{ "cycles:pppp", "three p" },
		{ "cycles:pP", "p or P" },
		{ "cpu-clock:u", "--user-only" },
		{ "", "no event" },
	};
	struct event_code code;
	struct diag diag;

	for (size_t i = 0; i < sizeof(tracepoints) / sizeof(*tracepoints); i++)
		assert_int_equal(event_name_parse("/nowhere", tracepoints[i], &code, &diag), 1);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		diag.text[0] = '\0';
		assert_int_equal(event_name_parse("/nowhere", refused[i].name, &code, &diag),
				 -EINVAL);
		if (!strstr(diag.text, refused[i].why))
			fail_msg("%s: %s", refused[i].name, diag.text);
	}
	assert_int_equal(event_name_parse("/nowhere", "cpu/event=1/", &code, &diag), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),  cmocka_unit_test(test_caches),
		cmocka_unit_test(test_raw),    cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests_name("event_name", tests, NULL, NULL);
}
