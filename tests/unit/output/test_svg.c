// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boxes of the picture: inside their callers, beside their siblings, as wide as their samples; what
 * is left out is counted; names are text and nothing else.
 */
#include "unit/unit.h"

#include "output/flame_layout.h"
#include "output/svg.h"
#include "unit/output/hostile_names.h"

static frame_id frame(struct profile *p, const char *name, enum frame_origin origin)
{
	struct frame_table *t = profile_frames(p);

	return frame_table_add(
		t, &(struct frame){ .name = frame_table_intern0(t, name), .origin = origin });
}

static node_id add(struct profile *p, node_id at, const char *name, uint64_t weight)
{
	node_id n = profile_child(p, at, frame(p, name, FRAME_USER));

	profile_add(p, n, weight);
	return n;
}

/* Not by strstr(): under ASan each call of it measures the whole rest of the text. */
static size_t count(const char *text, const char *what)
{
	size_t nr = 0, len = strlen(what);

	for (; (text = strchr(text, what[0])); text++)
		nr += !strncmp(text, what, len);
	return nr;
}

static char *svg_of(const struct profile *p)
{
	size_t len;

	return written(&svg_writer, p, &(struct writer_opts){ 0 }, &len);
}

/* Random trees, with several frames of one text. */
static void test_layout(void **state)
{
	for (int round = 0; round < 20; round++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		_cleanup_flame_layout_ struct flame_layout l;

		for (int i = 0; i < 300; i++) {
			char name[] = { 'a' + test_random_below(5), '\0' };
			struct frame f = { .name = frame_table_intern0(profile_frames(p), name),
					   .start = test_random_below(3) };
			node_id n = test_random_below(profile_nr_nodes(p));

			n = profile_child(p, n, frame_table_add(profile_frames(p), &f));
			profile_add(p, n, test_random_below(4));
		}
		flame_layout_init(&l, p, &(struct writer_opts){ 0 }, false);
		assert_int_equal(l.sum[NODE_ROOT], profile_total(p));
		for (node_id n = 1; n < profile_nr_nodes(l.p); n++) {
			node_id up = profile_parent(l.p, n);

			assert_int_equal(l.depth[n], l.depth[up] + 1);
			assert_true(l.at[n] >= l.at[up]);
			assert_true(l.at[n] + l.sum[n] + profile_self(l.p, up) <=
				    l.at[up] + l.sum[up]);
			for (node_id m = n + 1; m < profile_nr_nodes(l.p); m++) {
				if (profile_parent(l.p, m) != up)
					continue;
				assert_int_not_equal(profile_frame(l.p, m), profile_frame(l.p, n));
				assert_true(l.at[m] + l.sum[m] <= l.at[n] ||
					    l.at[n] + l.sum[n] <= l.at[m]);
			}
		}
	}
}

static enum flame_paint paint(const char *const *names, const enum frame_origin *origins, size_t nr,
			      bool has_bases)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_flame_layout_ struct flame_layout l;
	node_id n = NODE_ROOT;

	for (size_t i = 0; i < nr; i++)
		n = profile_child(p, n, frame(p, names[i], origins[i]));
	profile_add(p, n, 1);
	flame_layout_init(&l, p, &(struct writer_opts){ .nr_bases = has_bases }, false);
	return l.paint[n];
}

static void test_paints(void **state)
{
	static const char *const irq[] = { "[softirq]", "net_rx_action" }, *const task[] = {
		"app", "[truncated]", "vfs_read"
	};
	static const enum frame_origin live[] = { FRAME_BASE, FRAME_KERNEL },
				       text[] = { FRAME_USER, FRAME_USER, FRAME_KERNEL };

	assert_int_equal(paint(irq, live, 2, true), FLAME_INTERRUPT);
	assert_int_equal(paint(irq, text, 1, false), FLAME_INTERRUPT);
	assert_int_equal(paint(task, text, 1, true), FLAME_BASE);
	assert_int_equal(paint(task, text, 1, false), FLAME_USER);
	assert_int_equal(paint(task, text, 2, true), FLAME_BASE);
	assert_int_equal(paint(task, text, 2, false), FLAME_USER); /* under a function */
	assert_int_equal(paint(task, text, 3, true), FLAME_KERNEL);
	assert_int_equal(paint(task + 1, live, 1, false), FLAME_BASE);
}

static void test_numbers(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *svg = NULL;
	node_id main_node = add(p, NODE_ROOT, "main", 1);

	add(p, main_node, "f", 3);
	svg = svg_of(p);
	assert_non_null(strstr(svg, "<title>main\n4 samples, 100.00 %; self 1, 25.00 %</title>"
				    "<rect x=\"10.0\""));
	assert_non_null(strstr(svg, "<title>f\n3 samples, 75.00 %; self 3, 75.00 %</title>"));
	assert_int_equal(count(svg, "<g>"), 3); /* and "all" */
	assert_null(strstr(svg, "not drawn"));
}

static void test_none(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *svg = svg_of(p);

	assert_non_null(strstr(svg, ">0 samples</text>"));
	assert_null(strstr(svg, "nan"));
}

/* What is left out is said: boxes too small, rows too high. */
static void test_left_out(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *svg = NULL;
	node_id n = add(p, NODE_ROOT, "main", 1000000);

	add(p, n, "small", 1);
	for (int i = 0; i < SVG_MAX_ROWS + 10; i++)
		n = add(p, n, "deep", 0);
	add(p, n, "end", 1000000);
	svg = svg_of(p);
	assert_int_equal(count(svg, "<g>"), SVG_MAX_ROWS);
	/* 1010 of "deep" and "end", without those in rows 2 to 999; and "small". */
	assert_non_null(strstr(svg, ">14 boxes are not drawn"));
}

static void test_many(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *svg = NULL;

	for (int i = 0; i < 300; i++) {
		char name[] = { 'a' + i / 26, 'a' + i % 26, '\0' };
		node_id n = NODE_ROOT;

		for (int k = 0; k < 500; k++)
			n = add(p, n, name, 0);
		profile_add(p, n, 1 + i % 3);
	}
	svg = svg_of(p);
	assert_true(count(svg, "<g>") <= SVG_MAX_BOXES);
	assert_int_equal(count(svg, "<g>"), 1 + SVG_MAX_BOXES / 300 * 300); /* whole rows */
	assert_non_null(strstr(svg, "not drawn"));
}

static void test_hostile_names(void **state)
{
	_cleanup_profile_ struct profile *p = hostile_profile();
	_cleanup_free_ char *svg = svg_of(p);

	assert_null(strstr(svg, "<script"));
	assert_null(strstr(svg, "</script"));
	assert_null(strstr(svg, "\xef\xbf\xbe"));
	assert_null(strstr(svg, "\x1b"));
	assert_non_null(strstr(svg, "&lt;script&gt;alert(1)&lt;/script&gt;"));
	assert_int_equal(count(svg, "<g>"), count(svg, "</g>"));
	assert_true(strlen(svg) < 32768); /* the long name is cut */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	      cmocka_unit_test(test_paints),
		cmocka_unit_test(test_numbers),	      cmocka_unit_test(test_none),
		cmocka_unit_test(test_left_out),      cmocka_unit_test(test_many),
		cmocka_unit_test(test_hostile_names),
	};

	return cmocka_run_group_tests_name("svg", tests, NULL, NULL);
}
