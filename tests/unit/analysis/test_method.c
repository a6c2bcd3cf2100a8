// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callers and callees of one function: worked examples, random stacks as text, and how it is found.
 */
#include "unit/unit.h"

#include "analysis/function_find.h"
#include "analysis/method.h"
#include "unit/analysis/calltree_model.h"

static frame_id letter(struct profile *p, char c)
{
	return frame_table_add_text(profile_frames(p), &c, 1);
}

/* The worked example: m x f g 4, m y f h 2, m y f f g 3, m z 9. */
static struct profile *example(void)
{
	struct stacks s = { 0 };

	stacks_add(&s, "m x f g", 4);
	stacks_add(&s, "m y f h", 2);
	stacks_add(&s, "m y f f g", 3);
	stacks_add(&s, "m z", 9);
	return stacks_profile(&s);
}

static void check_row(const struct calltree *t, const char *path, uint64_t direct,
		      uint64_t indirect, uint64_t self)
{
	row_id r = row_find(t, path);
	const struct calltree_counts *c = &calltree_counts(t)[r];

	assert_int_not_equal(r, ROW_TOP);
	assert_int_equal(c->direct, direct);
	assert_int_equal(c->indirect, indirect);
	assert_int_equal(calltree_rows(t)[r].target ? 0 : c->self, self);
}

static void test_callees_example(void **state)
{
	_cleanup_profile_ struct profile *p = example();
	_cleanup_method_stacks_ struct method_stacks s = { 0 };
	_cleanup_calltree_ struct calltree *none = NULL, *full = NULL;

	method_callees(p, letter(p, 'f'), &s);
	assert_int_equal(s.samples, 9);
	assert_int_equal(s.call_sites, 2);
	none = calltree_new(s.profile, COLLAPSE_NONE);
	assert_int_equal(calltree_nr_rows(none) - 1, 5);
	check_row(none, "f", 9, 0, 0);
	check_row(none, "fg", 4, 0, 4);
	check_row(none, "fh", 2, 0, 2);
	check_row(none, "ff", 3, 0, 0);
	check_row(none, "ffg", 3, 0, 3);
	full = calltree_new(s.profile, COLLAPSE_FULL);
	assert_int_equal(calltree_nr_rows(full) - 1, 4);
	check_row(full, "f", 9, 0, 0);
	check_row(full, "fg", 4, 3, 7);
	check_row(full, "fh", 2, 0, 2);
	check_row(full, "ff", 3, 0, 0);
	assert_int_not_equal(calltree_rows(full)[row_find(full, "ff")].target, 0);
}

static void test_callers_example(void **state)
{
	_cleanup_profile_ struct profile *p = example();
	_cleanup_method_stacks_ struct method_stacks s = { 0 }, g = { 0 };
	_cleanup_calltree_ struct calltree *t = NULL, *u = NULL;

	method_callers(p, letter(p, 'f'), false, &s);
	assert_int_equal(s.samples, 9);
	assert_int_equal(s.call_sites, 2);
	t = calltree_new(s.profile, COLLAPSE_NONE);
	assert_int_equal(calltree_nr_rows(t) - 1, 5);
	check_row(t, "f", 9, 0, 0);
	check_row(t, "fx", 4, 0, 0);
	check_row(t, "fxm", 4, 0, 4);
	check_row(t, "fy", 5, 0, 0);
	check_row(t, "fym", 5, 0, 5);
	method_callers(p, letter(p, 'g'), true, &g);
	assert_int_equal(g.samples, 7);
	assert_int_equal(g.call_sites, 2);
	u = calltree_new(g.profile, COLLAPSE_FULL);
	check_row(u, "gf", 7, 0, 0);
	check_row(u, "gfy", 0, 3, 0);
}

/* Self of a recursive M begins at the last M; its own recursion then folds into the root. */
static void test_callers_self_recursive(void **state)
{
	_cleanup_method_stacks_ struct method_stacks s = { 0 };
	_cleanup_profile_ struct profile *p = NULL;
	_cleanup_calltree_ struct calltree *none = NULL, *full = NULL;
	struct stacks stacks = { 0 };

	stacks_add(&stacks, "m f", 1);
	stacks_add(&stacks, "m f f", 2);
	stacks_add(&stacks, "m f f f", 4);
	stacks_add(&stacks, "m f x", 8);
	p = stacks_profile(&stacks);
	method_callers(p, letter(p, 'f'), true, &s);
	assert_int_equal(s.samples, 7);
	assert_int_equal(s.call_sites, 3);
	none = calltree_new(s.profile, COLLAPSE_NONE);
	check_row(none, "f", 7, 0, 0);
	check_row(none, "fm", 1, 0, 1);
	check_row(none, "ff", 6, 0, 0);
	check_row(none, "fffm", 4, 0, 4);
	full = calltree_new(s.profile, COLLAPSE_FULL);
	check_row(full, "f", 7, 0, 0);
	check_row(full, "fm", 1, 6, 7);
}

/* ---- random sets, against the stacks as text --------------------------------------------------
 */

static uint64_t text_inclusive(const struct stacks *s, const char *part)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (strstr(s->text[i], part))
			sum += s->weight[i];
	return sum;
}

static uint64_t text_self(const struct stacks *s, char c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (s->text[i][strlen(s->text[i]) - 1] == c)
			sum += s->weight[i];
	return sum;
}

/* Distinct beginnings up to the first c. */
static uint64_t text_call_sites(const struct stacks *s, char c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->nr; i++) {
		const char *at = strchr(s->text[i], c);
		bool known = !at;

		for (size_t k = 0; k < i && !known; k++)
			known = !strncmp(s->text[k], s->text[i], at - s->text[i] + 1);
		n += !known;
	}
	return n;
}

/* With full, the first level is the exact arcs of the call graph; M under M is the stub. */
static void check_callees(const struct stacks *s, struct profile *p, char c)
{
	_cleanup_method_stacks_ struct method_stacks m = { 0 };

	method_callees(p, letter(p, c), &m);
	assert_int_equal(m.samples, text_inclusive(s, (char[]){ c, 0 }));
	assert_int_equal(m.call_sites, text_call_sites(s, c));
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
		_cleanup_calltree_ struct calltree *t = calltree_new(m.profile, d);
		row_id root = row_find(t, (char[]){ c, 0 });

		assert_int_equal(calltree_total(t), m.samples);
		if (root == ROW_TOP)
			continue;
		assert_int_equal(calltree_counts(t)[root].direct, m.samples);
		if (d != COLLAPSE_FULL)
			continue;
		assert_int_equal(calltree_counts(t)[root].self, text_self(s, c));
		for (char to = 'a'; to < 'g'; to++) {
			row_id r = row_find(t, (char[]){ c, to, 0 });

			assert_int_equal(r ? calltree_passed(&calltree_counts(t)[r]) : 0,
					 text_inclusive(s, (char[]){ c, to, 0 }));
		}
	}
}

static void check_callers(const struct stacks *s, struct profile *p, char c)
{
	for (int self = 0; self <= 1; self++) {
		_cleanup_method_stacks_ struct method_stacks m = { 0 };
		uint64_t want = self ? text_self(s, c) : text_inclusive(s, (char[]){ c, 0 });

		method_callers(p, letter(p, c), self, &m);
		assert_int_equal(m.samples, want);
		if (!self)
			assert_int_equal(m.call_sites, text_call_sites(s, c));
		for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
			_cleanup_calltree_ struct calltree *t = calltree_new(m.profile, d);
			row_id root = row_find(t, (char[]){ c, 0 });
			uint64_t first_level = 0;

			assert_int_equal(calltree_total(t), want);
			if (root == ROW_TOP)
				continue;
			assert_int_equal(calltree_counts(t)[root].direct, want);
			for (row_id r = 1; r < calltree_nr_rows(t); r++)
				if (calltree_rows(t)[r].parent == root)
					first_level += calltree_passed(&calltree_counts(t)[r]);
			if (!self) /* a partition, and no M below the root */
				assert_int_equal(first_level + calltree_counts(t)[root].self, want);
			if (!self)
				assert_int_equal(row_find(t, (char[]){ c, c, 0 }), ROW_TOP);
		}
	}
}

static void test_random_sets(void **state)
{
	for (int round = 0; round < 1500; round++) {
		_cleanup_profile_ struct profile *p = NULL;
		struct stacks s;

		stacks_random(&s);
		p = stacks_profile(&s);
		for (char c = 'a'; c < 'g'; c++) {
			check_callees(&s, p, c);
			check_callers(&s, p, c);
		}
	}
}

/* ---- which function is meant ------------------------------------------------------------------
 */

static void add_function(struct profile *p, const char *text)
{
	frame_id f = frame_table_add_text(profile_frames(p), text, strlen(text));

	profile_add(p, profile_child(p, NODE_ROOT, f), 1);
}

static void check_find(struct profile *p, const char *pattern, int want_error, const char *want)
{
	struct diag diag = { 0 };
	frame_id f = FRAME_NONE;

	assert_int_equal(function_find(p, pattern, &f, &diag), want_error);
	if (want_error)
		assert_string_equal(diag.text, want);
	else
		assert_int_equal(f, frame_table_add_text(profile_frames(p), want, strlen(want)));
}

static void test_find(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	add_function(p, "vfs_read_[k]");
	add_function(p, "vfs_read");
	add_function(p, "vfs_write_[k]");
	add_function(p, "operator[]");
	add_function(p, "main");
	frame_table_add_text(profile_frames(p), "in_no_stack", 11);
	check_find(p, "main", 0, "main");
	check_find(p, "vfs_read", 0, "vfs_read");
	check_find(p, "vfs_read_[k]", 0, "vfs_read_[k]");
	check_find(p, "vfs_write", 0, "vfs_write_[k]");
	check_find(p, "operator[]", 0, "operator[]");
	check_find(p, "ma*", 0, "main");
	check_find(p, "vfs_*", -ENOTUNIQ,
		   "matches 3 functions, name one: vfs_read_[k], vfs_read, vfs_write_[k]");
	check_find(p, "vfs_wrte", -ENOENT,
		   "no stack contains such a function; similar: vfs_write_[k]");
	check_find(p, "mian", -ENOENT, "no stack contains such a function; similar: main");
	check_find(p, "write", -ENOENT,
		   "no stack contains such a function; similar: vfs_write_[k]");
	check_find(p, "in_no_stack", -ENOENT, "no stack contains such a function");
	check_find(p, "", -ENOENT, "no stack contains such a function");
}

static void test_find_by_place(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *frames = profile_frames(p);
	struct frame f = { .name = frame_table_intern0(frames, "init"),
			   .module = frame_table_intern0(frames, "libx.so"),
			   .start = 0x10 };
	frame_id one = frame_table_add(frames, &f), two, found = FRAME_NONE;
	struct diag diag;

	f.start = 0x20;
	two = frame_table_add(frames, &f);
	profile_add(p, profile_child(p, profile_child(p, NODE_ROOT, one), two), 1);
	assert_int_equal(function_find(p, "init", &found, &diag), -ENOTUNIQ);
	assert_string_equal(diag.text, "matches 2 functions, name one: init (libx.so+0x10), "
				       "init (libx.so+0x20)");
	assert_int_equal(function_find(p, "init (libx.so+0x20)", &found, &diag), 0);
	assert_int_equal(found, two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callees_example),
		cmocka_unit_test(test_callers_example),
		cmocka_unit_test(test_callers_self_recursive),
		cmocka_unit_test(test_random_sets),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_by_place),
	};

	return cmocka_run_group_tests_name("method", tests, NULL, NULL);
}
