// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames and names are interned once, whether made from text or by hand. */
#include "unit/unit.h"

#include <stdio.h>

#include "profile/frame.h"
#include "profile/frame_text.h"
#include "util/mem.h"

/* The cache in front of the tables answers as the tables do, with far more names than it holds. */
static void test_text_again(void **state)
{
	static const char *const suffixes[] = { "", "_[k]", "_[j]", "_[i]", "_[x]" };
	enum { NR = 200000 };
	struct frame_table *t = frame_table_new();
	frame_id *ids = calloc(NR, sizeof(*ids));
	char name[32];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < NR; i++) {
			int len = snprintf(name, sizeof(name), "f%d%s", i / 5, suffixes[i % 5]);
			frame_id id = frame_table_add_text(t, name, len);

			if (round)
				assert_int_equal(id, ids[i]);
			ids[i] = id;
		}
		assert_int_equal(frame_table_nr(t), NR + 1);
	}
	frame_table_unref(t);
	free(ids);
}

/* Text frames and frames made by hand are the same when their identity is. */
static void test_text_and_add(void **state)
{
	struct frame_table *t = frame_table_new();
	struct frame f = { .name = frame_table_intern0(t, "read"), .origin = FRAME_KERNEL };
	frame_id id = frame_table_add(t, &f);

	assert_int_equal(frame_table_add_text(t, "read_[k]", 8), id);
	f.start = 16;
	assert_int_not_equal(frame_table_add(t, &f), id);
	f.start = 0;
	f.module = frame_table_intern0(t, "kernel");
	assert_int_not_equal(frame_table_add(t, &f), id);
	assert_int_equal(frame_table_add_text(t, "read_[k]", 8), id);
	frame_table_unref(t);
}

/* Names are bytes: NULs and one byte of difference count. */
static void test_bytes(void **state)
{
	struct frame_table *t = frame_table_new();
	frame_id a = frame_table_add_text(t, "a\0b", 3), b = frame_table_add_text(t, "a\0c", 3);
	frame_id none = frame_table_add_text(t, "", 0);
	size_t len;

	assert_int_not_equal(a, b);
	assert_memory_equal(frame_table_name(t, a, &len), "a\0b", 4);
	assert_int_equal(len, 3);
	assert_int_equal(frame_table_add_text(t, "", 0), none);
	assert_string_equal(frame_table_name(t, none, NULL), "");
	assert_int_not_equal(none, FRAME_NONE);
	frame_table_unref(t);
}

/* "NAME at FILE:LINE" is a name and its place, and is written as it was read. */
static void test_place(void **state)
{
	static const struct {
		const char *text, *name, *file;
		uint32_t line;
		enum frame_origin origin;
	} rows[] = {
		{ "f at a.c:12", "f", "a.c", 12, FRAME_USER },
		{ "g at /x/a b.c:4294967295_[k]", "g", "/x/a b.c", 4294967295, FRAME_KERNEL },
		{ "h at d:e.c:1_[i]", "h", "d:e.c", 1, FRAME_INLINED },
		{ "h at look at me.c:7", "h", "look at me.c", 7, FRAME_USER },
		{ "f at a.c:4294967296", NULL, NULL, 0, FRAME_USER },
		{ "f at a.c:4294967297", NULL, NULL, 0, FRAME_USER },
		{ "f at a.c:012", NULL, NULL, 0, FRAME_USER },
		{ "f at a.c:0", NULL, NULL, 0, FRAME_USER },
		{ "f at a.c:", NULL, NULL, 0, FRAME_USER },
		{ "f at :12", NULL, NULL, 0, FRAME_USER },
		{ " at a.c:12", NULL, NULL, 0, FRAME_USER },
		{ "f (a.c:12)", NULL, NULL, 0, FRAME_USER },
		{ "f a.c:12", NULL, NULL, 0, FRAME_USER },
		{ "f:12", NULL, NULL, 0, FRAME_USER },
		{ ":12", NULL, NULL, 0, FRAME_USER },
		{ "12", NULL, NULL, 0, FRAME_USER },
		{ "f at a.c:99999999999999999999", NULL, NULL, 0, FRAME_USER },
	};
	struct frame_table *t = frame_table_new();
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const size_t row = i % ARRAY_SIZE(rows);
		frame_id id = frame_table_add_text(t, rows[row].text, strlen(rows[row].text));
		const struct frame *f = frame_table_get(t, id);

		assert_string_equal(frame_table_name(t, id, NULL),
				    rows[row].name ?: rows[row].text);
		assert_string_equal(frame_table_str(t, f->file, NULL), rows[row].file ?: "");
		assert_int_equal(f->line, rows[row].line);
		assert_int_equal(f->origin, rows[row].origin);
		strbuf_reset(&text);
		frame_text_add(&text, t, id, false);
		assert_string_equal(text.bytes, rows[row].text);
	}
	frame_table_unref(t);
}

/* What is left of a frame without its line is the function, known before or not. */
static void test_without_line(void **state)
{
	struct frame_table *t = frame_table_new();
	frame_id a = frame_table_add_text(t, "f at a.c:12_[k]", 15);
	frame_id b = frame_table_add_text(t, "f at b.c:3_[k]", 14);
	frame_id f = frame_table_add_text(t, "f_[k]", 5);

	assert_int_not_equal(a, b);
	assert_int_equal(frame_table_without_line(t, a), f);
	assert_int_equal(frame_table_without_line(t, b), f);
	assert_int_equal(frame_table_without_line(t, f), f);
	frame_table_unref(t);
}

static void test_origins(void **state)
{
	assert_string_equal(frame_origin_mark(FRAME_KERNEL), "[k]");
	assert_string_equal(frame_origin_mark(FRAME_JIT), "[j]");
	assert_string_equal(frame_origin_mark(FRAME_INLINED), "[i]");
	assert_string_equal(frame_origin_mark(FRAME_USER), "");
	assert_string_equal(frame_origin_mark(FRAME_BASE), "");
	assert_string_equal(frame_origin_suffix(FRAME_KERNEL), "_[k]");
	assert_string_equal(frame_origin_suffix(FRAME_USER), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_again),   cmocka_unit_test(test_text_and_add),
		cmocka_unit_test(test_bytes),	     cmocka_unit_test(test_place),
		cmocka_unit_test(test_without_line), cmocka_unit_test(test_origins),
	};

	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
