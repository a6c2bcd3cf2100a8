// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded text in: lines and names of every kind, errors with their line, and random text against a
 * slow reader.
 */
#include "unit/input/read.h"

#include "util/mem.h"

static struct profile *read_text(const char *text)
{
	struct profile *p = profile_new(NULL);
	struct diag diag;

	if (read_bytes(text, strlen(text), NULL, p, &diag) < 0)
		fail_msg("%s", diag.text);
	return p;
}

/* The weight of a stack, frames joined by ';'; UINT64_MAX when its path is not there. */
static uint64_t weight(const struct profile *p, const char *stack)
{
	node_id n = NODE_ROOT;

	while (*stack && n != NODE_DROP) {
		size_t len = strcspn(stack, ";");

		n = profile_find_child(p, n, frame_table_add_text(profile_frames(p), stack, len));
		stack += len + (stack[len] == ';');
	}
	return n == NODE_DROP ? UINT64_MAX : profile_self(p, n);
}

static void test_lines(void **state)
{
	_cleanup_profile_ struct profile *p = read_text("main;a;b;a;b;c 10\n"
							"\n"
							"# a comment\n"
							"main;a;b;c 5\n"
							"main;a 1\r\n"
							" \t\n"
							"main;fact;mul_[k] 7\n"
							"main;a 0\n"
							"never 0\n"
							"main;a 2\n"
							"operator new(int) 5;x y 3\n"
							"#hash 1\n"
							"main;a;b;c 9223372036854775000");

	assert_true(weight(p, "main;a;b;a;b;c") == 10);
	assert_true(weight(p, "main;a;b;c") == 9223372036854775005u);
	assert_true(weight(p, "main;a") == 3);
	assert_true(weight(p, "main;fact;mul_[k]") == 7);
	assert_true(weight(p, "main") == 0);
	assert_true(weight(p, "never") == UINT64_MAX);
	assert_true(weight(p, "operator new(int) 5;x y") == 3);
	assert_true(weight(p, "#hash") == 1);
	assert_int_equal(profile_nr_stacks(p), 6);
}

/* Frames that begin like the ones of the line before, in every position. */
static void test_shared_beginnings(void **state)
{
	_cleanup_profile_ struct profile *p = read_text("a;bc;d 1\n"
							"a;b;d 2\n"
							"a;b;de 3\n"
							"a;b 4\n"
							"a;b 1;d 5\n"
							"a;b;d 10\n"
							"a;b;d 1\n"
							"a;b;d;d 6\n"
							"a;b;d 1;d 7\n"
							"a 8\n"
							"aa 9\n"
							"a 8\n");

	assert_true(weight(p, "a;bc;d") == 1);
	assert_true(weight(p, "a;b;d") == 13);
	assert_true(weight(p, "a;b;de") == 3);
	assert_true(weight(p, "a;b") == 4);
	assert_true(weight(p, "a;b 1;d") == 5);
	assert_true(weight(p, "a;b;d;d") == 6);
	assert_true(weight(p, "a;b;d 1;d") == 7);
	assert_true(weight(p, "a") == 16);
	assert_true(weight(p, "aa") == 9);
	assert_int_equal(profile_nr_stacks(p), 9);
}

static void test_names_keep_their_bytes(void **state)
{
	_cleanup_profile_ struct profile *p = read_text("gr\xc3\xbc\xff\x1b[m;\t 1\n");

	assert_true(weight(p, "gr\xc3\xbc\xff\x1b[m;\t") == 1);
}

static void test_nothing(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	assert_int_equal(read_bytes("", 0, NULL, p, NULL), 0);
	assert_int_equal(read_bytes("\n\n# x", 5, NULL, p, NULL), 0);
	assert_int_equal(profile_nr_nodes(p), 1);
}

static void expect_error(const char *text, int err, const char *want)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag;

	assert_int_equal(read_bytes(text, strlen(text), NULL, p, &diag), -err);
	assert_string_equal(diag.text, want);
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "a 1\na;b\n", "in:2: no count" },
		{ "a;b ", "in:1: no count" },
		{ "a;b 5 ", "in:1: no count" },
		{ "#\n", "in:1: no count" },
		{ "17", "in:1: no count" },
		{ "a b", "in:1: no count" },
		{ "\n\n17\n", "in:3: no count" },
		{ " 17", "in:1: no frames before the count" },
		{ "a -1", "in:1: the count is not a number without sign and point" },
		{ "a 1.5",
		  "in:1: the count has a fraction, and counts are whole numbers (multiply all "
		  "of them first)" },
		{ "a 1e3", "in:1: the count is not a number without sign and point" },
		{ "a 9223372036854775808", "in:1: the count is larger than 9223372036854775807" },
		{ "a 99999999999999999999999999",
		  "in:1: the count is larger than 9223372036854775807" },
		{ ";a 1", "in:1: empty frame" },
		{ "a; 1", "in:1: empty frame" },
		{ "a;b 1\na;;b 1", "in:2: empty frame" },
		{ "a;b 1\na;b; 1", "in:2: empty frame" },
		{ "a;b 1\na;b;;c 1", "in:2: empty frame" },
		{ "; 0", "in:1: empty frame" },
		{ "a;;b 0", "in:1: empty frame" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_error(cases[i].text, EINVAL, cases[i].want);
	expect_error("a 9223372036854775807\nb 1\n", EOVERFLOW,
		     "in:2: the counts add up to more than 9223372036854775807");
}

static void test_binary(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag;

	assert_int_equal(read_bytes("a 1\nb\0c 1\n", 11, NULL, p, &diag), -EINVAL);
	assert_string_equal(diag.text, "in:2: binary data (a NUL byte)");
	assert_int_equal(read_bytes("PERFILE2\x68\0\0\0\0\0\0\0", 16, NULL, p, &diag), -EINVAL);
	assert_string_equal(diag.text,
			    "in: perf's own binary format is not read ('perf script -i in' prints "
			    "the text that is)");
	assert_int_equal(read_bytes("PERFILE2;main 123456", 20, NULL, p, &diag), 0);
}

static void test_bounds(void **state)
{
	const struct input_opts few_nodes = { .max_nodes = 3 },
				few_bytes = { .max_input_bytes = 9 };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	char text[] = "a;b 1\na;c 1\n";
	FILE *f = fmemopen(text, strlen(text), "r");
	struct diag diag;

	assert_int_equal(input_read(f, "x", &few_nodes, p, &diag), -E2BIG);
	assert_string_equal(diag.text, "x:2: the profile has more than 3 distinct call paths");
	rewind(f);
	assert_int_equal(input_read(f, "x", &few_bytes, p, &diag), -E2BIG);
	assert_string_equal(diag.text, "x: more than 9 bytes (--max-input raises the limit)");
	fclose(f);
}

/* What a text becomes counts too: 48 bytes a frame, where it has two. */
static void test_memory_bound(void **state)
{
	enum { DEPTH = 100000, MIB = 1 << 20 };
	static const struct {
		uint64_t max;
		int want;
	} cases[] = { { 2 * MIB, -E2BIG }, { 8 * MIB, 0 } };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (int i = 0; i < DEPTH; i++)
		strbuf_addstr(&text, "a;");
	strbuf_addstr(&text, "a 1\n");
	for (size_t i = 0; i < 2; i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		const struct input_opts opts = { .max_input_bytes = cases[i].max };
		struct diag diag = { "" };

		assert_int_equal(read_bytes(text.bytes, text.len, &opts, p, &diag), cases[i].want);
		assert_string_equal(diag.text,
				    i ? ""
				      : "in:1: its stacks take more than 2 MiB of memory "
					"(--max-input raises the limit)");
		assert_true(i || profile_nr_nodes(p) == 1); /* refused before they are made */
	}
}

static void test_paths(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag;

	assert_int_equal(input_read_path("/no/such/file", NULL, p, &diag), -ENOENT);
	assert_string_equal(diag.text, "/no/such/file: No such file or directory");
	assert_int_equal(input_read_path("/", NULL, p, &diag), -EISDIR);
	assert_string_equal(diag.text, "/: cannot read: Is a directory");
}

/* A stack of 100 000 frames, twice and once more with another leaf; lines longer than a block. */
static void test_deep(void **state)
{
	_cleanup_profile_ struct profile *p = NULL;
	struct strbuf text = STRBUF_INIT;
	size_t depth = 100000;

	for (int line = 0; line < 3; line++) {
		for (size_t i = 0; i < depth; i++)
			strbuf_addf(&text, "function_%zu;", i % 1000);
		strbuf_addf(&text, "%s 1\n", line < 2 ? "x" : "y");
	}
	p = read_text(text.bytes);
	assert_int_equal(profile_nr_nodes(p), depth + 3);
	assert_int_equal(profile_total(p), 3);
	strbuf_deinit(&text);
}

/* Random lines, sorted or not, against a reader that shares nothing. */
static void test_random_lines(void **state)
{
	for (int round = 0; round < 3000; round++) {
		_cleanup_profile_ struct profile *p = NULL, *want = profile_new(NULL);
		struct strbuf text = STRBUF_INIT;
		int nr = test_random_below(30);

		for (int i = 0; i < nr; i++) {
			size_t depth = 1 + test_random_below(5);
			uint64_t count = test_random_below(12);
			node_id n = NODE_ROOT;

			while (depth--) {
				static const char *const names[] = { "a",   "b",    "ab",
								     "a 1", "1",    "abcdefghij",
								     "a b", "a_[k]" };
				const char *name = names[test_random_below(ARRAY_SIZE(names))];

				if (count)
					n = profile_child(want, n,
							  frame_table_add_text(profile_frames(want),
									       name, strlen(name)));
				strbuf_addf(&text, "%s%c", name, depth ? ';' : ' ');
			}
			profile_add(want, n, count);
			strbuf_addf(&text, "%d\n", (int)count);
		}
		p = read_text(text.bytes);
		assert_int_equal(profile_nr_nodes(p), profile_nr_nodes(want));
		for (node_id n = 0; n < profile_nr_nodes(p); n++) {
			assert_int_equal(profile_self(p, n), profile_self(want, n));
			assert_int_equal(profile_frame(p, n), profile_frame(want, n));
			assert_int_equal(profile_parent(p, n), profile_parent(want, n));
		}
		strbuf_deinit(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_shared_beginnings),
		cmocka_unit_test(test_names_keep_their_bytes),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_binary),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_memory_bound),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_random_lines),
	};

	return cmocka_run_group_tests_name("folded", tests, NULL, NULL);
}
