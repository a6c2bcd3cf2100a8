// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times of random stacks, written beside folded text and read back: each line has them again, with
 * frames that are written alike, stacks without frames and comments in disguise among them.
 */
#include "output/timeline_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "input/timeline_read.h"
#include "output/folded.h"
#include "util/mem.h"
#include "unit/unit.h"

#define MS UINT64_C(1000000)

static struct profile *random_profile(struct timeline *t)
{
	static const char *const names[] = { "a", "a!", "b", "#", "# x", "", "a\x1b", "c" };
	struct profile *p = profile_new(NULL);

	for (int i = 0; i < 400; i++) {
		node_id at = NODE_ROOT;

		for (uint32_t depth = test_random_below(5); depth; depth--) {
			const char *name = names[test_random_below(ARRAY_SIZE(names))];
			struct frame f = {
				.name = frame_table_intern0(profile_frames(p), name),
				.start = test_random_below(2), /* written alike */
			};

			at = profile_child(p, at, frame_table_add(profile_frames(p), &f));
		}
		profile_add(p, at, 1);
		if (i % 50)
			timeline_add(t, test_random_below(1000) * MS, at, 1);
		else
			t->untimed++;
	}
	timeline_end(t, 1000 * MS);
	return p;
}

static void write_both(const struct profile *p, const struct timeline *t, char **folded,
		       char **times)
{
	struct writer_lines lines = { .nr_nodes = profile_nr_nodes(p) };
	_cleanup_free_ uint32_t *line = xcalloc(lines.nr_nodes, sizeof(*line));
	const struct writer_opts opts = { .ret_lines = &lines };
	size_t len;
	FILE *f = open_memstream(folded, &len);

	lines.line = line;
	assert_int_equal(folded_writer.write(f, p, &opts, NULL), 0);
	fclose(f);
	f = open_memstream(times, &len);
	timeline_text_write(f, t, &lines);
	fclose(f);
}

static void read_both(char *folded, char *times, struct profile *p, struct timeline_file *ret_file)
{
	struct input_lines lines = { 0 };
	const struct input_opts opts = { .ret_lines = &lines };
	struct diag diag = { "" };
	FILE *f = fmemopen(folded, strlen(folded), "r");

	assert_int_equal(input_read(f, "folded", &opts, p, &diag), 0);
	fclose(f);
	f = fmemopen(times, strlen(times), "r");
	assert_int_equal(timeline_read(f, "times", ret_file, &diag), 0);
	fclose(f);
	assert_int_equal(timeline_use_lines(ret_file, &lines, p, "times", &diag), 0);
	free(lines.nodes);
}

/* Samples of slots by the text of their stack: read back, they are written the same again. */
static void test_read_back(void **state)
{
	for (int i = 0; i < 20; i++) {
		_cleanup_timeline_ struct timeline *t = timeline_new(10 * MS, 0, 1 << 16);
		_cleanup_profile_ struct profile *p = random_profile(t), *again = profile_new(NULL);
		_cleanup_free_ char *folded = NULL, *times = NULL, *folded2 = NULL, *times2 = NULL;
		struct timeline_file file;

		profile_follow(p);
		write_both(p, t, &folded, &times);
		read_both(folded, times, again, &file);
		assert_int_equal(file.timeline->weight, 392);
		assert_int_equal(file.timeline->untimed, 8);
		profile_follow(again);
		write_both(again, file.timeline, &folded2, &times2);
		assert_string_equal(folded, folded2);
		assert_string_equal(times, times2);
		timeline_free(file.timeline);
	}
}

static void test_form(void **state)
{
	_cleanup_timeline_ struct timeline *t = timeline_new(10 * MS, 0, 100);
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *folded = NULL, *times = NULL;
	node_id b = profile_child(p, NODE_ROOT, frame_table_add_text(profile_frames(p), "b", 1));
	node_id a = profile_child(p, NODE_ROOT, frame_table_add_text(profile_frames(p), "a", 1));

	profile_add(p, b, 3);
	profile_add(p, a, 1);
	timeline_add(t, 25 * MS, b, 1);
	timeline_add(t, 27 * MS, a, 1);
	timeline_add(t, 29 * MS, b, 1);
	timeline_add(t, 990 * MS, b, 1);
	timeline_end(t, 1000 * MS);
	profile_follow(p);
	write_both(p, t, &folded, &times);
	assert_string_equal(folded, "a 1\nb 3\n");
	assert_string_equal(times, "eddy timeline 1\nslot_ns 10000000\nasked_ns 10000000\n"
				   "start_ms 0\nslots 100\nlines 2\ntotal 4\ntimed 4\nuntimed 0\n"
				   "2 1 2*2\n99 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_form),
	};

	return cmocka_run_group_tests_name("timeline_text", tests, NULL, NULL);
}
