// SPDX-License-Identifier: GPL-2.0-or-later
/* Inlined functions are those that are called by the same name in the same module. */
#include "unit/unit.h"

#include "analysis/functions.h"

static frame_id add(struct profile *p, const char *module, const char *name, uint64_t start,
		    enum frame_origin origin)
{
	struct frame_table *t = profile_frames(p);

	return frame_table_add(t, &(struct frame){ .module = frame_table_intern0(t, module),
						   .name = frame_table_intern0(t, name),
						   .start = start,
						   .origin = origin });
}

static void joined(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *out = NULL;
	const frame_id f = add(p, "m", "f", 16, FRAME_USER),
		       in = add(p, "m", "f", 0, FRAME_INLINED);
	const frame_id other = add(p, "n", "f", 0, FRAME_INLINED);
	const frame_id g = add(p, "m", "g", 0, FRAME_INLINED);
	const frame_id twin = add(p, "m", "f", 64, FRAME_USER);
	const frame_id stack[] = { twin, in, f, g, other };
	node_id at = NODE_ROOT;

	add(p, "m", "g", 8, FRAME_USER); /* of no stack: it is none of this profile's */
	profile_add(p, profile_stack(p, stack, 5), 7);
	out = profile_join_inlined(p);
	assert_non_null(out);
	/* Of two of one name it is the first, whatever order they came in. */
	for (size_t i = 0; i < 5; i++) {
		at = profile_find_child(out, at, i == 1 ? f : stack[i]);
		assert_int_not_equal(at, NODE_DROP);
	}
	assert_int_equal(profile_self(out, at), 7);
	assert_int_equal(profile_total(out), 7);
}

static void nothing_to_join(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *q = profile_new(NULL);
	const frame_id f = add(p, "m", "f", 16, FRAME_USER);
	const frame_id stack[] = { add(q, "m", "f", 16, FRAME_KERNEL),
				   add(q, "m", "f", 0, FRAME_INLINED) };

	profile_add(p, profile_stack(p, &f, 1), 1);
	assert_null(profile_join_inlined(p));
	profile_add(q, profile_stack(q, stack, 2), 1);
	assert_null(profile_join_inlined(q));
}

static frame_id at(struct profile *p, frame_id function, uint32_t line)
{
	struct frame f = *frame_table_get(profile_frames(p), function);

	f.file = frame_table_intern0(profile_frames(p), "f.c");
	f.line = line;
	return frame_table_add(profile_frames(p), &f);
}

/* An inlined function at a line is the called one at that line, also where that was never met. */
static void joined_at_lines(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *out = NULL;
	const frame_id f = add(p, "m", "f", 16, FRAME_USER),
		       in = add(p, "m", "f", 0, FRAME_INLINED);
	const frame_id stack[] = { at(p, f, 3), at(p, in, 3), at(p, in, 5) };
	const frame_id want[] = { stack[0], stack[0], at(p, f, 5) };
	node_id node = NODE_ROOT;

	profile_add(p, profile_stack(p, stack, 3), 7);
	out = profile_join_inlined(p);
	assert_non_null(out);
	for (size_t i = 0; i < 3; i++) {
		node = profile_find_child(out, node, want[i]);
		assert_int_not_equal(node, NODE_DROP);
	}
	assert_int_equal(profile_self(out, node), 7);
}

/* Without lines the stacks of one function are one stack. */
static void without_lines(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL), *out = NULL;
	const frame_id f = add(p, "m", "f", 16, FRAME_USER);
	const frame_id g = add(p, "m", "f", 64, FRAME_USER);
	const frame_id lines[] = { f, at(p, f, 3), at(p, f, 4), at(p, g, 3) };

	for (size_t i = 0; i < 4; i++)
		profile_add(p, profile_stack(p, &lines[i], 1), 1 + i);
	out = profile_join_lines(p);
	assert_non_null(out);
	assert_int_equal(profile_nr_nodes(out), 3);
	assert_int_equal(profile_self(out, profile_find_child(out, NODE_ROOT, f)), 6);
	assert_int_equal(profile_self(out, profile_find_child(out, NODE_ROOT, g)), 4);
}

static void no_lines(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	const frame_id f = add(p, "m", "f", 16, FRAME_USER);

	profile_add(p, profile_stack(p, &f, 1), 1);
	assert_null(profile_join_lines(p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined),	   cmocka_unit_test(nothing_to_join),
		cmocka_unit_test(joined_at_lines), cmocka_unit_test(without_lines),
		cmocka_unit_test(no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
