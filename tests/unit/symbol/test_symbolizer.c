// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit/unit.h"

#include <unistd.h>

#include "symbol/symbolizer.h"

static const struct symbolizer_opts no_opts;

struct fixture {
	struct frame_table *frames;
	struct symbolizer *s;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->frames = frame_table_new();
	f->s = symbolizer_new(f->frames, &no_opts);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	symbolizer_free(f->s);
	frame_table_unref(f->frames);
	free(f);
	return 0;
}

static const char *name(struct fixture *f, frame_id id)
{
	return frame_table_name(f->frames, id, NULL);
}

static const char *module(struct fixture *f, frame_id id)
{
	return frame_table_str(f->frames, frame_table_get(f->frames, id)->module, NULL);
}

static void test_own_process(void **state)
{
	struct fixture *f = *state;
	frame_id id = symbolizer_user(f->s, getpid(), (uint64_t)(uintptr_t)test_own_process + 3);

	assert_string_equal(name(f, id), "test_own_process");
	assert_string_equal(module(f, id), "test_symbolizer");
	assert_int_equal(frame_table_get(f->frames, id)->origin, FRAME_USER);
	assert_false(frame_table_get(f->frames, id)->unnamed);
	/* Any address of the function is the same frame; another function is another one. */
	assert_int_equal(symbolizer_user(f->s, getpid(), (uint64_t)(uintptr_t)test_own_process),
			 id);
	assert_int_not_equal(symbolizer_user(f->s, getpid(), (uint64_t)(uintptr_t)module), id);
}

static void test_no_mapping(void **state)
{
	struct fixture *f = *state;
	struct symbolizer_stats st;
	frame_id id = symbolizer_user(f->s, getpid(), 16);

	assert_string_equal(name(f, id), "[unknown+0x10]");
	assert_true(frame_table_get(f->frames, id)->unnamed);
	assert_int_equal(symbolizer_user(f->s, getpid(), 16), id);
	symbolizer_get_stats(f->s, &st);
	assert_int_equal(st.misses[SYMBOL_MISS_NO_MAPPING], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_process, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_mapping, setup, teardown),
	};

	return cmocka_run_group_tests_name("symbolizer", tests, NULL, NULL);
}
