// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded text out: escapes, merged and sorted lines, great depth, and random profiles against a
 * sort.
 */
#include "unit/unit.h"

#include <stdio.h>

#include "output/folded.h"
#include "profile/frame_text.h"
#include "util/mem.h"

static frame_id frame(struct profile *p, const char *name, enum frame_origin origin)
{
	return frame_table_add(profile_frames(p), &(struct frame){ .name = frame_table_intern0(
									   profile_frames(p), name),
								   .origin = origin });
}

static node_id add(struct profile *p, node_id at, const char *name, uint64_t weight)
{
	node_id n = profile_child(p, at, frame(p, name, FRAME_USER));

	assert_int_equal(profile_add(p, n, weight), 0);
	return n;
}

static char *folded(const struct profile *p, bool no_annotate)
{
	struct writer_opts opts = { .no_annotate = no_annotate };
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(folded_writer.write(f, p, &opts, NULL), 0);
	fclose(f);
	return text;
}

static void expect(const struct profile *p, const char *want)
{
	_cleanup_free_ char *got = folded(p, false);

	assert_string_equal(got, want);
}

static void test_interleaved(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	node_id a = add(p, NODE_ROOT, "a", 1), ab = add(p, NODE_ROOT, "a!b", 2);

	expect(p, "a 1\na!b 2\n");
	add(p, a, "c", 3);
	add(p, ab, "d", 4);
	add(p, NODE_ROOT, "a<", 5);
	add(p, NODE_ROOT, "a 1", 6);
	add(p, NODE_ROOT, "", 7);
	expect(p, "[empty] 7\na 1\na 1 6\na!b 2\na!b;d 4\na;c 3\na< 5\n");
}

static void test_empty_profile(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	expect(p, "");
	add(p, NODE_ROOT, "only a prefix", 0);
	expect(p, "");
}

static void test_escapes(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	add(p, NODE_ROOT, "a;b;", 1);
	add(p, NODE_ROOT, "a:b:", 2); /* the same line */
	add(p, NODE_ROOT, "n\nl\x1b", 4);
	add(p, NODE_ROOT, "# c", 8);
	add(p, NODE_ROOT, "#", 16);
	add(p, NODE_ROOT, "#c", 32);
	expect(p, "#c 32\n\\x23 16\n\\x23 c 8\na:b: 3\nn\\x0al\\x1b 4\n");
	/* Only the beginning of a line can make it a comment. */
	add(p, add(p, NODE_ROOT, "#", 0), "#", 64);
	add(p, add(p, NODE_ROOT, "# c", 0), "# d", 128);
	expect(p, "#;# 64\n#c 32\n\\x23 16\n\\x23 c 8\n\\x23 c;# d 128\na:b: 3\n"
		  "n\\x0al\\x1b 4\n");
}

/* Both stacks without frames and frames that look like them. */
static void test_root_weight(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	assert_int_equal(profile_add(p, NODE_ROOT, 2), 0);
	expect(p, "[empty] 2\n");
	add(p, NODE_ROOT, "[empty]", 3);
	add(p, add(p, NODE_ROOT, "", 4), "x", 5);
	expect(p, "[empty] 9\n[empty];x 5\n");
}

static void test_suffixes(void **state)
{
	static const enum frame_origin origins[] = { FRAME_BASE, FRAME_USER, FRAME_KERNEL,
						     FRAME_JIT, FRAME_INLINED };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *plain = NULL;
	node_id n = NODE_ROOT;

	for (size_t i = 0; i < ARRAY_SIZE(origins); i++)
		n = profile_child(p, n, frame(p, "f", origins[i]));
	profile_add(p, n, 1);
	profile_add(p, profile_child(p, NODE_ROOT, frame(p, "f", FRAME_KERNEL)), 1);
	profile_add(p, profile_child(p, NODE_ROOT, frame(p, "f", FRAME_JIT)), 1);
	expect(p, "f;f;f_[k];f_[j];f_[i] 1\nf_[j] 1\nf_[k] 1\n");
	plain = folded(p, true);
	assert_string_equal(plain, "f 2\nf;f;f;f;f 1\n");
}

static void test_deep(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *got = NULL;
	node_id n = NODE_ROOT;
	size_t depth = 100000;

	for (size_t i = 0; i < depth; i++)
		n = add(p, n, i % 2 ? "a" : "b", 0);
	profile_add(p, n, 9);
	got = folded(p, false);
	assert_int_equal(strlen(got), 2 * depth + 2);
	assert_string_equal(got + 2 * depth - 2, "a 9\n");
}

/* ---- against a sort of all lines ---- */

static int line_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All lines, identical stacks added up, sorted as LC_ALL=C sort sorts them. */
static char *naive(const struct profile *p)
{
	size_t nr = profile_nr_nodes(p), used = 0;
	char **lines = xcalloc(nr, sizeof(*lines));
	uint64_t *sums = xcalloc(nr, sizeof(*sums));
	struct strbuf all = STRBUF_INIT;

	for (node_id n = 1; n < nr; n++) {
		struct strbuf line = STRBUF_INIT;
		node_id path[16];
		size_t depth = 0, i;

		if (!profile_self(p, n))
			continue;
		for (node_id m = n; m; m = profile_parent(p, m))
			path[depth++] = m;
		while (depth--) {
			frame_text_add(&line, profile_frames(p), profile_frame(p, path[depth]),
				       false);
			if (depth)
				strbuf_addch(&line, ';');
		}
		if (line.bytes[0] == '#' && (line.len == 1 || line.bytes[1] == ' ')) {
			char *rest = xstrdup(line.bytes + 1);

			strbuf_reset(&line);
			strbuf_addf(&line, "\\x23%s", rest);
			free(rest);
		}
		for (i = 0; i < used && strcmp(lines[i], line.bytes); i++)
			;
		if (i == used)
			lines[used++] = strbuf_detach(&line);
		strbuf_deinit(&line);
		sums[i] += profile_self(p, n);
	}
	for (size_t i = 0; i < used; i++) {
		char *line = xasprintf("%s %llu", lines[i], (unsigned long long)sums[i]);

		free(lines[i]);
		lines[i] = line;
	}
	qsort(lines, used, sizeof(*lines), line_cmp);
	for (size_t i = 0; i < used; i++) {
		strbuf_addf(&all, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
	free(sums);
	return strbuf_detach(&all);
}

static void random_name(char *name)
{
	static const char *const parts[] = { "a", "b", " ", "1",  "2",	      "!",
					     ":", ";", "<", "#",  "\n",	      "\\",
					     "_", "[", "k", "0 ", "\xc3\xa9", "\xff" };
	size_t nr = test_random_below(4);

	*name = '\0';
	for (size_t i = 0; i < nr; i++)
		strcat(name,
		       parts[test_random_below(test_random_below(2) ? 3 : ARRAY_SIZE(parts))]);
}

static void test_random_profiles(void **state)
{
	for (int round = 0; round < 2000; round++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		_cleanup_free_ char *want = NULL, *got = NULL;

		for (int i = 0; i < 30; i++) {
			node_id n = NODE_ROOT;

			for (size_t depth = 1 + test_random_below(4); depth; depth--) {
				char name[16];

				random_name(name);
				n = profile_child(p, n, frame(p, name, test_random_below(5)));
			}
			profile_add(p, n, test_random_below(30));
		}
		want = naive(p);
		got = folded(p, false);
		assert_string_equal(got, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interleaved),	cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_escapes),		cmocka_unit_test(test_root_weight),
		cmocka_unit_test(test_suffixes),	cmocka_unit_test(test_deep),
		cmocka_unit_test(test_random_profiles),
	};

	return cmocka_run_group_tests_name("folded", tests, NULL, NULL);
}
