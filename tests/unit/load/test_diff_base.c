// SPDX-License-Identifier: GPL-2.0-or-later
/* By what two sides are compared: as asked, or as their `.json` files tell. */
#include "unit/unit.h"

#include <errno.h>

#include "load/diff_base.h"
#include "util/mem.h"

static void add(struct diff_facts *f, const char *text)
{
	_cleanup_json_ struct json *j = NULL;
	struct diag diag = { "" };
	uint64_t due;

	assert_int_equal(json_parse(text, strlen(text), &j, &diag), 0);
	assert_true(diff_facts_add(f, j, &due));
}

#define CLOCK "\"event\": \"cpu-clock\", \"freq_hz\": 100, \"samples\": {\"due\": "

static void test_windows(void **state)
{
	struct diff_facts facts[NR_DIFF_SIDES] = { 0 };
	struct diff_base base = { .work = { 1, 1 } };

	add(&facts[DIFF_BEFORE], "{" CLOCK "2000}}");
	add(&facts[DIFF_BEFORE], "{" CLOCK "2000}}");
	add(&facts[DIFF_AFTER], "{" CLOCK "1000}}");
	assert_int_equal(diff_base_choose(facts, &base, NULL), 0);
	assert_int_equal(base.per, DIFF_PER_DUE);
	assert_int_equal(base.unit, DIFF_SECONDS);
	assert_true(base.is_due_known);
	assert_true(base.due_units[DIFF_BEFORE] > 39.99 && base.due_units[DIFF_BEFORE] < 40.01);
	assert_true(diff_base_exposure(&base, &facts[DIFF_AFTER], DIFF_AFTER, 1000, 77, 1) == 1000);
}

/* One run by one run, each with a command: what the work took. */
static void test_runs(void **state)
{
	struct diff_facts facts[NR_DIFF_SIDES] = { 0 };
	struct diff_base base = { .work = { 1, 1 } };

	add(&facts[DIFF_BEFORE], "{\"command\": \"make\", " CLOCK "2000}}");
	add(&facts[DIFF_AFTER], "{\"command\": \"make\", " CLOCK "1000}}");
	assert_int_equal(diff_base_choose(facts, &base, NULL), 0);
	assert_int_equal(base.per, DIFF_PER_CPU);
	assert_true(base.has_command[DIFF_BEFORE] && base.has_command[DIFF_AFTER]);
	/* All of a side is one unit of work, in samples' worth. */
	assert_true(diff_base_exposure(&base, &facts[DIFF_BEFORE], DIFF_BEFORE, 2000, 5, 1) ==
		    1 / base.of_sample[DIFF_BEFORE]);
}

/* A side without a `.json`: shares are all that can be compared, and more is refused. */
static void test_unknown(void **state)
{
	struct diff_facts facts[NR_DIFF_SIDES] = { 0 };
	struct diff_base base = { .work = { 1, 1 } };
	const struct diff_base_request due = { .per = "due" };
	struct diag diag = { "" };
	uint64_t none;

	add(&facts[DIFF_BEFORE], "{" CLOCK "2000}}");
	assert_false(diff_facts_add(&facts[DIFF_AFTER], NULL, &none));
	assert_int_equal(diff_base_choose(facts, &base, NULL), 0);
	assert_int_equal(base.per, DIFF_PER_SHARE);
	assert_true(diff_base_exposure(&base, &facts[DIFF_AFTER], DIFF_AFTER, 0, 77, 1) == 77);
	assert_int_equal(diff_base_parse(&due, &base, &diag), 0);
	assert_int_equal(diff_base_choose(facts, &base, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "--per due"));
}

static void test_asked(void **state)
{
	static const struct {
		struct diff_base_request request;
		const char *message;
	} bad[] = {
		{ { .per = "hour" }, "--per: 'hour' is not one of due, cpu, share" },
		{ { .per = "due", .work = "1:2" }, "--work is about CPU time: not with --per due" },
		{ { .work = "1" }, "--work: '1' is not BEFORE:AFTER" },
		{ { .work = "0:2" }, "--work: '0:2' is not BEFORE:AFTER" },
		{ { .work = "nan:2" }, "--work: 'nan:2' is not BEFORE:AFTER" },
	};
	const struct diff_base_request good = { .work = "1000:1500.5" };
	struct diff_base base;
	struct diag diag;

	assert_int_equal(diff_base_parse(&good, &base, &diag), 0);
	assert_true(base.per == DIFF_PER_CPU && base.has_work && base.is_asked);
	assert_true(base.work[DIFF_BEFORE] == 1000 && base.work[DIFF_AFTER] == 1500.5);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(diff_base_parse(&bad[i].request, &base, &diag), -EINVAL);
		assert_true(!strncmp(diag.text, bad[i].message, strlen(bad[i].message)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_asked),
	};

	return cmocka_run_group_tests_name("diff_base", tests, NULL, NULL);
}
