// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames and names are interned once, whether made from text or by hand. */
#include "unit/unit.h"

#include <stdio.h>

#include "profile/frame.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_again),
		cmocka_unit_test(test_text_and_add),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
