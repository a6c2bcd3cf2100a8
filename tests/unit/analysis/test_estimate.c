// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gprof2dot's estimate: its worked examples, what the tool gets wrong and we do not, a model that
 * follows its rules one by one with matrices, and what can be proved of it.
 */
#include <math.h>

#include "analysis/estimate.h"
#include "unit/analysis/stacks.h"

enum { MAX = STACKS_FUNCTIONS_MAX };

static const struct estimate_opts unlimited = { .budget = UINT64_MAX, .max_left = 1 };

static void estimate_make(struct estimate *e, struct stacks *s, const struct estimate_opts *opts)
{
	estimate_find(e, callgraph_graph(s->cg), callgraph_cycles(s->cg), opts);
}

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) < 1e-6))
		fail_msg("%.9f is not %.9f", got, want);
}

static void assert_function(struct stacks *s, const struct estimate *e, const char *name,
			    double want)
{
	assert_near(e->functions[stacks_function(s, name)], want);
}

static void assert_arc(struct stacks *s, const struct estimate *e, const char *caller,
		       const char *callee, double want)
{
	assert_near(e->arcs[stacks_arc(s, caller, callee)], want);
}

static void test_worked_example(void **state)
{
	const struct graph *g;
	struct estimate e;
	struct stacks s;

	stacks_make(&s, "m;a;b 3 m;a;b;a 2 m;b;a;b;c 5 m;c 1");
	estimate_make(&e, &s, &unlimited);
	assert_function(&s, &e, "a", 6);
	assert_function(&s, &e, "b", 9);
	assert_function(&s, &e, "c", 6);
	assert_function(&s, &e, "m", 11);
	assert_arc(&s, &e, "a", "b", 4);
	assert_arc(&s, &e, "b", "a", 1);
	assert_arc(&s, &e, "m", "a", 5);
	assert_arc(&s, &e, "m", "b", 5);
	g = callgraph_graph(s.cg);
	assert_int_equal(g->functions[stacks_function(&s, "a")].inclusive, 10);
	assert_int_equal(g->functions[stacks_function(&s, "b")].inclusive, 10);
	assert_int_equal(g->arcs[stacks_arc(&s, "a", "b")].inclusive, 10);
	assert_int_equal(g->arcs[stacks_arc(&s, "b", "a")].inclusive, 7);
	estimate_deinit(&e);
	stacks_deinit(&s);
}

/* An arc between equal ranks is in no acyclic graph and has no value. */
static void test_equal_ranks(void **state)
{
	struct estimate e;
	struct stacks s;

	stacks_make(&s, "m;a;b 2 m;a;c 3 m;a;b;c 4 m;a;b;c;a 5");
	estimate_make(&e, &s, &unlimited);
	assert_function(&s, &e, "b", 2);
	assert_function(&s, &e, "c", 7);
	assert_arc(&s, &e, "a", "c", 7);
	assert_true(isnan(e.arcs[stacks_arc(&s, "b", "c")]));
	estimate_deinit(&e);
	stacks_deinit(&s);
}

static void test_one_entry(void **state)
{
	struct estimate e;
	struct stacks s;

	stacks_make(&s, "m;walk;visit;walk 9 m;walk 1");
	estimate_make(&e, &s, &unlimited);
	assert_function(&s, &e, "visit", 0);
	assert_function(&s, &e, "walk", 10);
	estimate_deinit(&e);
	stacks_deinit(&s);
}

/* gprof2dot: a 0 %, b 0 %, no arc has a value. */
static void test_cycle_entered_from_the_root_only(void **state)
{
	struct estimate e;
	struct stacks s;

	stacks_make(&s, "a;b;a 3 a;b 2");
	estimate_make(&e, &s, &unlimited);
	assert_function(&s, &e, "a", 5);
	assert_arc(&s, &e, "a", "b", 2);
	assert_int_equal(callgraph_graph(s.cg)->functions[stacks_function(&s, "b")].inclusive, 5);
	estimate_deinit(&e);
	stacks_deinit(&s);
}

/* gprof2dot: b 100 %. */
static void test_root_and_callee(void **state)
{
	struct estimate e;
	struct stacks s;

	stacks_make(&s, "a;x 5 b;a;x 5");
	estimate_make(&e, &s, &unlimited);
	assert_function(&s, &e, "b", 5);
	assert_function(&s, &e, "a", 10);
	estimate_deinit(&e);
	stacks_deinit(&s);
}

/* gprof2dot: RecursionError at 1200 frames. */
static void test_deep(void **state)
{
	struct profile *p = profile_new(NULL);
	struct callgraph *cg = callgraph_new();
	node_id n = NODE_ROOT;
	struct estimate e;
	frame_id first = 0;

	for (int i = 0; i < 5000; i++) {
		char name[16];
		frame_id f;

		snprintf(name, sizeof(name), "f%d", i % 2500);
		f = frame_table_add_text(profile_frames(p), name, strlen(name));
		first = i ? first : f;
		n = profile_child(p, n, f);
	}
	profile_add(p, n, 3);
	assert_int_equal(callgraph_update(cg, p, NULL), 0);
	estimate_find(&e, callgraph_graph(cg), callgraph_cycles(cg), &unlimited);
	assert_near(e.functions[first], 3);
	estimate_deinit(&e);
	callgraph_free(cg);
	profile_free(p);
}

/* gprof2dot: AssertionError where stacks of weight 0 close a cycle. */
static void test_zero_weights(void **state)
{
	struct estimate e;
	struct stacks s;

	stacks_make(&s, "m;a;b 3 m;b;a 0 m;c;c;m 0");
	assert_int_equal(callgraph_cycles(s.cg)->nr_cycles, 0);
	estimate_make(&e, &s, &unlimited);
	assert_function(&s, &e, "a", 3);
	estimate_deinit(&e);
	stacks_deinit(&s);
}

/* ---- the model ------------------------------------------------------------------------------- */

struct model {
	uint32_t nr;
	double count[MAX][MAX]; /* [0] is the virtual caller */
	double in[MAX], in_cycle[MAX];
	double self[MAX];
	double ratio[MAX][MAX];
	bool reach[MAX][MAX], same[MAX][MAX];
	double total[MAX];     /* of the function */
	double component[MAX]; /* of the function's component */
	bool is_known[MAX];
	double arc[MAX][MAX];
	bool has_arc[MAX][MAX];
};

static void model_count(struct model *m, const struct stacks *s)
{
	m->nr = callgraph_graph(s->cg)->nr_functions;
	for (size_t i = 0; i < s->nr; i++) {
		const struct stack *stack = &s->list[i];

		if (!stack->weight)
			continue;
		m->self[stack->frames[stack->nr - 1]] += stack->weight;
		for (size_t k = 0; k < stack->nr; k++)
			m->count[k ? stack->frames[k - 1] : 0][stack->frames[k]] += stack->weight;
	}
	for (uint32_t u = 0; u < m->nr; u++)
		for (uint32_t v = 0; v < m->nr; v++)
			m->reach[u][v] = u == v || m->count[u][v] > 0;
	for (uint32_t k = 0; k < m->nr; k++)
		for (uint32_t u = 0; u < m->nr; u++)
			for (uint32_t v = 0; v < m->nr; v++)
				m->reach[u][v] |= m->reach[u][k] && m->reach[k][v];
	for (uint32_t u = 0; u < m->nr; u++)
		for (uint32_t v = 0; v < m->nr; v++)
			m->same[u][v] = m->reach[u][v] && m->reach[v][u];
}

static bool model_in_cycle(const struct model *m, uint32_t v)
{
	for (uint32_t u = 0; u < m->nr; u++)
		if (u != v && m->same[u][v])
			return true;
	return false;
}

static void model_ratios(struct model *m)
{
	for (uint32_t v = 0; v < m->nr; v++)
		for (uint32_t u = 0; u < m->nr; u++) {
			m->in[v] += u != v ? m->count[u][v] : 0;
			for (uint32_t w = 0; w < m->nr; w++)
				if (m->same[v][w] && !m->same[u][w])
					m->in_cycle[v] += m->count[u][w];
		}
	for (uint32_t u = 0; u < m->nr; u++)
		for (uint32_t v = 0; v < m->nr; v++) {
			bool enters = model_in_cycle(m, v) && !m->same[u][v];
			double in = enters ? m->in_cycle[v] : m->in[v];

			m->ratio[u][v] = in > 0 ? m->count[u][v] / in : 1;
			m->ratio[u][v] = m->ratio[u][v] > 1 ? 1 : m->ratio[u][v];
		}
}

/* One entry: its acyclic graph, and what it contributes. */
static void model_entry(struct model *m, uint32_t e, const double *base)
{
	uint32_t rank[MAX], deepest = 0;
	double share = 0, norm[MAX] = { 0 }, part[MAX] = { 0 };

	for (uint32_t u = 0; u < m->nr; u++) {
		rank[u] = u == e ? 0 : UINT32_MAX;
		if (!m->same[u][e] && m->count[u][e] > 0)
			share += m->ratio[u][e];
	}
	for (uint32_t round = 0; round < m->nr; round++)
		for (uint32_t u = 0; u < m->nr; u++)
			for (uint32_t v = 0; v < m->nr; v++)
				if (rank[u] == round && m->same[v][e] && m->count[u][v] > 0 &&
				    rank[v] > round + 1) {
					rank[v] = round + 1;
					deepest = round + 1;
				}
	for (uint32_t u = 0; u < m->nr; u++)
		for (uint32_t v = 0; v < m->nr; v++)
			if (m->same[u][e] && m->same[v][e] && m->count[u][v] > 0 &&
			    rank[v] == rank[u] + 1)
				norm[v] += m->ratio[u][v];
	for (uint32_t r = deepest + 1; r-- > 0;)
		for (uint32_t u = 0; u < m->nr; u++) {
			if (!m->same[u][e] || rank[u] != r)
				continue;
			part[u] = share * base[u];
			for (uint32_t v = 0; v < m->nr; v++) {
				double time;

				if (!m->same[v][e] || m->count[u][v] <= 0 || rank[v] != r + 1)
					continue;
				time = m->ratio[u][v] / norm[v] * part[v];
				part[u] += time;
				m->arc[u][v] += time;
				m->has_arc[u][v] = true;
			}
			m->total[u] += part[u];
		}
}

/* The component of f, when all it calls is known. */
static bool model_component(struct model *m, uint32_t f)
{
	double base[MAX] = { 0 }, sum = 0;

	for (uint32_t u = 0; u < m->nr; u++)
		for (uint32_t v = 0; m->same[u][f] && v < m->nr; v++)
			if (!m->same[v][f] && m->count[u][v] > 0 && !m->is_known[v])
				return false;
	for (uint32_t u = 0; u < m->nr; u++) {
		if (!m->same[u][f])
			continue;
		base[u] = m->self[u];
		for (uint32_t v = 0; v < m->nr; v++)
			if (!m->same[v][f] && m->count[u][v] > 0) {
				m->arc[u][v] = m->ratio[u][v] * m->component[v];
				m->has_arc[u][v] = true;
				base[u] += m->arc[u][v];
			}
		sum += base[u];
	}
	for (uint32_t u = 0; u < m->nr; u++) {
		bool is_entry = false;

		if (!m->same[u][f])
			continue;
		m->component[u] = sum;
		m->is_known[u] = true;
		for (uint32_t w = 0; w < m->nr; w++)
			is_entry |= !m->same[w][f] && m->count[w][u] > 0;
		if (!model_in_cycle(m, f))
			m->total[u] = sum;
		else if (is_entry)
			model_entry(m, u, base);
	}
	return true;
}

static void model_run(struct model *m, const struct stacks *s)
{
	bool is_done = false;

	memset(m, 0, sizeof(*m));
	model_count(m, s);
	model_ratios(m);
	while (!is_done) {
		is_done = true;
		for (uint32_t f = 0; f < m->nr; f++)
			if (!m->is_known[f])
				is_done &= model_component(m, f);
	}
}

static void check_model(const struct stacks *s, const struct estimate *e)
{
	const struct graph *g = callgraph_graph(s->cg);
	static struct model m;

	model_run(&m, s);
	for (uint32_t f = 1; f < g->nr_functions; f++)
		if (g->functions[f].frames)
			assert_near(e->functions[f], m.total[f]);
	for (uint32_t a = 0; a < g->nr_arcs; a++) {
		uint32_t u = g->arcs[a].caller, v = g->arcs[a].callee;

		if (u == v || !m.has_arc[u][v])
			assert_true(isnan(e->arcs[a]));
		else
			assert_near(e->arcs[a], m.arc[u][v]);
	}
}

/* Exact outside cycles, between components, and for an only entry; never above the cycle. */
static void check_proved(const struct stacks *s, const struct estimate *e)
{
	const struct graph *g = callgraph_graph(s->cg);
	const struct cycles *c = callgraph_cycles(s->cg);

	for (uint32_t f = 1; f < g->nr_functions; f++) {
		const struct component *x = cycles_of(c, f);

		if (!x->number)
			assert_near(e->functions[f], g->functions[f].inclusive);
		else
			assert_true(e->functions[f] <= x->arrivals + 1e-6);
	}
	for (uint32_t a = 0; a < g->nr_arcs; a++) {
		const struct component *x = cycles_of(c, g->arcs[a].callee);

		if (cycles_is_inner(c, &g->arcs[a]))
			continue;
		assert_near(e->arcs[a], g->arcs[a].inclusive);
		if (x->number && x->nr_entries == 1)
			assert_near(e->functions[g->arcs[a].callee],
				    g->functions[g->arcs[a].callee].inclusive);
	}
}

static void test_model(void **state)
{
	for (int round = 0; round < 3000; round++) {
		struct estimate e;
		struct stacks s;

		stacks_random(&s);
		estimate_make(&e, &s, &unlimited);
		check_model(&s, &e);
		check_proved(&s, &e);
		estimate_deinit(&e);
		stacks_deinit(&s);
	}
}

/* With any budget, every number is low by at most (share left) * (the cycle's time). */
static void test_bounded(void **state)
{
	unsigned int nr_cut = 0;

	for (int round = 0; round < 3000; round++) {
		struct estimate_opts opts = { .budget = test_random_below(80), .max_left = 1 };
		struct estimate full, cut;
		const struct cycles *c;
		const struct graph *g;
		struct stacks s;

		stacks_random(&s);
		g = callgraph_graph(s.cg);
		c = callgraph_cycles(s.cg);
		estimate_make(&full, &s, &unlimited);
		estimate_make(&cut, &s, &opts);
		assert_true(cut.steps <= opts.budget);
		for (uint32_t f = 1; f < g->nr_functions; f++) {
			double left = cut.left[c->of[f]];

			if (isnan(cut.functions[f])) {
				assert_near(left, 1);
				continue;
			}
			nr_cut += left > 0;
			assert_true(cut.functions[f] <= full.functions[f] + 1e-6);
			assert_true(full.functions[f] - cut.functions[f] <=
				    left * cycles_of(c, f)->arrivals + 1e-6);
		}
		for (uint32_t a = 0; a < g->nr_arcs; a++)
			if (!isnan(cut.arcs[a]))
				assert_true(
					full.arcs[a] - cut.arcs[a] <=
					cut.left[c->of[g->arcs[a].callee]] *
							cycles_of(c, g->arcs[a].callee)->arrivals +
						1e-6);
		estimate_deinit(&full);
		estimate_deinit(&cut);
		stacks_deinit(&s);
	}
	assert_true(nr_cut > 100);
}

/* Where too much would be left, nothing is done and that is said. */
static void test_not_worth_it(void **state)
{
	struct estimate_opts opts = { .budget = 8, .max_left = 0.05 };
	struct estimate e;
	struct stacks s;

	stacks_make(&s, "m;a;b;a 3 m;b;a;b 3");
	estimate_make(&e, &s, &opts);
	assert_near(e.left[callgraph_cycles(s.cg)->of[stacks_function(&s, "a")]], 0);
	estimate_deinit(&e);
	opts.budget = 7;
	estimate_make(&e, &s, &opts);
	assert_near(e.left[callgraph_cycles(s.cg)->of[stacks_function(&s, "a")]], 1);
	assert_true(isnan(e.functions[stacks_function(&s, "a")]));
	assert_int_equal(e.steps, 0);
	estimate_deinit(&e);
	stacks_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked_example),
		cmocka_unit_test(test_equal_ranks),
		cmocka_unit_test(test_one_entry),
		cmocka_unit_test(test_cycle_entered_from_the_root_only),
		cmocka_unit_test(test_root_and_callee),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_zero_weights),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_not_worth_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
