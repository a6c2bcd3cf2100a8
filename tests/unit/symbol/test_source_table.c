// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of places: what is built comes back, what was tampered with does not. */
#include "unit/unit.h"

#include "symbol/source_table.h"

/* Address 0: f > g > h; 1: nothing; 2: f. */
static struct source_builder *build(void)
{
	struct source_builder *b = source_builder_new(3);
	uint32_t f = source_builder_string(b, "f", 1), g = source_builder_string(b, "g", 1);
	uint32_t h = source_builder_string(b, "h", 1), file = source_builder_string(b, "a.c", 3);

	assert_true(source_builder_enter(b, 0, 1, 0, f));
	assert_true(source_builder_enter(b, 2, 1, 0, f));
	source_builder_at(b, 0, file, 10);
	assert_true(source_builder_enter(b, 0, 2, 1, g));
	source_builder_at(b, 0, file, 20);
	source_builder_at(b, 0, file, 21); /* it is known already */
	assert_true(source_builder_enter(b, 0, 3, 2, h));
	source_builder_at(b, 0, file, 30);
	source_builder_at(b, 1, file, 40); /* of no function */
	return b;
}

static void entering(void **state)
{
	_cleanup_(source_builder_freep) struct source_builder *b = build();

	assert_false(source_builder_enter(b, 0, 4, 1, 0)); /* it is in 3 */
	assert_false(source_builder_enter(b, 0, 4, 0, 0));
	assert_false(source_builder_enter(b, 1, 4, 1, 0)); /* it is in none */
	assert_true(source_builder_is_in(b, 0, 3));
	assert_true(source_builder_is_in(b, 1, 0));
	assert_true(source_builder_has(b, 2));
	assert_false(source_builder_has(b, 1));
	for (uint32_t scope = 3; scope < SOURCE_MAX_DEPTH; scope++)
		assert_true(source_builder_enter(b, 0, scope + 1, scope, 0));
	assert_false(source_builder_enter(b, 0, SOURCE_MAX_DEPTH + 1, SOURCE_MAX_DEPTH, 0));
}

static void is_frame(const struct source_table *t, size_t i, const char *name, uint32_t line)
{
	assert_string_equal(source_table_string(t, t->frames[i].name), name);
	assert_int_equal(t->frames[i].line, line);
	assert_string_equal(source_table_string(t, t->frames[i].file), line ? "a.c" : "");
}

static void there_and_back(void **state)
{
	_cleanup_(source_builder_freep) struct source_builder *b = build();
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_source_table_ struct source_table *t = NULL;

	source_builder_nameless(b);
	source_builder_split(b);
	source_builder_split(b);
	source_builder_pack(b, &bytes);
	assert_null(source_table_unpack(bytes.bytes, bytes.len, 2)); /* 3 were asked for */
	t = source_table_unpack(bytes.bytes, bytes.len, 3);
	assert_non_null(t);
	assert_int_equal(t->nr, 3);
	assert_int_equal(t->nr_nameless, 1);
	assert_int_equal(t->nr_split, 2);
	assert_int_equal(t->places[0].nr, 3);
	assert_int_equal(t->places[1].nr, 0);
	assert_int_equal(t->places[2].nr, 1);
	is_frame(t, t->places[0].first, "f", 10);
	is_frame(t, t->places[0].first + 1, "g", 20);
	is_frame(t, t->places[0].first + 2, "h", 30);
	is_frame(t, t->places[2].first, "f", 0);
}

/* Each number of the head and of the frames, larger: lengths do not add up, or names are none. */
static void tampered(void **state)
{
	_cleanup_(source_builder_freep) struct source_builder *b = build();
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	const size_t frames = (6 + 3) * sizeof(uint32_t);

	source_builder_pack(b, &bytes);
	for (size_t len = 0; len < bytes.len; len++)
		assert_null(source_table_unpack(bytes.bytes, len, 3));
	for (size_t at = 0; at < frames; at += sizeof(uint32_t)) {
		uint32_t was, is;

		memcpy(&was, bytes.bytes + at, sizeof(was));
		is = was + 1;
		memcpy(bytes.bytes + at, &is, sizeof(is));
		/* How many have no name, or are split, is only told. */
		if (at != 4 * sizeof(uint32_t) && at != 5 * sizeof(uint32_t))
			assert_null(source_table_unpack(bytes.bytes, bytes.len, 3));
		memcpy(bytes.bytes + at, &was, sizeof(was));
	}
	for (size_t i = 0; i < 4; i++) {
		struct source_frame f, bad;
		char *at = bytes.bytes + frames + i * sizeof(f);

		memcpy(&f, at, sizeof(f));
		bad = f;
		bad.name += 1; /* into the middle, behind its NUL it would be another one */
		memcpy(at, &bad, sizeof(bad));
		assert_null(source_table_unpack(bytes.bytes, bytes.len, 3));
		bad = f;
		bad.file = 1u << 30;
		memcpy(at, &bad, sizeof(bad));
		assert_null(source_table_unpack(bytes.bytes, bytes.len, 3));
		memcpy(at, &f, sizeof(f));
	}
	bytes.bytes[bytes.len - 1] = 'x'; /* no end */
	assert_null(source_table_unpack(bytes.bytes, bytes.len, 3));
}

static void long_names(void **state)
{
	_cleanup_(source_builder_freep) struct source_builder *b = source_builder_new(1);
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_source_table_ struct source_table *t = NULL;
	_cleanup_free_ char *name = calloc(1, 2 * SOURCE_NAME_BYTES);

	memset(name, 'n', 2 * SOURCE_NAME_BYTES - 1);
	source_builder_enter(b, 0, 1, 0, source_builder_string(b, name, SIZE_MAX));
	source_builder_pack(b, &bytes);
	t = source_table_unpack(bytes.bytes, bytes.len, 1);
	assert_non_null(t);
	assert_int_equal(strlen(source_table_string(t, t->frames[0].name)), SOURCE_NAME_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entering),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(tampered),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
