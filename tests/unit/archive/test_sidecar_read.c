// SPDX-License-Identifier: GPL-2.0-or-later
/* The .json beside a file: the samples due, no file at all, and files that are damaged. */
#include "unit/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "archive/sidecar_read.h"
#include "util/mem.h"

/* Reads what `text` is beside a file of stacks. */
static int read_text(const char *text, struct json **ret_json, struct diag *diag)
{
	char dir[] = "/tmp/eddy-sidecar.XXXXXX";
	_cleanup_free_ char *path = NULL, *json = NULL;
	int r;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/x.folded", dir);
	json = xasprintf("%s.json", path);
	if (text) {
		FILE *f = fopen(json, "w");

		fputs(text, f);
		fclose(f);
	}
	r = sidecar_read(path, ret_json, diag);
	unlink(json);
	rmdir(dir);
	return r;
}

static void test_due(void **state)
{
	_cleanup_json_ struct json *j = NULL, *zero = NULL, *below = NULL, *none = NULL;
	struct diag diag = { "" };
	uint64_t due;

	assert_int_equal(read_text("{\"samples\": {\"due\": 1980}}", &j, &diag), 0);
	assert_true(sidecar_due(j, &due));
	assert_int_equal(due, 1980);
	assert_int_equal(read_text("{\"samples\": {\"due\": 0}}", &zero, &diag), 0);
	assert_true(sidecar_due(zero, &due));
	assert_int_equal(due, 0);
	assert_int_equal(read_text("{\"samples\": {\"due\": -5}}", &below, &diag), 0);
	assert_false(sidecar_due(below, &due));
	assert_int_equal(read_text("{\"samples\": {}}", &none, &diag), 0);
	assert_false(sidecar_due(none, &due));
	assert_int_equal(due, 0);
}

static void test_unit(void **state)
{
	_cleanup_json_ struct json *plain = NULL, *events = NULL, *empty = NULL, *time = NULL;
	struct diag diag = { "" };

	assert_int_equal(read_text("{\"samples\": {\"kept\": 5, \"lost\": 5}}", &plain, &diag), 0);
	assert_int_equal(sidecar_unit(plain), SIDECAR_SAMPLES);
	assert_true(sidecar_samples_per_count(plain) == 1);
	assert_int_equal(
		read_text("{\"unit\": \"events\", \"samples\": {\"kept\": 3, \"lost\": 1}, "
			  "\"weight\": {\"kept\": 10, \"lost\": 6}}",
			  &events, &diag),
		0);
	assert_int_equal(sidecar_unit(events), SIDECAR_EVENTS);
	assert_true(sidecar_samples_per_count(events) == 0.25);
	assert_int_equal(read_text("{\"unit\": \"events\", \"samples\": {}}", &empty, &diag), 0);
	assert_true(sidecar_samples_per_count(empty) == 1);
	assert_int_equal(read_text("{\"unit\": \"microseconds\", \"samples\": {\"kept\": 7000, "
				   "\"lost\": 1000, \"waits\": 4}}",
				   &time, &diag),
			 0);
	assert_int_equal(sidecar_unit(time), SIDECAR_MICROSECONDS);
	assert_true(sidecar_samples_per_count(time) == 0.0005);
}

static void test_time(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} times[] = {
		{ "2026-11-20T10:00:00.000Z", UINT64_C(1795168800000) },
		{ "2026-11-20T10:00:00.507Z", UINT64_C(1795168800507) },
		{ "1969-12-31T23:59:59.000Z", 0 },
		{ "2026-11-20T10:00:00Z", 0 },
		{ "2026-11-20T10:00:00.0x0Z", 0 },
		{ "2026-13-20T10:00:00.000Z", 0 },
		{ "            10:00:00.000Z", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		_cleanup_free_ char *text =
			xasprintf("{\"samples\": {}, \"start\": \"%s\"}", times[i].text);
		_cleanup_json_ struct json *j = NULL;

		assert_int_equal(read_text(text, &j, NULL), 0);
		assert_int_equal(sidecar_time_ms(j, "start"), times[i].ms);
		assert_int_equal(sidecar_time_ms(j, "end"), 0);
	}
}

static void test_failures(void **state)
{
	_cleanup_free_ char *large = xmalloc(SIDECAR_MAX_BYTES + 2);
	struct json *j = NULL;
	struct diag diag = { "" };

	assert_int_equal(read_text(NULL, &j, &diag), -ENOENT);
	assert_string_equal(diag.text, "");
	assert_int_equal(read_text("[]", &j, &diag), -EINVAL);
	assert_int_equal(read_text("{}", &j, &diag), -EINVAL);
	assert_int_equal(read_text("{\"samples\": {", &j, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "x.folded.json: not JSON: at byte 13"));
	memset(large, ' ', SIDECAR_MAX_BYTES + 1);
	large[SIDECAR_MAX_BYTES + 1] = '\0';
	assert_int_equal(read_text(large, &j, &diag), -EINVAL);
	assert_null(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_unit),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
