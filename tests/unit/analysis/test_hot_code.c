// SPDX-License-Identifier: GPL-2.0-or-later
/* Each sample that ends in a function's own code is at one place of it, and all are there. */
#include "unit/unit.h"

#include <errno.h>

#include "analysis/hot_code.h"

static frame_id function(struct frame_table *t, const char *name, enum frame_origin origin)
{
	return frame_table_add(
		t, &(struct frame){ .name = frame_table_intern0(t, name), .origin = origin });
}

static frame_id at(struct frame_table *t, frame_id f, const char *path, uint64_t address)
{
	return frame_table_add_place(t, &(struct frame_place){
						.function = f,
						.path = frame_table_intern0(t, path),
						.build_id = frame_table_intern0(t, "id"),
						.address = address,
						.base = 0x1000,
					});
}

static struct profile *sampled(void)
{
	struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	const frame_id f = function(t, "f", FRAME_USER), g = function(t, "g", FRAME_USER);
	const frame_id in = function(t, "in", FRAME_INLINED), a = at(t, f, "/a", 0x1010);
	const frame_id base = frame_table_add_base(t, "comm");

	profile_add(p, profile_stack(p, (frame_id[]){ base, a }, 2), 5);
	profile_add(p, profile_stack(p, (frame_id[]){ base, a, in }, 3), 3);
	profile_add(p, profile_stack(p, (frame_id[]){ base, at(t, f, "/a", 0x1004) }, 2), 7);
	profile_add(p, profile_stack(p, (frame_id[]){ base, at(t, f, "/b", 0x1004) }, 2), 40);
	profile_add(p, profile_stack(p, (frame_id[]){ base, f }, 2), 2);
	/* It waits for the other one. */
	profile_add(p, profile_stack(p, (frame_id[]){ base, a, at(t, g, "/a", 0x1020) }, 3), 100);
	profile_add(p, profile_stack(p, (frame_id[]){ base, a, base }, 3), 1000);
	return p;
}

static void test_places(void **state)
{
	_cleanup_profile_ struct profile *p = sampled();
	_cleanup_hot_codes_ struct hot_codes codes = { 0 };
	const struct hot_code *c;

	assert_int_equal(hot_codes_find(p, "f", &codes, NULL), 0);
	assert_int_equal(codes.nr, 3);
	assert_int_equal(codes.codes[0].samples, 40);
	c = &codes.codes[1];
	assert_int_equal(c->samples, 15);
	assert_int_equal(c->nr, 2);
	assert_int_equal(c->places[0].offset, 4);
	assert_int_equal(c->places[0].samples, 7);
	assert_int_equal(c->places[1].offset, 0x10);
	assert_int_equal(c->places[1].samples, 8);
	assert_string_equal(frame_table_str(profile_frames(p), c->path, NULL), "/a");
	assert_int_equal(codes.codes[2].placeless, 2);
	assert_int_equal(codes.codes[2].nr, 0);
}

static void test_glob(void **state)
{
	_cleanup_profile_ struct profile *p = sampled();
	_cleanup_hot_codes_ struct hot_codes codes = { 0 };

	assert_int_equal(hot_codes_find(p, "[fg]", &codes, NULL), 0);
	assert_int_equal(codes.nr, 4);
	assert_int_equal(codes.codes[0].samples, 100);
}

/* A function of another table: that one, and not one of its name elsewhere. */
static void test_frame(void **state)
{
	_cleanup_profile_ struct profile *p = sampled();
	_cleanup_frame_table_ struct frame_table *other = frame_table_new();
	_cleanup_hot_codes_ struct hot_codes codes = { 0 };
	struct diag diag;
	frame_id f;

	function(other, "g", FRAME_KERNEL);
	f = function(other, "f", FRAME_USER);
	assert_int_equal(hot_codes_of_frame(p, other, f, &codes, NULL), 0);
	assert_int_equal(codes.nr, 3);
	assert_int_equal(codes.codes[1].nr, 2);
	f = function(other, "f", FRAME_KERNEL);
	assert_int_equal(hot_codes_of_frame(p, other, f, &codes, &diag), -ENOENT);
}

static void test_none(void **state)
{
	_cleanup_profile_ struct profile *p = sampled();
	_cleanup_hot_codes_ struct hot_codes codes = { 0 };
	struct diag diag;

	assert_int_equal(hot_codes_find(p, "nobody", &codes, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "no stack"));
	assert_int_equal(hot_codes_find(p, "in", &codes, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "that of f: annotate that"));
	assert_int_equal(codes.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
