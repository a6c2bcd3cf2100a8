// SPDX-License-Identifier: GPL-2.0-or-later
/* The worked examples and edge cases, and equality with the model over random sets of stacks. */
#include "unit/analysis/calltree_model.h"

/* What a row must be: "direct indirect self level [target]" by path. */
struct expected {
	const char *path;
	uint64_t direct, indirect, self;
	const char *target; /* path of a stub's target; NULL: a node */
};

static void check_rows(const struct calltree *t, const struct expected *want)
{
	size_t nr = 0;

	for (; want->path; want++, nr++) {
		row_id r = row_find(t, want->path);
		const struct calltree_row *row = &calltree_rows(t)[r];
		const struct calltree_counts *c = &calltree_counts(t)[r];
		char target[MAX_STACK_LEN + 2];

		assert_int_not_equal(r, ROW_TOP);
		assert_int_equal(row->level, strlen(want->path));
		row_path(t, row->target, target);
		assert_string_equal(target, want->target ? want->target : "");
		assert_int_equal(c->direct, want->direct);
		assert_int_equal(c->indirect, want->indirect);
		if (!want->target)
			assert_int_equal(c->self, want->self);
	}
	assert_int_equal(calltree_nr_rows(t) - 1, nr);
}

static struct calltree *tree_of(const struct stacks *s, enum collapse_degree degree)
{
	_cleanup_profile_ struct profile *p = stacks_profile(s);

	return calltree_new(p, degree);
}

static void check_stack(const char *stack, enum collapse_degree degree, const struct expected *want)
{
	struct stacks s = { 0 };
	_cleanup_calltree_ struct calltree *t = NULL;

	stacks_add(&s, stack, 1);
	t = tree_of(&s, degree);
	check_rows(t, want);
}

static void e1_stacks(struct stacks *s)
{
	static const char *const stacks[] = { "m r",	 "m r s",   "m r r",
					      "m r r s", "m r r r", "m r r r s" };

	for (size_t i = 0; i < 6; i++)
		stacks_add(s, stacks[i], 1);
}

static void test_e1(void **state)
{
	static const struct expected none[] = {
		{ "m", 6, 0, 0, NULL },	    { "mr", 6, 0, 1, NULL },
		{ "mrs", 1, 0, 1, NULL },   { "mrr", 4, 0, 1, NULL },
		{ "mrrs", 1, 0, 1, NULL },  { "mrrr", 2, 0, 1, NULL },
		{ "mrrrs", 1, 0, 1, NULL }, { 0 },
	};
	static const struct expected folded[] = {
		{ "m", 6, 0, 0, NULL },
		{ "mr", 6, 0, 3, NULL },
		{ "mrs", 1, 2, 3, NULL },
		{ "mrr", 4, 0, 0, "mr" },
		{ 0 },
	};
	struct stacks s = { 0 };

	e1_stacks(&s);
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
		_cleanup_calltree_ struct calltree *t = tree_of(&s, d);

		check_rows(t, d == COLLAPSE_NONE ? none : folded);
		/* Seen first: s, with 1, before the stub r, with 4. */
		assert_true(calltree_rows(t)[row_find(t, "mrs")].first <
			    calltree_rows(t)[row_find(t, "mrr")].first);
	}
}

static void test_e2_to_e4(void **state)
{
	static const struct expected e2[] = {
		{ "m", 1, 0, 0, NULL },
		{ "ma", 1, 0, 0, NULL },
		{ "maa", 1, 0, 0, "ma" },
		{ "mab", 0, 1, 1, NULL },
		{ 0 },
	};
	static const struct expected e3[] = {
		{ "m", 1, 0, 0, NULL },	   { "ma", 1, 0, 0, NULL },    { "mab", 1, 0, 0, NULL },
		{ "maba", 1, 0, 0, NULL }, { "mabab", 1, 0, 1, NULL }, { 0 },
	};
	static const struct expected e4[] = {
		{ "m", 1, 0, 0, NULL },	   { "ma", 1, 0, 0, NULL },	{ "mab", 1, 0, 1, NULL },
		{ "maba", 1, 0, 0, NULL }, { "mabab", 1, 0, 0, "mab" }, { 0 },
	};
	static const struct expected e4_full[] = {
		{ "m", 1, 0, 0, NULL },
		{ "ma", 1, 0, 0, NULL },
		{ "mab", 1, 0, 1, NULL },
		{ "maba", 1, 0, 0, "ma" },
		{ 0 },
	};
	struct stacks s = { 0 };
	_cleanup_calltree_ struct calltree *t = NULL;

	check_stack("m a a a b", COLLAPSE_DIRECT, e2);
	check_stack("m a b a b", COLLAPSE_DIRECT, e3);
	check_stack("m a b a b", COLLAPSE_CONSERVATIVE, e4);
	check_stack("m a b a b", COLLAPSE_FULL, e4_full);
	stacks_add(&s, "m a a a b", 1);
	t = tree_of(&s, COLLAPSE_DIRECT);
	assert_int_equal(calltree_counts(t)[row_find(t, "maa")].crossings, 2);
}

static void test_e5(void **state)
{
	static const struct expected full[] = {
		{ "m", 1, 0, 0, NULL },	   { "ma", 1, 0, 0, NULL },	{ "mab", 1, 0, 0, NULL },
		{ "mabc", 1, 0, 0, NULL }, { "mabcb", 1, 0, 0, "mab" }, { "maba", 0, 1, 0, "ma" },
		{ "mad", 0, 1, 0, NULL },  { "madc", 0, 1, 1, NULL },	{ 0 },
	};
	struct stacks s = { 0 };

	check_stack("m a b c b a d c", COLLAPSE_FULL, full);
	stacks_add(&s, "m a b c b a d c", 1);
	for (enum collapse_degree d = COLLAPSE_NONE; d < COLLAPSE_FULL; d++) {
		_cleanup_calltree_ struct calltree *t = tree_of(&s, d);

		assert_int_equal(count_rows(t, true), 0);
		assert_int_equal(count_rows(t, false), 8);
	}
}

static void check_labels(const struct calltree *t, const char *path, uint32_t recursions,
			 uint32_t merged)
{
	const struct calltree_counts *c = &calltree_counts(t)[row_find(t, path)];

	assert_int_equal(c->recursions, recursions);
	assert_int_equal(c->places, merged);
}

static void test_jprofiler_labels(void **state)
{
	struct stacks simple = { 0 }, nested = { 0 };
	_cleanup_calltree_ struct calltree *t = NULL, *u = NULL;

	stacks_add(&simple, "m r s", 1);
	stacks_add(&simple, "m r r s", 1);
	t = tree_of(&simple, COLLAPSE_FULL);
	check_labels(t, "mr", 1, 1);
	check_labels(t, "mrs", 0, 2);
	check_labels(t, "mrr", 0, 1); /* one prefix moved */
	stacks_add(&nested, "m a r x", 1);
	stacks_add(&nested, "m a r r x", 1);
	stacks_add(&nested, "m a a r x", 1);
	stacks_add(&nested, "m a a r r x", 1);
	u = tree_of(&nested, COLLAPSE_FULL);
	check_labels(u, "ma", 1, 1);
	check_labels(u, "mar", 2, 2);
	check_labels(u, "marx", 0, 4);
}

/* Of the two readings of "the same method was already called higher up", the one that is built. */
static void test_mutual_recursion_reading(void **state)
{
	struct stacks s = { 0 };
	_cleanup_calltree_ struct calltree *t = NULL;

	stacks_add(&s, "m a b s", 1);
	stacks_add(&s, "m a b a b s", 1);
	t = tree_of(&s, COLLAPSE_FULL);
	check_labels(t, "mab", 0, 2);
	check_labels(t, "ma", 1, 1);
}

static void test_edge_cases(void **state)
{
	static const struct expected one[] = { { "m", 1, 0, 1, NULL }, { 0 } };
	static const struct expected root[] = {
		{ "x", 2, 0, 0, NULL }, { "xx", 2, 0, 0, "x" }, { "xy", 0, 2, 2, NULL }, { 0 }
	};
	static const struct expected ends_on_stub[] = { { "m", 1, 0, 0, NULL },
							{ "ma", 1, 0, 1, NULL },
							{ "mab", 1, 0, 0, NULL },
							{ "maba", 1, 0, 0, "ma" },
							{ 0 } };
	static const struct expected two_roots[] = { { "a", 3, 0, 0, NULL },
						     { "ab", 3, 0, 3, NULL },
						     { "b", 4, 0, 0, NULL },
						     { "ba", 4, 0, 4, NULL },
						     { 0 } };
	struct stacks x = { 0 }, roots = { 0 }, many = { 0 };
	_cleanup_calltree_ struct calltree *t = NULL, *u = NULL, *v = NULL;

	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++)
		check_stack("m", d, one);
	stacks_add(&x, "x x y", 2);
	t = tree_of(&x, COLLAPSE_DIRECT);
	check_rows(t, root);
	check_stack("m a b a", COLLAPSE_FULL, ends_on_stub);
	stacks_add(&roots, "a b", 3);
	stacks_add(&roots, "b a", 4);
	u = tree_of(&roots, COLLAPSE_FULL);
	check_rows(u, two_roots);
	stacks_add(&many, "m a b a b a b a", 5);
	v = tree_of(&many, COLLAPSE_FULL);
	assert_int_equal(calltree_counts(v)[row_find(v, "maba")].crossings, 15);
	assert_int_equal(calltree_passed(&calltree_counts(v)[row_find(v, "maba")]), 5);
}

/* No frames, no weight: no rows, and in no number. */
static void test_empty_stacks(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_calltree_ struct calltree *t = NULL;

	assert_int_equal(profile_add(p, NODE_ROOT, 7), 0);
	profile_add(p, stacks_node(p, "ab", 2), 0);
	profile_add(p, stacks_node(p, "c", 1), 2);
	t = calltree_new(p, COLLAPSE_FULL);
	assert_int_equal(calltree_total(t), 2);
	assert_int_equal(calltree_nr_rows(t), 2);
	assert_int_equal(calltree_end(t, stacks_node(p, "ab", 2)), ROW_TOP);
}

/* Two static functions of one name are two; the name decides nothing. */
static void test_identity_is_not_the_name(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *frames = profile_frames(p);
	struct frame f = { .name = frame_table_intern0(frames, "init"), .start = 0x1000 };
	frame_id stack[2] = { frame_table_add(frames, &f) };
	_cleanup_calltree_ struct calltree *t = NULL;

	f.start = 0x2000;
	stack[1] = frame_table_add(frames, &f);
	profile_add(p, profile_stack(p, stack, 2), 1);
	t = calltree_new(p, COLLAPSE_FULL);
	assert_int_equal(count_rows(t, true), 0);
	assert_int_equal(count_rows(t, false), 2);
}

/* ---- against the model ----------------------------------------------------------------------- */

static void model_path(const struct model *m, int row, char *buf)
{
	int at = m->rows[row].level;

	buf[at] = '\0';
	for (; row; row = m->rows[row].parent)
		buf[--at] = m->rows[row].func;
}

static void check_against_model(const struct model *m, const struct calltree *t)
{
	row_id same[MAX_MODEL_ROWS] = { 0 };
	char path[MAX_STACK_LEN + 2];

	assert_int_equal(calltree_nr_rows(t), m->nr);
	for (int i = 1; i < m->nr; i++) {
		const struct model_row *want = &m->rows[i];
		const struct calltree_counts *got;

		model_path(m, i, path);
		same[i] = row_find(t, path);
		assert_int_not_equal(same[i], ROW_TOP);
		got = &calltree_counts(t)[same[i]];
		assert_memory_equal(got, &want->counts, sizeof(*got));
		assert_int_equal(calltree_rows(t)[same[i]].target, same[want->target]);
		assert_int_equal(calltree_rows(t)[same[i]].level, want->level);
	}
	for (int i = 1; i < m->nr; i++)
		for (int k = i + 1; k < m->nr; k++)
			if (m->rows[i].parent == m->rows[k].parent)
				assert_true(calltree_rows(t)[same[i]].first <
					    calltree_rows(t)[same[k]].first);
}

static void test_random_against_model(void **state)
{
	static struct model model;

	for (int round = 0; round < 6000; round++) {
		struct stacks s;
		_cleanup_profile_ struct profile *p = NULL;

		stacks_random(&s);
		p = stacks_profile(&s);
		for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
			_cleanup_calltree_ struct calltree *t = calltree_new(p, d);

			model_build(&model, &s, d);
			check_against_model(&model, t);
		}
	}
}

/* A tree that is refreshed as its profile grows is the tree of the grown profile. */
static void test_refresh(void **state)
{
	static struct model model;

	for (int round = 0; round < 1000; round++) {
		enum collapse_degree d = test_random_below(NR_COLLAPSE_DEGREES);
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		_cleanup_calltree_ struct calltree *t = calltree_new(p, d);
		struct stacks all, now = { 0 };

		stacks_random(&all);
		for (size_t i = 0; i < all.nr; i++) {
			stacks_add(&now, all.text[i], all.weight[i]);
			profile_add(p, stacks_node(p, all.text[i], strlen(all.text[i])),
				    all.weight[i]);
			calltree_refresh(t, p);
			model_build(&model, &now, d);
			check_against_model(&model, t);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_e1),
		cmocka_unit_test(test_e2_to_e4),
		cmocka_unit_test(test_e5),
		cmocka_unit_test(test_jprofiler_labels),
		cmocka_unit_test(test_mutual_recursion_reading),
		cmocka_unit_test(test_edge_cases),
		cmocka_unit_test(test_empty_stacks),
		cmocka_unit_test(test_identity_is_not_the_name),
		cmocka_unit_test(test_random_against_model),
		cmocka_unit_test(test_refresh),
	};

	return cmocka_run_group_tests_name("calltree", tests, NULL, NULL);
}
