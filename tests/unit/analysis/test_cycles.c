// SPDX-License-Identifier: GPL-2.0-or-later
/* Cycles: the key fact of sampled stacks as an invariant, phantoms against a model, numbering. */
#include "unit/analysis/stacks.h"

static bool is_member(const struct stacks *s, uint32_t f, uint32_t component)
{
	return callgraph_cycles(s->cg)->of[f] == component;
}

/* ---- the model: one component at a time, one stack at a time --------------------------------- */

struct want {
	uint64_t touched, reentered, self;
	uint32_t observed, nr_entries;
};

static void model_groups(const struct stack *stack, uint32_t *group)
{
	for (size_t i = 0; i < stack->nr; i++)
		for (size_t k = i + 1; k < stack->nr; k++)
			for (size_t m = i; stack->frames[i] == stack->frames[k] && m < k; m++) {
				uint32_t from = group[stack->frames[m]];

				for (uint32_t f = 0; f < STACKS_FUNCTIONS_MAX; f++)
					if (group[f] == from)
						group[f] = group[stack->frames[k]];
			}
}

static bool stack_stands_twice(const struct stacks *s, const struct stack *stack, uint32_t x)
{
	for (size_t i = 0; i < stack->nr; i++)
		for (size_t k = i + 1; k < stack->nr; k++)
			if (is_member(s, stack->frames[i], x) &&
			    stack->frames[i] == stack->frames[k])
				return true;
	return false;
}

static struct want model_component(const struct stacks *s, uint32_t x, const uint32_t *group)
{
	uint32_t size[STACKS_FUNCTIONS_MAX] = { 0 };
	bool is_entry[STACKS_FUNCTIONS_MAX] = { false };
	struct want want = { 0 };

	for (size_t i = 0; i < s->nr; i++) {
		const struct stack *stack = &s->list[i];
		unsigned int nr_ways_in = 0;

		if (!stack->weight)
			continue;
		for (size_t k = 0; k < stack->nr; k++)
			if (is_member(s, stack->frames[k], x) &&
			    (!k || !is_member(s, stack->frames[k - 1], x))) {
				nr_ways_in++;
				is_entry[stack->frames[k]] = true;
			}
		assert_in_range(nr_ways_in, 0, 1); /* a cycle is entered once a stack */
		want.touched += nr_ways_in ? stack->weight : 0;
		if (is_member(s, stack->frames[stack->nr - 1], x))
			want.self += stack->weight;
		if (stack_stands_twice(s, stack, x))
			want.reentered += stack->weight;
	}
	for (uint32_t f = 1; f < callgraph_graph(s->cg)->nr_functions; f++) {
		want.nr_entries += is_entry[f];
		if (is_member(s, f, x) && ++size[group[f]] > want.observed)
			want.observed = size[group[f]];
	}
	if (!want.reentered)
		want.observed = 0;
	return want;
}

static void check_components(const struct stacks *s)
{
	const struct cycles *c = callgraph_cycles(s->cg);
	uint32_t group[STACKS_FUNCTIONS_MAX];

	for (uint32_t f = 0; f < STACKS_FUNCTIONS_MAX; f++)
		group[f] = f;
	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].weight)
			model_groups(&s->list[i], group);
	for (uint32_t x = 0; x < c->nr_components; x++) {
		const struct component *got = &c->components[x];
		struct want want = model_component(s, x, group);

		if (c->members[got->first] == GRAPH_NOBODY)
			continue;
		assert_int_equal(got->arrivals, want.touched);
		assert_int_equal(got->self, want.self);
		/* Child and self of every component are its inclusive samples. */
		assert_int_equal(got->self + got->children, want.touched);
		assert_int_equal(got->nr_entries, want.nr_entries);
		assert_int_equal(got->reentered, want.reentered);
		assert_int_equal(got->number != 0, got->nr > 1);
		if (got->number)
			assert_int_equal(got->observed, want.observed);
	}
}

/* Arcs between components are counted once a stack as they are; and where their samples end. */
static void check_arcs(const struct stacks *s)
{
	const struct cycles *c = callgraph_cycles(s->cg);
	const struct graph *g = callgraph_graph(s->cg);

	for (uint32_t a = 0; a < g->nr_arcs; a++) {
		const struct graph_arc *arc = &g->arcs[a];
		uint64_t ends = 0;

		if (cycles_is_inner(c, arc))
			continue;
		assert_int_equal(arc->frames, arc->inclusive);
		for (size_t i = 0; i < s->nr; i++) {
			const struct stack *stack = &s->list[i];

			for (size_t k = 0; k < stack->nr; k++)
				if (stack->frames[k] == arc->callee &&
				    (k ? stack->frames[k - 1] : GRAPH_NOBODY) == arc->caller &&
				    c->of[stack->frames[stack->nr - 1]] == c->of[arc->callee])
					ends += stack->weight;
		}
		assert_int_equal(arc->ends, ends);
	}
}

static void test_random_stacks(void **state)
{
	unsigned int nr_cycles = 0, nr_phantoms = 0;

	for (int round = 0; round < 3000; round++) {
		const struct cycles *c;
		struct stacks s;

		stacks_random(&s);
		check_components(&s);
		check_arcs(&s);
		c = callgraph_cycles(s.cg);
		nr_cycles += c->nr_cycles;
		for (uint32_t i = 0; i < c->nr_cycles; i++)
			nr_phantoms += !c->components[c->printed[i]].reentered;
		stacks_deinit(&s);
	}
	/* The inputs are worth something. */
	assert_true(nr_cycles > 1000);
	assert_true(nr_phantoms > 100);
}

/* b calls a only when not called from a: a cycle for a graph, never one for the stacks. */
static void test_phantom(void **state)
{
	const struct component *x;
	struct stacks s;

	stacks_make(&s, "m;a;b 3 m;b;a 4 m 2");
	x = stacks_component(&s, "a");
	assert_int_equal(x->number, 1);
	assert_int_equal(x->arrivals, 7);
	assert_int_equal(x->reentered, 0);
	assert_int_equal(x->observed, 0);
	stacks_deinit(&s);
}

/* The groups say which part of a cycle is real. */
static void test_partly_real(void **state)
{
	const struct component *x;
	struct stacks s;

	stacks_make(&s, "a;b;a 2 b;c 5 c;d 1 d;a 7");
	x = stacks_component(&s, "a");
	assert_int_equal(x->nr, 4);
	assert_int_equal(x->arrivals, 15);
	assert_int_equal(x->reentered, 2);
	assert_int_equal(x->observed, 2);
	stacks_deinit(&s);
}

static void test_self_recursion_is_no_cycle(void **state)
{
	struct stacks s;

	stacks_make(&s, "m;f;f;f 3 m;g;f 1");
	assert_int_equal(callgraph_cycles(s.cg)->nr_cycles, 0);
	assert_int_equal(stacks_component(&s, "f")->inner, 6);
	assert_int_equal(stacks_component(&s, "f")->reentered, 3);
	stacks_deinit(&s);
}

/* a<->b and b<->c are one cycle of three. */
static void test_cycles_are_maximal(void **state)
{
	struct stacks s;

	stacks_make(&s, "m;a;b;a 1 m;b;c;b 1");
	assert_int_equal(callgraph_cycles(s.cg)->nr_cycles, 1);
	assert_int_equal(stacks_component(&s, "c")->nr, 3);
	stacks_deinit(&s);
}

static void test_numbers_by_time(void **state)
{
	struct stacks s;

	stacks_make(&s, "m;a;b;a 5 m;z;y;z 9 m;q;r;q 4 m;p;n;p 4");
	assert_int_equal(stacks_component(&s, "z")->number, 1);
	assert_int_equal(stacks_component(&s, "a")->number, 2);
	assert_int_equal(stacks_component(&s, "n")->number, 3); /* a tie: by name */
	assert_int_equal(stacks_component(&s, "q")->number, 4);
	stacks_deinit(&s);
	stacks_make(&s, "m;y;z;y;a;b;a 5");
	assert_int_equal(stacks_component(&s, "z")->number, 1); /* a tie: callers first */
	assert_int_equal(stacks_component(&s, "a")->number, 2);
	stacks_deinit(&s);
}

/* In a live display a cycle keeps its number while its largest member stays in it. */
static void test_numbers_stay(void **state)
{
	struct stacks s;

	stacks_make(&s, "m;a;b;a 5 m;c;d;c 3");
	assert_int_equal(stacks_component(&s, "a")->number, 1);
	stacks_parse(&s, "m;c;d;c;x 30 m;e;f;e 50");
	stacks_update(&s);
	assert_int_equal(stacks_component(&s, "a")->number, 1);
	assert_int_equal(stacks_component(&s, "c")->number, 2);
	assert_int_equal(stacks_component(&s, "e")->number, 3);
	/* Printed by time nevertheless. */
	assert_ptr_equal(&callgraph_cycles(s.cg)->components[callgraph_cycles(s.cg)->printed[0]],
			 stacks_component(&s, "e"));
	/* 1 and 2 become one: the number of its largest member that had one. */
	stacks_parse(&s, "m;b;c 1 m;d;a 1");
	stacks_update(&s);
	assert_ptr_equal(stacks_component(&s, "a"), stacks_component(&s, "d"));
	assert_int_equal(stacks_component(&s, "a")->number, 2);
	assert_int_equal(stacks_component(&s, "e")->number, 3);
	stacks_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_stacks),
		cmocka_unit_test(test_phantom),
		cmocka_unit_test(test_partly_real),
		cmocka_unit_test(test_self_recursion_is_no_cycle),
		cmocka_unit_test(test_cycles_are_maximal),
		cmocka_unit_test(test_numbers_by_time),
		cmocka_unit_test(test_numbers_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
