// SPDX-License-Identifier: GPL-2.0-or-later
/* FILE.timeline: what is read, and what is refused with its line. */
#include "input/timeline_read.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit/unit.h"

#define HEAD_TO(lines, slots)                                             \
	"eddy timeline 1\nslot_ns 10000000\nasked_ns 10000000\nstart_ms " \
	"1700000000000\nslots " slots "\nlines " lines "\n"
#define HEAD HEAD_TO("4", "100") "total 12\ntimed 6\nuntimed 1\n"
#define GOOD HEAD "3 1 2*2\n99 2 4*2\n"

static int read_text(const char *text, struct timeline_file *ret, struct diag *diag)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	int r;

	assert_non_null(f);
	*diag = (struct diag){ "" };
	r = timeline_read(f, "t", ret, diag);
	fclose(f);
	return r;
}

static void test_read(void **state)
{
	struct timeline_file file;
	struct diag diag;

	assert_int_equal(read_text(GOOD, &file, &diag), 0);
	assert_int_equal(file.nr_lines, 4);
	assert_int_equal(file.total, 12);
	assert_int_equal(file.timeline->nr, 4);
	assert_int_equal(file.timeline->nr_slots, 100);
	assert_int_equal(file.timeline->weight, 6);
	assert_int_equal(file.timeline->untimed, 1);
	assert_int_equal(file.timeline->start_ms, 1700000000000);
	assert_int_equal(file.timeline->cells[1].node, 2);
	assert_int_equal(file.timeline->cells[1].weight, 2);
	assert_int_equal(file.timeline->cells[3].slot, 99);
	timeline_free(file.timeline);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "t:1: not a timeline of this version" },
		{ "eddy timeline 2\n", "t:1: not a timeline of this version" },
		{ "eddy timeline 1\nslot_ns ten\n", "t:2: no 'slot_ns' with its number" },
		{ "eddy timeline 1\nslot_ns 0\nasked_ns 1\nstart_ms 0\nslots 1\nlines 1\ntotal 0\n"
		  "timed 0\nuntimed 0\n",
		  "t:9: slots are a part of a second, or whole seconds" },
		{ HEAD_TO("4", "99999999"), "t:5: no 'slots' with its number" },
		{ HEAD_TO("5000000000", "1"), "t:6: no 'lines' with its number" },
		{ HEAD "3 1 2*2\n99 2 4*2", "t:11: the last line has no end" },
		{ HEAD "3 1 2*2\n3 2 4*2\n", "t:11: no slot, or not in order" },
		{ HEAD "100 1\n", "t:10: no slot, or not in order" },
		{ HEAD "99999999999999999999 1\n", "t:10: no slot, or not in order" },
		{ HEAD "3\n", "t:10: a slot without a stack" },
		{ HEAD "\n", "t:10: no slot, or not in order" },
		{ HEAD "3 2 1\n", "t:10: no line of the text, or not in order" },
		{ HEAD "3 2 2\n", "t:10: no line of the text, or not in order" },
		{ HEAD "3 0\n", "t:10: no line of the text, or not in order" },
		{ HEAD "3 5\n", "t:10: no line of the text, or not in order" },
		{ HEAD "3 1*0\n", "t:10: no count" },
		{ HEAD "3 1*x\n", "t:10: no count" },
		{ HEAD "3 1 \n", "t:10: no line of the text, or not in order" },
		{ HEAD "3 1*9223372036854775807 2\n",
		  "t:10: the counts add up to more than 9223372036854775807" },
		{ HEAD "3 1 2*2\n", "t:11: the counts are not as many as 'timed' says" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct timeline_file file;
		struct diag diag;

		if (!*bad[i].text)
			continue; /* no memory stream of nothing */
		assert_true(read_text(bad[i].text, &file, &diag) < 0);
		assert_string_equal(diag.text, bad[i].why);
	}
}

/* Lines become nodes; a text that was changed since is told from the one that was written. */
static void test_lines(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	node_id nodes[5];
	struct input_lines lines = { .nodes = nodes, .nr = 4 };
	struct timeline_file file;
	struct diag diag;

	for (int i = 0; i < 4; i++) {
		char name[] = { (char)('a' + i), '\0' };

		nodes[i] = profile_child(p, NODE_ROOT,
					 frame_table_add_text(profile_frames(p), name, 1));
		profile_add(p, nodes[i], 3);
	}
	assert_int_equal(read_text(GOOD, &file, &diag), 0);
	assert_int_equal(timeline_use_lines(&file, &lines, p, "t", &diag), 0);
	assert_int_equal(file.timeline->cells[3].node, nodes[3]);
	timeline_free(file.timeline);

	/* A line more, another total, fewer samples on a line, and a line that is a comment. */
	lines.nr = 5;
	assert_int_equal(read_text(GOOD, &file, &diag), 0);
	assert_int_equal(timeline_use_lines(&file, &lines, p, "t", &diag), -EINVAL);
	assert_string_equal(diag.text, "t is not of this text: it has other stacks");
	timeline_free(file.timeline);
	lines.nr = 4;
	profile_add(p, nodes[0], 1);
	assert_int_equal(read_text(GOOD, &file, &diag), 0);
	assert_int_equal(timeline_use_lines(&file, &lines, p, "t", &diag), -EINVAL);
	timeline_free(file.timeline);
	profile_subtract(p, nodes[1], 1);
	assert_int_equal(read_text(GOOD, &file, &diag), 0);
	assert_int_equal(timeline_use_lines(&file, &lines, p, "t", &diag), -EINVAL);
	timeline_free(file.timeline);
	profile_subtract(p, nodes[0], 1);
	profile_add(p, nodes[1], 1);
	nodes[3] = NODE_DROP;
	assert_int_equal(read_text(GOOD, &file, &diag), 0);
	assert_int_equal(timeline_use_lines(&file, &lines, p, "t", &diag), -EINVAL);
	timeline_free(file.timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests_name("timeline_read", tests, NULL, NULL);
}
