// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON read and written again, made by hand, and written in a style. */
#include "unit/unit.h"

#include "util/json.h"
#include "util/mem.h"

static char *rewritten(const char *text)
{
	_cleanup_json_ struct json *j = NULL;
	char *out = NULL;
	size_t len;
	FILE *f;

	if (json_parse(text, strlen(text), &j, NULL) < 0)
		return NULL;
	f = open_memstream(&out, &len);
	json_write(f, j);
	fclose(f);
	return out;
}

static void test_written(void **state)
{
	static const char *const same[] = {
		"{}\n",
		"[]\n",
		"17\n",
		"\"x\"\n",
		"{\n  \"a\": 1,\n  \"\": [1, [], {}, {\"b\": 0.1}],\n  \"c\": \"q\\\"\\\\\"\n}\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		_cleanup_free_ char *out = rewritten(same[i]);

		assert_non_null(out);
		assert_string_equal(out, same[i]);
	}
}

static void test_made_by_hand(void **state)
{
	_cleanup_json_ struct json *j = json_new();
	_cleanup_free_ char *out = NULL;
	json_id list = json_add(j, JSON_ROOT, "list", JSON_ARRAY);
	size_t len;
	FILE *f;

	json_set_string(j, json_add(j, list, NULL, JSON_STRING), "a\001");
	json_set_integer(j, json_add(j, list, NULL, JSON_INTEGER), 5);
	json_set_bool(j, json_add(j, JSON_ROOT, "yes", JSON_BOOL), true);
	json_set_null(j, json_add(j, JSON_ROOT, "none", JSON_BOOL));
	f = open_memstream(&out, &len);
	json_write(f, j);
	fclose(f);
	assert_string_equal(out, "{\n  \"list\": [\"a\\\\x01\", 5],\n  \"yes\": true,\n  \"none\": "
				 "null\n}\n");
}

/* A string alone: of a length, NULs and all. */
static void test_strings(void **state)
{
	static const char bytes[] = "a\"\\\n\0\xff\xc3\xa9!";
	_cleanup_free_ char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	json_write_string(f, bytes, sizeof(bytes) - 2);
	json_write_string(f, "", 0);
	fclose(f);
	assert_string_equal(out, "\"a\\\"\\\\\\\\x0a\\\\x00\\\\xff\xc3\xa9\"\"\"");
}

/* Values that say how they are written, and their copies. */
static void test_style(void **state)
{
	_cleanup_json_ struct json *j = json_new(), *copy = NULL;
	_cleanup_free_ char *text = NULL;
	json_id o, id;
	size_t len;
	FILE *f;

	json_set_style(j, json_add_integer(j, JSON_ROOT, "no", 0),
		       (struct json_style){ .hide_zero = true });
	o = json_add(j, JSON_ROOT, "o", JSON_OBJECT);
	for (uint64_t i = 0; i < 4; i++) {
		const char name[] = { (char)('a' + i), '\0' };

		json_set_style(j, json_add_integer(j, o, name, i % 2),
			       (struct json_style){ .hide_zero = true });
	}
	id = json_add(j, o, "n", JSON_NUMBER);
	json_set_number(j, id, 2.5);
	json_set_style(j, id, (struct json_style){ .decimals = 3, .on_line = true });
	o = json_add(j, JSON_ROOT, "l", JSON_ARRAY);
	json_set_style(j, o, (struct json_style){ .lines = true });
	json_add_string(j, o, NULL, "one");
	id = json_add_string(j, o, NULL, "second");
	json_set_string(j, id, "two"); /* in its place */
	copy = json_copy(j);
	json_set_string(j, id, "something else");
	json_set_string(copy, id, "2");
	json_set_style(copy, json_add(copy, JSON_ROOT, "none", JSON_NULL),
		       (struct json_style){ .hide_zero = true });
	f = open_memstream(&text, &len);
	json_write(f, copy);
	fclose(f);
	assert_string_equal(text, "{\n  \"o\": {\"b\": 1, \"d\": 1,\n    \"n\": 2.500},\n"
				  "  \"l\": [\n    \"one\",\n    \"2\"\n  ]\n}\n");
	assert_string_equal(json_string(j, id), "something else");
	assert_true(json_bytes(copy) > sizeof(void *) && json_bytes(j) >= json_bytes(copy) / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_made_by_hand),
		cmocka_unit_test(test_style),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
