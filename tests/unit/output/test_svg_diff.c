// SPDX-License-Identifier: GPL-2.0-or-later
/* The picture of a comparison: which boxes have a colour, how wide they are, and what they say. */
#include "unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "output/svg_diff.h"
#include "unit/output/hostile_names.h"
#include "util/mem.h"

static void add(struct profile *p, const char *a, const char *b, uint64_t count)
{
	struct frame_table *t = profile_frames(p);
	node_id n = profile_child(p, NODE_ROOT, frame_table_add_text(t, a, strlen(a)));

	profile_add(p, profile_child(p, n, frame_table_add_text(t, b, strlen(b))), count);
}

static char *picture_of(const struct diff *d)
{
	const struct diff_opts opts = { .level = 0.05, .names = { "x<1>", "y" } };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(svg_diff_write(f, d, &opts, &(struct writer_opts){ 0 }, NULL), 0);
	fclose(f);
	return text;
}

/* Whole line of the box whose title begins with that. */
static void expect_box(const char *svg, const char *name, const char *facts, const char *fill)
{
	_cleanup_free_ char *head = xasprintf("<title>%s\n", name), *line = NULL;
	const char *at = strstr(svg, head);

	assert_non_null(at);
	at += strlen(head);
	line = xmemdup0(at, strcspn(at, "\n"));
	assert_memory_equal(line, facts, strlen(facts));
	assert_non_null(strstr(line, fill));
}

/* The side before was ten times as long. */
static void test_colours(void **state)
{
	_cleanup_frame_table_ struct frame_table *t = frame_table_new();
	_cleanup_diff_ struct diff *d = diff_new(t);
	_cleanup_profile_ struct profile *a = profile_new(t), *b = profile_new(t);
	_cleanup_free_ char *svg = NULL;

	diff_keep_paths(d);
	add(a, "main", "same", 4000);
	add(a, "main", "gone", 1000);
	add(a, "main", "rare", 1);
	add(b, "main", "same", 400);
	add(b, "main", "</title><script>", 100);
	assert_int_equal(diff_add(d, DIFF_BEFORE, a, 10000), 0);
	assert_int_equal(diff_add(d, DIFF_AFTER, b, 1000), 0);
	svg = picture_of(d);
	expect_box(svg, "same", "before 4000 (40.00 %), after 400 (40.00 %), +0.00 %: no more than",
		   "#d3d6da");
	expect_box(svg, "gone", "before 1000 (10.00 %), after 0 (0.00 %), -10.00 %: less after",
		   "#7fb3e0");
	expect_box(svg, "&lt;/title&gt;&lt;script&gt;",
		   "before 0 (0.00 %), after 100 (10.00 %), +10.00 %: more after", "#f0a35e");
	/* Both at one exposure: what is gone and what is new are as wide. */
	expect_box(svg, "gone", "", "width=\"79.");
	expect_box(svg, "&lt;/title&gt;&lt;script&gt;", "", "width=\"79.");
	assert_non_null(
		strstr(svg, "x&lt;1&gt;: 5001 samples of 10000 expected and after, y: 500"));
	assert_null(strstr(svg, "<script"));
}

static void test_hostile_names(void **state)
{
	_cleanup_profile_ struct profile *p = hostile_profile();
	_cleanup_diff_ struct diff *d = diff_new(profile_frames(p));
	_cleanup_free_ char *svg = NULL;

	diff_keep_paths(d);
	assert_int_equal(diff_add(d, DIFF_BEFORE, p, 100), 0);
	assert_int_equal(diff_add(d, DIFF_AFTER, p, 100), 0);
	svg = picture_of(d);
	assert_null(strstr(svg, "<script"));
	assert_null(strstr(svg, "\x1b"));
	assert_true(strlen(svg) < 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_hostile_names),
	};

	return cmocka_run_group_tests_name("svg_diff", tests, NULL, NULL);
}
