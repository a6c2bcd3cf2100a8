// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact numbers: the fixture with known answers, and random stacks against counting by hand. */
#include "unit/analysis/stacks.h"

static void test_fixture(void **state)
{
	static const char *const functions[] = { "main", "a", "b", "c", "fact", "mul", "leaf" };
	static const uint64_t inclusive[] = { 32, 15, 15, 15, 10, 7, 5 };
	static const struct {
		const char *caller, *callee;
		uint64_t inclusive;
	} arcs[] = {
		{ "main", "a", 15 },  { "a", "b", 15 },	      { "b", "a", 10 },
		{ "b", "c", 15 },     { "main", "fact", 10 }, { "fact", "fact", 10 },
		{ "fact", "mul", 7 },
	};
	struct stacks s;
	const struct graph *g;

	stacks_make(&s, "main;a;b;a;b;c 10 main;a;b;c 5 main;fact;fact;fact;mul 7 "
			"main;fact;fact 3 main;leaf 5 main;irq_handler_[k];timer_[k] 2");
	g = callgraph_graph(s.cg);
	assert_int_equal(callgraph_total(s.cg), 32);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		assert_int_equal(g->functions[stacks_function(&s, functions[i])].inclusive,
				 inclusive[i]);
	for (size_t i = 0; i < sizeof(arcs) / sizeof(*arcs); i++)
		assert_int_equal(g->arcs[stacks_arc(&s, arcs[i].caller, arcs[i].callee)].inclusive,
				 arcs[i].inclusive);
	assert_int_equal(g->functions[stacks_function(&s, "fact")].depth, 3);
	assert_int_equal(g->functions[stacks_function(&s, "fact")].frames, 27);
	assert_int_equal(g->functions[stacks_function(&s, "a")].depth, 2);
	assert_int_equal(g->functions[stacks_function(&s, "timer_[k]")].self, 2);
	assert_int_equal(callgraph_cycles(s.cg)->nr_cycles, 1);
	assert_int_equal(stacks_component(&s, "a")->number, 1);
	assert_ptr_equal(stacks_component(&s, "a"), stacks_component(&s, "b"));
	assert_int_equal(stacks_component(&s, "fact")->number, 0);
	stacks_deinit(&s);
}

/* ---- counting by hand ------------------------------------------------------------------------ */

static unsigned int stack_count(const struct stack *stack, frame_id f)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < stack->nr; i++)
		nr += stack->frames[i] == f;
	return nr;
}

static unsigned int stack_count_arc(const struct stack *stack, frame_id u, frame_id v)
{
	unsigned int nr = 0;

	if (!u)
		return stack->frames[0] == v;
	for (size_t i = 1; i < stack->nr; i++)
		nr += stack->frames[i - 1] == u && stack->frames[i] == v;
	return nr;
}

static void check_functions(const struct stacks *s)
{
	const struct graph *g = callgraph_graph(s->cg);
	uint64_t total = 0;

	for (uint32_t f = 1; f < g->nr_functions; f++) {
		struct graph_function want = { 0 };

		for (size_t i = 0; i < s->nr; i++) {
			const struct stack *stack = &s->list[i];
			unsigned int nr = stack_count(stack, f);

			if (!stack->weight)
				continue;
			want.frames += nr * stack->weight;
			want.inclusive += nr ? stack->weight : 0;
			want.depth = nr > want.depth ? nr : want.depth;
			if (stack->frames[stack->nr - 1] == f)
				want.self += stack->weight;
		}
		total += want.self;
		assert_int_equal(g->functions[f].inclusive, want.inclusive);
		assert_int_equal(g->functions[f].frames, want.frames);
		assert_int_equal(g->functions[f].self, want.self);
		assert_int_equal(g->functions[f].depth, want.depth);
	}
	assert_int_equal(total, callgraph_total(s->cg));
}

static void check_arcs(const struct stacks *s)
{
	const struct graph *g = callgraph_graph(s->cg);
	uint64_t seen = 0, want = 0;

	for (uint32_t a = 0; a < g->nr_arcs; a++) {
		const struct graph_arc *arc = &g->arcs[a];
		uint64_t inclusive = 0, frames = 0;

		for (size_t i = 0; i < s->nr; i++) {
			unsigned int nr = stack_count_arc(&s->list[i], arc->caller, arc->callee);

			frames += nr * s->list[i].weight;
			inclusive += nr ? s->list[i].weight : 0;
		}
		assert_true(frames > 0);
		assert_int_equal(arc->inclusive, inclusive);
		assert_int_equal(arc->frames, frames);
		seen += frames;
	}
	/* No arc is missing: every frame of every stack is one occurrence. */
	for (size_t i = 0; i < s->nr; i++)
		want += s->list[i].nr * s->list[i].weight;
	assert_int_equal(seen, want);
}

static void test_random_stacks(void **state)
{
	for (int round = 0; round < 4000; round++) {
		struct stacks s;

		stacks_random(&s);
		check_functions(&s);
		check_arcs(&s);
		stacks_deinit(&s);
	}
}

/* A graph brought up to date in steps says what one made at once says. */
static void test_updates_in_steps(void **state)
{
	for (int round = 0; round < 1500; round++) {
		uint32_t nr_functions = 2 + test_random_below(12);
		unsigned int kind = test_random_below(3);
		struct stacks s;

		stacks_init(&s);
		stacks_update(&s);
		for (int step = 0; step < 5; step++) {
			for (size_t n = test_random_below(5); n; n--)
				stacks_add_random(&s, nr_functions, 12, kind);
			stacks_update(&s);
			check_functions(&s);
			check_arcs(&s);
		}
		stacks_deinit(&s);
	}
}

/* Nodes without samples (a pass leaves such behind) are neither functions nor arcs. */
static void test_nodes_without_samples(void **state)
{
	struct stacks s;
	const struct graph *g;
	frame_id stack[3];

	stacks_init(&s);
	stacks_parse(&s, "m;a;b 3");
	stack[0] = stacks_frame(&s, "m");
	stack[1] = stacks_frame(&s, "b");
	stack[2] = stacks_frame(&s, "a");
	profile_stack(s.profile, stack, 3);
	stacks_update(&s);
	g = callgraph_graph(s.cg);
	assert_int_equal(g->nr_arcs, 3);
	assert_int_equal(callgraph_cycles(s.cg)->nr_cycles, 0);
	/* Until samples arrive. */
	profile_add(s.profile, profile_stack(s.profile, stack, 3), 1);
	stacks_update(&s);
	assert_int_equal(g->nr_arcs, 5);
	assert_int_equal(callgraph_cycles(s.cg)->nr_cycles, 1);
	stacks_deinit(&s);
}

static void check_cycles(const struct callgraph *got, const struct callgraph *want)
{
	const struct cycles *g = callgraph_cycles(got), *w = callgraph_cycles(want);
	const struct graph *graph = callgraph_graph(want);

	assert_int_equal(g->nr_cycles, w->nr_cycles);
	for (uint32_t f = 1; f < graph->nr_functions; f++) {
		const struct component *a = cycles_of(g, f), *b = cycles_of(w, f);

		assert_int_equal(!a->number, !b->number);
		assert_int_equal(a->nr, b->nr);
		assert_int_equal(a->arrivals, b->arrivals);
		assert_int_equal(a->reentered, b->reentered);
		assert_int_equal(a->observed, b->observed);
		assert_int_equal(a->self, b->self);
		assert_int_equal(a->children, b->children);
		assert_int_equal(graph_has(callgraph_graph(got), f), graph_has(graph, f));
	}
}

/* Samples are taken back too, as from a window that slides: the same as a graph made anew. */
static void test_samples_leave(void **state)
{
	for (int round = 0; round < 1000; round++) {
		uint32_t nr_functions = 2 + test_random_below(12);
		unsigned int kind = test_random_below(4);
		struct stacks s;

		stacks_init(&s);
		for (int step = 0; step < 8; step++) {
			_cleanup_callgraph_ struct callgraph *anew = callgraph_new();

			for (size_t n = test_random_below(5); n; n--)
				stacks_add_random(&s, nr_functions, 12, kind);
			for (size_t i = 0; i < s.nr; i++) {
				struct stack *stack = &s.list[i];
				node_id n = profile_stack(s.profile, stack->frames, stack->nr);

				if (test_random_below(4))
					continue;
				profile_subtract(s.profile, n, stack->weight);
				stack->weight = 0;
			}
			stacks_update(&s);
			check_functions(&s);
			check_arcs(&s);
			assert_int_equal(callgraph_update(anew, s.profile, NULL), 0);
			check_cycles(s.cg, anew);
		}
		stacks_deinit(&s);
	}
}

/* 100 000 frames deep and 50 000 times the same function: no recursion, no quadratic time. */
static void test_deep_stacks(void **state)
{
	enum { DEPTH = 100000 };
	struct profile *p = profile_new(NULL);
	struct callgraph *cg = callgraph_new();
	frame_id x = frame_table_add_text(profile_frames(p), "x", 1);
	frame_id y = frame_table_add_text(profile_frames(p), "y", 1);
	node_id n = NODE_ROOT;

	for (int i = 0; i < DEPTH; i++) {
		n = profile_child(p, n, i % 2 ? y : x);
		profile_add(p, n, 1);
	}
	assert_int_equal(callgraph_update(cg, p, NULL), 0);
	assert_int_equal(callgraph_graph(cg)->functions[x].inclusive, DEPTH);
	assert_int_equal(callgraph_graph(cg)->functions[y].inclusive, DEPTH - 1);
	assert_int_equal(callgraph_graph(cg)->functions[x].depth, DEPTH / 2);
	assert_int_equal(callgraph_cycles(cg)->nr_cycles, 1);
	callgraph_free(cg);
	profile_free(p);
}

static void test_overflow(void **state)
{
	struct diag diag = { "" };
	struct stacks s;

	stacks_make(&s, "a;a 9223372036854775807");
	assert_int_equal(callgraph_graph(s.cg)->functions[stacks_function(&s, "a")].frames,
			 UINT64_MAX - 1);
	stacks_deinit(&s);
	stacks_init(&s);
	stacks_parse(&s, "a;a;a 9223372036854775807");
	assert_int_equal(callgraph_update(s.cg, s.profile, &diag), -EOVERFLOW);
	assert_non_null(strstr(diag.text, "64 bits"));
	stacks_deinit(&s);
	stacks_init(&s);
	stacks_parse(&s, "a;b;a;b 4611686018427387904");
	assert_int_equal(callgraph_update(s.cg, s.profile, &diag), 0);
	assert_true(callgraph_bytes(s.cg) > 0);
	stacks_deinit(&s);
	stacks_init(&s);
	stacks_parse(&s, "a;b;a;b;a;b 4611686018427387904");
	assert_int_equal(callgraph_update(s.cg, s.profile, &diag), -EOVERFLOW);
	stacks_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixture),
		cmocka_unit_test(test_random_stacks),
		cmocka_unit_test(test_updates_in_steps),
		cmocka_unit_test(test_samples_leave),
		cmocka_unit_test(test_nodes_without_samples),
		cmocka_unit_test(test_deep_stacks),
		cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
