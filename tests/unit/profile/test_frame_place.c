// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions are frames of their own until they are made functions again. */
#include "unit/unit.h"

#include "profile/frame_place.h"

static frame_id function(struct frame_table *t, const char *name)
{
	return frame_table_add(t, &(struct frame){ .name = frame_table_intern0(t, name),
						   .module = frame_table_intern0(t, "app"),
						   .start = 0x1000,
						   .origin = FRAME_USER });
}

static frame_id at(struct frame_table *t, frame_id f, uint64_t address)
{
	return frame_table_add_place(t, &(struct frame_place){
						.function = f,
						.path = frame_table_intern0(t, "/bin/app"),
						.address = address,
						.base = 0x400000,
					});
}

static void test_identity(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	frame_id f = function(t, "f"), g = function(t, "g"), a;

	assert_false(frame_table_has_places(t));
	assert_null(frame_table_place(t, f));
	a = at(t, f, 0x1004);
	assert_true(frame_table_has_places(t));
	assert_int_not_equal(a, f);
	assert_int_not_equal(a, at(t, f, 0x1008));
	assert_int_not_equal(a, at(t, g, 0x1004));
	assert_int_equal(a, at(t, f, 0x1004));
	assert_int_equal(frame_function(t, a), f);
	assert_int_equal(frame_function(t, f), f);
	assert_int_equal(frame_table_place(t, a)->address, 0x1004);
	/* Many of them: the tables grow. */
	for (uint64_t k = 0; k < 5000; k++)
		assert_int_equal(frame_table_place(t, at(t, g, k))->address, k);
	assert_int_equal(a, at(t, f, 0x1004));
}

/* A demangled name comes later, and to the function alone. */
static void test_shown(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	frame_id f = function(t, "_Z1fv"), a = at(t, f, 0x1004);

	frame_table_show(t, f, frame_table_intern0(t, "f()"));
	assert_string_equal(frame_table_name(t, a, NULL), "f()");
}

static void test_functions_again(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *q = NULL, *r = NULL;
	struct frame_table *t = profile_frames(p);
	frame_id f = function(t, "f"), g = function(t, "g");

	assert_null(profile_without_places(p));
	for (uint64_t k = 0; k < 7; k++) {
		const frame_id stack[] = { at(t, f, k), at(t, g, 9), g };

		profile_add(p, profile_stack(p, stack, 3), k + 1);
	}
	assert_int_equal(profile_nr_nodes(p), 22);
	q = profile_without_places(p);
	assert_int_equal(profile_nr_nodes(q), 4);
	assert_int_equal(profile_total(q), 28);
	assert_int_equal(profile_self(q, profile_stack(q, (frame_id[]){ f, g, g }, 3)), 28);
	/* The same, where they go into another table. */
	frame_table_show(t, g, frame_table_intern0(t, "shown"));
	r = profile_copy(p);
	assert_int_equal(profile_nr_nodes(r), 22);
	assert_false(frame_table_has_places(profile_frames(r)));
	assert_string_equal(frame_table_name(profile_frames(r), profile_frame(r, 2), NULL),
			    "shown");
}

/* A copy for another thread that has them still. */
static void test_copy(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *q = NULL;
	struct frame_table *t = profile_frames(p);
	frame_id f = function(t, "f");
	const struct frame_place *place;
	struct frame with_line;

	function(t, "others"); /* numbers differ */
	with_line = *frame_table_get(t, at(t, f, 0x1008));
	with_line.file = frame_table_intern0(t, "f.c");
	with_line.line = 7;
	profile_add(p, profile_child(p, NODE_ROOT, at(t, f, 0x1004)), 3);
	profile_add(p, profile_child(p, NODE_ROOT, frame_table_add(t, &with_line)), 4);
	q = profile_copy_with_places(p);
	assert_int_equal(profile_nr_nodes(q), 3);
	t = profile_frames(q);
	place = frame_table_place(t, profile_frame(q, 1));
	assert_int_equal(place->address, 0x1004);
	assert_string_equal(frame_table_name(t, place->function, NULL), "f");
	place = frame_table_place(t, profile_frame(q, 2));
	assert_int_equal(place->address, 0x1008);
	assert_int_equal(frame_table_get(t, profile_frame(q, 2))->line, 7);
	assert_int_equal(frame_table_get(t, place->function)->line, 0);
	assert_int_equal(profile_self(q, 2), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_functions_again),
		cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests_name("frame_place", tests, NULL, NULL);
}
