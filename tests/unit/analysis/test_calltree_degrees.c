// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the degrees compare: what holds, over random sets of stacks, and, each with its smallest
 * example, what one might think holds and does not.  Then the sizes at which a search or a
 * recursion would show.
 */
#include "unit/analysis/calltree_model.h"

/* One set in all four degrees. */
struct forest {
	struct stacks stacks;
	struct profile *profile;
	struct calltree *trees[NR_COLLAPSE_DEGREES];
};

static void forest_init(struct forest *f)
{
	f->profile = stacks_profile(&f->stacks);
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++)
		f->trees[d] = calltree_new(f->profile, d);
}

static void forest_deinit(struct forest *f)
{
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++)
		calltree_free(f->trees[d]);
	profile_free(f->profile);
}

/* 1: the sums, in every degree. */
static void check_sums(const struct forest *f, const struct calltree *t)
{
	uint64_t total = stacks_total(&f->stacks), self = 0, roots = 0;

	assert_int_equal(calltree_total(t), total);
	for (row_id r = 1; r < calltree_nr_rows(t); r++) {
		const struct calltree_counts *c = &calltree_counts(t)[r];

		self += calltree_rows(t)[r].target ? 0 : c->self;
		if (calltree_rows(t)[r].level == 1) {
			roots += c->direct;
			assert_int_equal(c->indirect, 0);
		}
	}
	assert_int_equal(self, total);
	assert_int_equal(roots, total);
}

/* 2: direct is the number of samples whose stack literally begins with the chain. */
static void check_direct(const struct forest *f, const struct calltree *t)
{
	for (row_id r = 1; r < calltree_nr_rows(t); r++) {
		uint64_t begin = 0;
		char path[MAX_STACK_LEN + 2];

		row_path(t, r, path);
		for (size_t i = 0; i < f->stacks.nr; i++)
			if (!strncmp(f->stacks.text[i], path, strlen(path)))
				begin += f->stacks.weight[i];
		assert_int_equal(calltree_counts(t)[r].direct, begin);
	}
}

/* 3: the direct column is additive, stubs counted as children. */
static void check_direct_additive(const struct forest *f, const struct calltree *t)
{
	for (row_id r = 1; r < calltree_nr_rows(t); r++) {
		uint64_t sum = 0;
		char path[MAX_STACK_LEN + 2];

		if (calltree_rows(t)[r].target)
			continue;
		row_path(t, r, path);
		for (size_t i = 0; i < f->stacks.nr; i++)
			if (!strcmp(f->stacks.text[i], path))
				sum += f->stacks.weight[i];
		for (row_id k = 1; k < calltree_nr_rows(t); k++)
			if (calltree_rows(t)[k].parent == r)
				sum += calltree_counts(t)[k].direct;
		assert_int_equal(calltree_counts(t)[r].direct, sum);
	}
}

/* 4: nobody has more than its parent, no stub more than its target. */
static void check_bounds(const struct calltree *t)
{
	const struct calltree_counts *c = calltree_counts(t);

	for (row_id r = 1; r < calltree_nr_rows(t); r++) {
		const struct calltree_row *row = &calltree_rows(t)[r];

		if (row->parent)
			assert_true(calltree_passed(&c[r]) <= calltree_passed(&c[row->parent]));
		if (row->target)
			assert_true(calltree_passed(&c[r]) <= calltree_passed(&c[row->target]));
		assert_true(row->target || c[r].self <= calltree_passed(&c[r]));
	}
}

/* 5 and 7: chain length, deepest level and first and last name of each stack; who crosses. */
static void check_chains(const struct forest *f)
{
	for (size_t i = 0; i < f->stacks.nr; i++) {
		const char *s = f->stacks.text[i];
		size_t len = strlen(s), last_chain = len, last_deepest = len;
		bool crossed_before = false;

		for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
			const struct calltree *t = f->trees[d];
			size_t deepest = 0, chain = 0;
			char path[MAX_STACK_LEN + 2];

			for (size_t k = 1; k <= len; k++) {
				node_id prefix = stacks_node(f->profile, s, k);
				row_id end = calltree_end(t, prefix);

				chain = calltree_rows(t)[end].level;
				deepest = chain > deepest ? chain : deepest;
				row_path(t, end, path);
			}
			assert_true(chain <= last_chain && deepest <= last_deepest);
			assert_int_equal(path[0], s[0]);
			assert_int_equal(path[chain - 1], s[len - 1]);
			assert_true(!crossed_before || chain < len);
			crossed_before = chain < len;
			last_chain = chain;
			last_deepest = deepest;
		}
	}
}

/* 6: nodes. */
static void check_nodes(const struct forest *f)
{
	size_t nr[NR_COLLAPSE_DEGREES];

	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++)
		nr[d] = count_rows(f->trees[d], false);
	assert_true(nr[COLLAPSE_NONE] >= nr[COLLAPSE_DIRECT]);
	assert_true(nr[COLLAPSE_DIRECT] >= nr[COLLAPSE_CONSERVATIVE]);
	assert_true(nr[COLLAPSE_DIRECT] >= nr[COLLAPSE_FULL]);
}

static void assert_same_profile(const struct profile *a, const struct profile *b)
{
	_cleanup_free_ node_id *at = NULL;

	assert_int_equal(profile_nr_nodes(a), profile_nr_nodes(b));
	assert_int_equal(profile_total(a), profile_total(b));
	at = calloc(profile_nr_nodes(a), sizeof(*at));
	for (node_id n = 1; n < profile_nr_nodes(a); n++) {
		at[n] = profile_find_child(b, at[profile_parent(a, n)], profile_frame(a, n));
		assert_int_not_equal(at[n], NODE_DROP);
		assert_int_equal(profile_self(a, n), profile_self(b, at[n]));
	}
}

/* 8: collapsing twice. */
static void check_twice(const struct forest *f)
{
	struct profile *once[NR_COLLAPSE_DEGREES];

	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
		_cleanup_profile_ struct profile *twice = NULL;

		once[d] = calltree_collapse(f->profile, d);
		twice = calltree_collapse(once[d], d);
		assert_same_profile(once[d], twice);
		assert_int_equal(profile_total(once[d]), stacks_total(&f->stacks));
	}
	for (enum collapse_degree d = COLLAPSE_CONSERVATIVE; d <= COLLAPSE_FULL; d++) {
		_cleanup_profile_ struct profile *p = calltree_collapse(once[COLLAPSE_DIRECT], d);

		assert_same_profile(once[d], p);
	}
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++)
		profile_free(once[d]);
}

/* 9: each distinct prefix went somewhere. */
static void check_prefixes(const struct forest *f, const struct calltree *t)
{
	size_t places = 0, recursions = 0, moved = 0;

	for (row_id r = 1; r < calltree_nr_rows(t); r++) {
		const struct calltree_counts *c = &calltree_counts(t)[r];

		*(calltree_rows(t)[r].target ? &moved : &places) += c->places;
		recursions += c->recursions;
	}
	assert_int_equal(places + recursions, profile_nr_nodes(f->profile) - 1);
	assert_int_equal(moved, recursions);
}

/* 10: the order of stacks changes nothing but the order of siblings. */
static void check_order(const struct forest *f)
{
	struct stacks shuffled = f->stacks;
	_cleanup_profile_ struct profile *p = NULL;

	for (size_t i = shuffled.nr - 1; i > 0; i--) {
		size_t k = test_random_below(i + 1);
		struct stacks keep = shuffled;

		memcpy(shuffled.text[i], keep.text[k], sizeof(keep.text[k]));
		memcpy(shuffled.text[k], keep.text[i], sizeof(keep.text[i]));
		shuffled.weight[i] = keep.weight[k];
		shuffled.weight[k] = keep.weight[i];
	}
	p = stacks_profile(&shuffled);
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
		_cleanup_calltree_ struct calltree *t = calltree_new(p, d);

		assert_int_equal(calltree_nr_rows(t), calltree_nr_rows(f->trees[d]));
		for (row_id r = 1; r < calltree_nr_rows(t); r++) {
			char path[MAX_STACK_LEN + 2];
			row_id same;

			row_path(t, r, path);
			same = row_find(f->trees[d], path);
			assert_int_not_equal(same, ROW_TOP);
			assert_memory_equal(&calltree_counts(t)[r],
					    &calltree_counts(f->trees[d])[same],
					    sizeof(struct calltree_counts));
		}
	}
}

static void test_invariants(void **state)
{
	for (int round = 0; round < 6000; round++) {
		struct forest f = { 0 };

		stacks_random(&f.stacks);
		forest_init(&f);
		for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
			check_sums(&f, f.trees[d]);
			check_direct(&f, f.trees[d]);
			check_direct_additive(&f, f.trees[d]);
			check_bounds(f.trees[d]);
			check_prefixes(&f, f.trees[d]);
		}
		check_chains(&f);
		check_nodes(&f);
		if (round % 4 == 0) {
			check_twice(&f);
			check_order(&f);
		}
		forest_deinit(&f);
	}
}

/* ---- what does not hold ---------------------------------------------------------------------- */

static void test_full_may_have_more_nodes(void **state)
{
	struct forest f = { 0 };
	_cleanup_profile_ struct profile *conservative = NULL, *both = NULL;
	_cleanup_calltree_ struct calltree *t = NULL;

	stacks_add(&f.stacks, "m a b c a c x", 1);
	stacks_add(&f.stacks, "m a b c x", 1);
	forest_init(&f);
	assert_int_equal(count_rows(f.trees[COLLAPSE_CONSERVATIVE], false), 6);
	assert_int_equal(count_rows(f.trees[COLLAPSE_FULL], false), 7);
	/* Nor is full after conservative the same as full. */
	conservative = calltree_collapse(f.profile, COLLAPSE_CONSERVATIVE);
	t = calltree_new(conservative, COLLAPSE_FULL);
	assert_int_not_equal(calltree_nr_rows(t), calltree_nr_rows(f.trees[COLLAPSE_FULL]));
	forest_deinit(&f);
}

static uint64_t crossings(const char *stack, enum collapse_degree d)
{
	struct forest f = { 0 };
	uint64_t sum = 0;

	stacks_add(&f.stacks, stack, 1);
	forest_init(&f);
	for (row_id r = 1; r < calltree_nr_rows(f.trees[d]); r++)
		if (calltree_rows(f.trees[d])[r].target)
			sum += calltree_counts(f.trees[d])[r].crossings;
	forest_deinit(&f);
	return sum;
}

static void test_full_may_cross_less(void **state)
{
	assert_int_equal(crossings("a b c a c b a b c", COLLAPSE_CONSERVATIVE), 3);
	assert_int_equal(crossings("a b c a c b a b c", COLLAPSE_FULL), 2);
}

static size_t stub_lines(const char *stack, enum collapse_degree d)
{
	struct forest f = { 0 };
	size_t nr;

	stacks_add(&f.stacks, stack, 1);
	forest_init(&f);
	nr = count_rows(f.trees[d], true);
	forest_deinit(&f);
	return nr;
}

static void test_stub_lines_do_not_rise(void **state)
{
	assert_true(stub_lines("b b a a b b a a", COLLAPSE_DIRECT) >
		    stub_lines("b b a a b b a a", COLLAPSE_FULL));
	assert_true(stub_lines("a a b a a b", COLLAPSE_CONSERVATIVE) >
		    stub_lines("a a b a a b", COLLAPSE_FULL));
}

static void test_full_chain_is_not_a_part_of_conservative(void **state)
{
	struct forest f = { 0 };
	char path[MAX_STACK_LEN + 2];
	node_id end;

	stacks_add(&f.stacks, "a b a c d c b d", 1);
	forest_init(&f);
	end = stacks_node(f.profile, "abacdcbd", 8);
	row_path(f.trees[COLLAPSE_CONSERVATIVE], calltree_end(f.trees[COLLAPSE_CONSERVATIVE], end),
		 path);
	assert_string_equal(path, "abacd");
	row_path(f.trees[COLLAPSE_FULL], calltree_end(f.trees[COLLAPSE_FULL], end), path);
	assert_string_equal(path, "acbd");
	forest_deinit(&f);
}

static void test_children_do_not_add_up(void **state)
{
	struct forest f = { 0 };
	const struct calltree *t;

	stacks_add(&f.stacks, "m a b c b a d c", 1);
	forest_init(&f);
	t = f.trees[COLLAPSE_FULL];
	assert_int_equal(calltree_passed(&calltree_counts(t)[row_find(t, "ma")]), 1);
	assert_int_equal(calltree_passed(&calltree_counts(t)[row_find(t, "mab")]), 1);
	assert_int_equal(calltree_passed(&calltree_counts(t)[row_find(t, "mad")]), 1);
	forest_deinit(&f);
}

/* ---- FlameGraph's stackcollapse-recursive.pl ------------------------------------------------- */

/* Its loop: a frame equal to the one before is left out; what is equal then adds up. */
static void test_direct_is_stackcollapse_recursive(void **state)
{
	for (int round = 0; round < 6000; round++) {
		struct stacks s, shorter = { 0 };
		_cleanup_profile_ struct profile *p = NULL, *want = NULL, *got = NULL;

		stacks_random(&s);
		for (size_t i = 0; i < s.nr; i++) {
			char result[MAX_STACK_LEN + 1];
			size_t n = 0;
			char last = '\0';

			for (const char *c = s.text[i]; *c; c++)
				if (*c != last)
					last = result[n++] = *c;
			result[n] = '\0';
			stacks_add(&shorter, result, s.weight[i]);
		}
		p = stacks_profile(&s);
		want = profile_new(profile_frames(p));
		for (size_t i = 0; i < shorter.nr; i++)
			profile_add(want,
				    stacks_node(want, shorter.text[i], strlen(shorter.text[i])),
				    shorter.weight[i]);
		got = calltree_collapse(p, COLLAPSE_DIRECT);
		assert_same_profile(want, got);
	}
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static frame_id function(struct profile *p, size_t i)
{
	struct frame f = { .start = i };

	f.name = frame_table_intern0(profile_frames(p), "f");
	return frame_table_add(profile_frames(p), &f);
}

/* 100 000 functions below each other, and the same again: one cycle through all of them. */
static void test_deep_distinct(void **state)
{
	static const size_t want_level[] = { 200000, 200000, 100000, 100000 };
	static const size_t want_nodes[] = { 200000, 200000, 199999, 100000 };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	node_id n = NODE_ROOT;

	for (size_t i = 0; i < 200000; i++) {
		n = profile_child(p, n, function(p, i % 100000));
		profile_add(p, n, 1);
	}
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
		_cleanup_calltree_ struct calltree *t = calltree_new(p, d);

		/* Conservative goes round once more: the first return would lose 99 999 names. */
		assert_int_equal(count_rows(t, true), d >= COLLAPSE_CONSERVATIVE);
		assert_int_equal(count_rows(t, false), want_nodes[d]);
		assert_int_equal(calltree_rows(t)[calltree_end(t, n)].level, want_level[d]);
	}
}

/* A function under itself 50 000 times, alone and with another one in between. */
static void test_deep_recursion(void **state)
{
	for (size_t functions = 1; functions <= 2; functions++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		node_id n = NODE_ROOT;

		for (size_t i = 0; i < 50000; i++)
			for (size_t k = 0; k < functions; k++) {
				n = profile_child(p, n, function(p, k));
				profile_add(p, n, 1);
			}
		for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
			_cleanup_calltree_ struct calltree *t = calltree_new(p, d);
			_cleanup_profile_ struct profile *q = calltree_collapse(p, d);

			assert_int_equal(profile_total(q), 50000 * functions);
			if (d == COLLAPSE_NONE || (d == COLLAPSE_DIRECT && functions == 2))
				assert_int_equal(count_rows(t, false), 50000 * functions);
			else
				assert_true(calltree_nr_rows(t) <= 5);
		}
	}
}

/* a, x0, a, x1, a, ...: conservative keeps all of them; then back to each of the xs in turn. */
static void test_deep_copies(void **state)
{
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		node_id n = NODE_ROOT;

		for (size_t i = 1; i <= 50000; i++) {
			n = profile_child(p, n, function(p, 0));
			n = profile_child(p, n, function(p, i));
		}
		for (size_t i = 1; i <= 50000; i++)
			profile_add(p, profile_child(p, n, function(p, i)), 1);
		for (size_t i = 50000; i > 0; i--)
			n = profile_child(p, n, function(p, i));
		profile_add(p, n, 1);
		{
			_cleanup_calltree_ struct calltree *t = calltree_new(p, d);

			assert_int_equal(calltree_total(t), 50001);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_invariants),
		cmocka_unit_test(test_full_may_have_more_nodes),
		cmocka_unit_test(test_full_may_cross_less),
		cmocka_unit_test(test_stub_lines_do_not_rise),
		cmocka_unit_test(test_full_chain_is_not_a_part_of_conservative),
		cmocka_unit_test(test_children_do_not_add_up),
		cmocka_unit_test(test_direct_is_stackcollapse_recursive),
		cmocka_unit_test(test_deep_distinct),
		cmocka_unit_test(test_deep_recursion),
		cmocka_unit_test(test_deep_copies),
	};

	return cmocka_run_group_tests_name("calltree_degrees", tests, NULL, NULL);
}
