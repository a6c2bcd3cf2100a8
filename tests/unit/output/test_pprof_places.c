// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of a capture stand in pprof so that they can be read back. */
#include "unit/unit.h"

#include "input/input.h"
#include "output/pprof.h"
#include "profile/frame_place.h"

static frame_id at(struct frame_table *t, enum frame_origin origin, const char *name,
		   const struct frame_place *place)
{
	struct frame_place full = *place;

	full.function = frame_table_add(
		t, &(struct frame){ .name = frame_table_intern0(t, name),
				    .module = frame_table_intern0(
					    t, origin == FRAME_KERNEL ? "[kernel]" : "app"),
				    .start = 0x1000,
				    .origin = origin });
	return frame_table_add_place(t, &full);
}

static struct profile *sampled(void)
{
	struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	const frame_id base = frame_table_add_base(t, "comm");
	const struct frame_place user = { .path = frame_table_intern0(t, "/bin/app"),
					  .build_id = frame_table_intern(t, "\1\xff", 2),
					  .address = 0x401234,
					  .base = 0x400000 };
	const struct frame_place kernel = { .build_id = frame_table_intern(t, "\xab\xcd", 2),
					    .address = 0xffffffff81000123,
					    .base = 0xffffffff81000000 };

	profile_add(p,
		    profile_stack(p,
				  (frame_id[]){ base, at(t, FRAME_USER, "f", &user),
						at(t, FRAME_KERNEL, "k", &kernel) },
				  3),
		    7);
	return p;
}

static struct profile *read_back(const struct profile *p, bool with_places)
{
	const struct input_opts opts = { .with_places = with_places };
	struct writer_opts how = { 0 };
	struct profile *back = profile_new(NULL);
	FILE *f = tmpfile();
	struct diag diag;

	assert_int_equal(pprof_writer.write(f, p, &how, &diag), 0);
	rewind(f);
	assert_int_equal(input_read(f, "x", &opts, back, &diag), 0);
	fclose(f);
	return back;
}

static void test_places(void **state)
{
	_cleanup_profile_ struct profile *p = sampled(), *q = read_back(p, true);
	struct frame_table *t = profile_frames(q);
	node_id k = profile_nr_nodes(q) - 1;
	const struct frame_place *place = frame_table_place(t, profile_frame(q, k));
	size_t len;

	assert_int_equal(profile_self(q, k), 7);
	assert_non_null(place);
	assert_int_equal(place->path, 0);
	assert_int_equal(place->address - place->base, 0x123);
	assert_memory_equal(frame_table_str(t, place->build_id, &len), "\xab\xcd", 2);
	assert_string_equal(frame_table_name(t, place->function, NULL), "k");
	place = frame_table_place(t, profile_frame(q, profile_parent(q, k)));
	assert_non_null(place);
	assert_int_equal(place->address - place->base, 0x1234);
	assert_string_equal(frame_table_str(t, place->path, NULL), "/bin/app");
	assert_memory_equal(frame_table_str(t, place->build_id, &len), "\1\xff", 2);
	assert_int_equal(len, 2);
}

/* Who does not ask has functions, and so has a file of functions. */
static void test_functions(void **state)
{
	_cleanup_profile_ struct profile *p = sampled(), *q = read_back(p, false);
	_cleanup_profile_ struct profile *functions = profile_without_places(p);
	_cleanup_profile_ struct profile *r = read_back(functions, true);

	assert_false(frame_table_has_places(profile_frames(q)));
	assert_false(frame_table_has_places(profile_frames(r)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
