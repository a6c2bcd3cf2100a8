// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose functions are, of several files: joined, bounded, whatever the text is. */
#include "unit/unit.h"

#include "archive/sidecar_merge.h"
#include "archive/sidecar_modules.h"
#include "util/mem.h"
#include "util/strbuf.h"

static void join(struct json *sum, const char *text)
{
	_cleanup_json_ struct json *j = NULL;

	assert_int_equal(json_parse(text, strlen(text), &j, NULL), 0);
	sidecar_modules_join(sum, j);
}

static const char *functions(const struct json *j, const char *module)
{
	return json_string(j, json_member(j, json_member(j, JSON_ROOT, "modules"), module));
}

static void test_join(void **state)
{
	_cleanup_json_ struct json *sum = json_new();

	join(sum, "{}");
	assert_int_equal(json_member(sum, JSON_ROOT, "modules"), JSON_NONE);
	join(sum, "{\"modules\": {\"libc.so.6\": \"free;malloc\", \"app\": \"main\"}}");
	join(sum, "{\"modules\": {\"libc.so.6\": \"calloc;malloc\", \"nf_nat\": \"fn_[k]\"}}");
	assert_string_equal(functions(sum, "libc.so.6"), "calloc;free;malloc");
	assert_string_equal(functions(sum, "app"), "main");
	assert_string_equal(functions(sum, "nf_nat"), "fn_[k]");
}

static void test_other_forms(void **state)
{
	_cleanup_json_ struct json *sum = json_new();

	join(sum, "{\"modules\": [1]}");
	join(sum, "{\"modules\": {\"a\": 3, \"b\": {\"c\": \"d\"}, \"e\": \"\", \"\": \"x\"}}");
	join(sum, "{\"modules\": {\"a\": \";;z;y;;z;\"}}");
	join(sum, "{\"modules\": {\"a\": \"y;x\"}}");
	assert_string_equal(functions(sum, "a"), "x;y;z");
	assert_string_equal(functions(sum, "b"), "");
}

/* No more than the bound, and what was in it stays readable. */
static void test_bound(void **state)
{
	_cleanup_json_ struct json *sum = json_new();
	size_t bytes = 0;
	json_id object;

	for (int i = 0; i < 700; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "{\"modules\": {\"m%d\": \"", i % 600);
		for (int k = 0; k < 40; k++)
			strbuf_addf(&text, "%sfunction_%d_%d", k ? ";" : "", i, k);
		strbuf_addstr(&text, "\"}}");
		join(sum, text.bytes);
	}
	object = json_member(sum, JSON_ROOT, "modules");
	assert_true(json_count(sum, object) <= SIDECAR_MODULES_MAX);
	for (json_id id = json_first(sum, object); id != JSON_NONE; id = json_next(sum, id))
		bytes += strlen(json_name(sum, id)) + strlen(json_string(sum, id));
	assert_true(bytes <= SIDECAR_MODULES_MAX_BYTES);
	assert_true(bytes > SIDECAR_MODULES_MAX_BYTES / 2);
}

/* As eddy merge does it: no list that is added up, no number. */
static void test_merge(void **state)
{
	static const char *const texts[] = { "{\"modules\": {\"app\": \"main\"}}",
					     "{\"modules\": {\"app\": \"f\"}}" };
	_cleanup_sidecar_merge_ struct sidecar_merge *m = sidecar_merge_new();

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_json_ struct json *j = NULL;

		assert_int_equal(json_parse(texts[i], strlen(texts[i]), &j, NULL), 0);
		assert_int_equal(sidecar_merge_add(m, j, NULL), 0);
	}
	assert_string_equal(functions(sidecar_merge_json(m), "app"), "f;main");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_other_forms),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
