// SPDX-License-Identifier: GPL-2.0-or-later
/* A capture and its file say the same of what a count is. */
#include "unit/unit.h"

#include "archive/count_unit.h"
#include "util/mem.h"

static char *of_text(const char *text)
{
	_cleanup_json_ struct json *j = NULL;
	struct diag diag = { "" };

	assert_int_equal(json_parse(text, strlen(text), &j, &diag), 0);
	return count_unit_of_sidecar(j);
}

static void test_samples(void **state)
{
	assert_null(of_text("{\"event\": \"cpu-clock\", \"freq_hz\": 99}"));
	/* A clock's period is a time, and each sample one sample. */
	assert_null(of_text("{\"event\": \"cpu-clock\", \"period\": 1000000}"));
	assert_null(of_text("{\"event\": \"task-clock\", \"period\": 1000000}"));
	assert_null(of_text("{\"event\": \"cache-misses\", \"period\": 1}"));
	assert_null(of_text("{}"));
	assert_null(count_unit_words(SIDECAR_SAMPLES, "cpu-clock", true, 1000));
}

static void test_others(void **state)
{
	_cleanup_free_ char *weighed = of_text("{\"event\": \"cycles\", \"unit\": \"events\"}");
	_cleanup_free_ char *time = of_text("{\"event\": \"x\", \"unit\": \"microseconds\"}");
	_cleanup_free_ char *fixed = of_text("{\"event\": \"cache-misses\", \"period\": 1000}");
	_cleanup_free_ char *live = count_unit_words(SIDECAR_SAMPLES, "cache-misses", false, 1000);

	assert_string_equal(weighed, "cycles, each sample weighed by its period");
	assert_string_equal(time, "microseconds");
	assert_string_equal(fixed, "samples, each stands for 1000 cache-misses");
	assert_string_equal(live, fixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests_name("count_unit", tests, NULL, NULL);
}
