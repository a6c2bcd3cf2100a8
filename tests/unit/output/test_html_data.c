// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns of a page, byte by byte: page/data.js reads them by their places. */
#include "unit/unit.h"

#include <stdio.h>

#include "output/html_data.h"

#define BYTES(s) (s), sizeof(s) - 1

static void expect_section(const struct html_tree *t, enum html_section section, const char *bytes,
			   size_t len)
{
	assert_int_equal(t->sections[section].len, len);
	if (len)
		assert_memory_equal(t->sections[section].bytes, bytes, len);
}

static frame_id text_frame(struct profile *p, const char *text)
{
	return frame_table_add_text(profile_frames(p), text, strlen(text));
}

/*
 *	main        siblings by text, whatever their order in the profile;
 *	  b_[k] 300   what has no sample is not there
 *	  z
 *	    b_[k] 1
 *	x 2
 */
static void test_columns(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	node_id x = profile_child(p, NODE_ROOT, text_frame(p, "x"));
	node_id main_node = profile_child(p, NODE_ROOT, text_frame(p, "main"));
	node_id z = profile_child(p, main_node, text_frame(p, "z"));
	frame_id b = text_frame(p, "b_[k]");
	_cleanup_html_tree_ struct html_tree t = { 0 };
	uint64_t sums[16] = { 0 };

	profile_child(p, z, text_frame(p, "unused"));
	profile_add(p, x, 2);
	profile_add(p, profile_child(p, main_node, b), 300);
	profile_add(p, profile_child(p, z, b), 1);
	assert_true(profile_nr_nodes(p) <= 16);
	profile_sum(p, sums);
	html_tree_init(&t, p, sums, false);
	html_tree_add_values(&t, HTML_SELVES, profile_selves(p));
	expect_section(&t, HTML_NAMES, BYTES("b_[k]\nmain\nx\nz\n"));
	expect_section(&t, HTML_KINDS, BYTES("\1\0\0\0"));
	expect_section(&t, HTML_NAME_MODULES, BYTES("\0\0\0\0"));
	expect_section(&t, HTML_MODULES, BYTES(""));
	expect_section(&t, HTML_LEVELS, BYTES("\0\0\1\0\3"));
	expect_section(&t, HTML_FUNCTIONS, BYTES("\1\0\3\0\2"));
	expect_section(&t, HTML_SELVES, BYTES("\0\xac\2\0\1\2"));
}

static void test_modules(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *frames = profile_frames(p);
	struct frame f = { .name = frame_table_intern0(frames, "f"),
			   .module = frame_table_intern0(frames, "lib\nc.so"),
			   .start = 16 },
		     g = { .name = frame_table_intern0(frames, "f"),
			   .module = f.module,
			   .start = 32,
			   .origin = FRAME_JIT };
	_cleanup_html_tree_ struct html_tree t = { 0 };
	uint64_t sums[3];

	profile_add(p, profile_child(p, NODE_ROOT, frame_table_add(frames, &g)), 1);
	profile_add(p, profile_child(p, NODE_ROOT, frame_table_add(frames, &f)), 1);
	profile_sum(p, sums);
	html_tree_init(&t, p, sums, false);
	expect_section(&t, HTML_NAMES, BYTES("f\nf_[j]\n"));
	expect_section(&t, HTML_KINDS, BYTES("\0\2"));
	expect_section(&t, HTML_NAME_MODULES, BYTES("\1\1"));
	expect_section(&t, HTML_MODULES, BYTES("lib\\x0ac.so\n"));
	expect_section(&t, HTML_FUNCTIONS, BYTES("\0\1"));
}

static void test_empty(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_html_tree_ struct html_tree t = { 0 };
	uint64_t sums[1] = { 0 };

	html_tree_init(&t, p, sums, false);
	for (int i = 0; i < HTML_NR_SECTIONS; i++)
		expect_section(&t, i, "", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
