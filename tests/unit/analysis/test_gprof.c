// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gprof's table: the manual's worked example from numbers given by hand, field by field, and
 * random stacks against section-by-section models.
 */
#include "analysis/gprof.h"
#include "unit/analysis/stacks.h"

/* ---- the manual's example -------------------------------------------------------------------- */

enum { START = 1, MAIN, A, B, C };

static const char *const manual_names[] = { "", "start", "main", "a", "b", "c" };

static void manual_graph(struct graph *g, struct cycles *c)
{
	static const struct {
		uint32_t caller, callee, calls;
	} arcs[] = { { START, MAIN, 1 }, { MAIN, A, 1 }, { A, B, 3 },
		     { B, A, 2 },	 { A, C, 3 },	 { B, C, 3 } };

	graph_init(g, 5);
	/* Hundredths of a second. */
	g->functions[MAIN].self = 16;
	g->functions[A].self = 75;
	g->functions[B].self = 102;
	for (size_t i = 0; i < sizeof(arcs) / sizeof(*arcs); i++)
		graph_add_arc(g, arcs[i].caller, arcs[i].callee, arcs[i].calls);
	graph_index(g);
	*c = (struct cycles){ 0 };
	assert_int_equal(cycles_find(c, g), 0);
}

static void print_called(char *to, size_t size, const struct gprof_line *line)
{
	unsigned long long calls = line->calls, more = line->more;

	switch (line->called) {
	case GPROF_CALLED_NOT:
		snprintf(to, size, "-");
		break;
	case GPROF_CALLED:
		snprintf(to, size, "%llu", calls);
		break;
	case GPROF_CALLED_OF:
		snprintf(to, size, "%llu/%llu", calls, more);
		break;
	case GPROF_CALLED_PLUS:
		snprintf(to, size, "%llu+%llu", calls, more);
		break;
	}
}

/* "> [3] 91.71 1.77 0.00 1+5 <cycle 1 as a whole>": one line as text, the primary marked. */
static void print_line(char *to, size_t size, const struct gprof_line *line, uint64_t total,
		       const char *const *names)
{
	char called[64], times[64] = "- -", percent[32] = "", name[64];

	print_called(called, sizeof(called), line);
	if (line->has_time)
		snprintf(times, sizeof(times), "%.2f %.2f", line->self / 100.0,
			 line->children / 100.0);
	if (line->role == GPROF_PRIMARY)
		snprintf(percent, sizeof(percent), "> %.2f ",
			 100.0 * (line->self + line->children) / total);
	if (line->role == GPROF_SPONTANEOUS)
		snprintf(name, sizeof(name), "<spontaneous>");
	else if (!line->function)
		snprintf(name, sizeof(name), "<cycle %u as a whole> [%u]", line->cycle,
			 line->index);
	else if (line->cycle)
		snprintf(name, sizeof(name), "%s <cycle %u> [%u]", names[line->function],
			 line->cycle, line->index);
	else
		snprintf(name, sizeof(name), "%s [%u]", names[line->function], line->index);
	snprintf(to, size, "%s%s %s %s\n", percent, times, called, name);
}

static void print_entry(char *to, size_t size, struct gprof *gp, size_t i, const char *const *names)
{
	size_t nr, len = 0;
	const struct gprof_line *lines = gprof_lines(gp, i, &nr);

	for (size_t k = 0; k < nr; k++) {
		print_line(to + len, size - len, &lines[k], gp->cycles->total_self, names);
		len += strlen(to + len);
	}
}

static void test_manual(void **state)
{
	static const char *const want[] = {
		"- - - <spontaneous>\n"
		"> 100.00 0.00 1.93 - start [1]\n"
		"0.16 1.77 1/1 main [2]\n",

		"0.16 1.77 1/1 start [1]\n"
		"> 100.00 0.16 1.77 1 main [2]\n"
		"1.77 0.00 1/1 a <cycle 1> [5]\n",

		"1.77 0.00 1/1 main [2]\n"
		"> 91.71 1.77 0.00 1+5 <cycle 1 as a whole> [3]\n"
		"1.02 0.00 3 b <cycle 1> [4]\n"
		"0.75 0.00 2 a <cycle 1> [5]\n"
		"0.00 0.00 6/6 c [6]\n",

		"- - 3 a <cycle 1> [5]\n"
		"> 52.85 1.02 0.00 0 b <cycle 1> [4]\n"
		"- - 2 a <cycle 1> [5]\n"
		"0.00 0.00 3/6 c [6]\n",

		"1.77 0.00 1/1 main [2]\n"
		"- - 2 b <cycle 1> [4]\n"
		"> 38.86 0.75 0.00 1 a <cycle 1> [5]\n"
		"- - 3 b <cycle 1> [4]\n"
		"0.00 0.00 3/6 c [6]\n",

		"0.00 0.00 3/6 a <cycle 1> [5]\n"
		"0.00 0.00 3/6 b <cycle 1> [4]\n"
		"> 0.00 0.00 0.00 6 c [6]\n",
	};
	struct graph g;
	struct cycles c;
	struct gprof *gp;

	manual_graph(&g, &c);
	gp = gprof_new(&g, &c);
	assert_int_equal(gp->nr_entries, 6);
	for (size_t i = 0; i < 6; i++) {
		char got[1024];

		print_entry(got, sizeof(got), gp, i, manual_names);
		assert_string_equal(got, want[i]);
	}
	gprof_free(gp);
	cycles_deinit(&c);
	graph_deinit(&g);
}

/* The average cost of a call, shared by counts, children too; n+k of a function calling itself. */
static void test_average(void **state)
{
	static const char *const names[] = { "", "p", "q", "f", "leaf" };
	struct graph g;
	struct cycles c = { 0 };
	struct gprof *gp;
	char got[1024];

	graph_init(&g, 4);
	g.functions[3].self = 300;
	g.functions[4].self = 90;
	graph_add_arc(&g, 1, 3, 1);
	graph_add_arc(&g, 2, 3, 2);
	graph_add_arc(&g, 3, 3, 7);
	graph_add_arc(&g, 3, 4, 5);
	graph_index(&g);
	assert_int_equal(cycles_find(&c, &g), 0);
	gp = gprof_new(&g, &c);
	print_entry(got, sizeof(got), gp, 0, names);
	assert_string_equal(got, "1.00 0.30 1/3 p [3]\n"
				 "2.00 0.60 2/3 q [2]\n"
				 "- - 7 f [1]\n"
				 "> 100.00 3.00 0.90 3+7 f [1]\n"
				 "- - 7 f [1]\n"
				 "0.90 0.00 5/5 leaf [4]\n");
	gprof_free(gp);
	cycles_deinit(&c);
	graph_deinit(&g);
}

/* ---- random stacks --------------------------------------------------------------------------- */

/* Samples whose stack holds u->v, and of those the ones that end inside v's component. */
static void model_arc(const struct stacks *s, uint32_t u, uint32_t v, uint64_t *ret_all,
		      uint64_t *ret_ends)
{
	const struct cycles *c = callgraph_cycles(s->cg);

	*ret_all = *ret_ends = 0;
	for (size_t i = 0; i < s->nr; i++) {
		const struct stack *stack = &s->list[i];
		bool holds = !u && stack->frames[0] == v;

		for (size_t k = 1; k < stack->nr; k++)
			holds |= stack->frames[k - 1] == u && stack->frames[k] == v;
		if (!holds)
			continue;
		*ret_all += stack->weight;
		if (c->of[stack->frames[stack->nr - 1]] == c->of[v])
			*ret_ends += stack->weight;
	}
}

static void check_line(const struct stacks *s, const struct gprof_entry *entry,
		       const struct gprof_line *line, uint64_t entry_inclusive)
{
	const struct graph *g = callgraph_graph(s->cg);
	const struct cycles *c = callgraph_cycles(s->cg);
	bool is_callee = line->role == GPROF_CALLEE;
	uint32_t u = is_callee ? entry->function : line->function;
	uint32_t v = is_callee ? line->function : entry->function;
	uint64_t all, ends;

	if (!entry->function || line->role == GPROF_PRIMARY) {
		assert_true(line->self + line->children <= callgraph_total(s->cg));
		return;
	}
	model_arc(s, u, v, &all, &ends);
	if (line->called == GPROF_CALLED) {
		assert_int_equal(c->of[u], c->of[v]);
		assert_false(line->has_time);
		assert_int_equal(line->inclusive, all);
		return;
	}
	assert_int_equal(line->called, GPROF_CALLED_OF);
	assert_int_equal(line->calls, all);
	assert_int_equal(line->self, ends);
	assert_int_equal(line->children, all - ends);
	assert_int_equal(line->more, cycles_of(c, v)->arrivals);
	assert_true(g->functions[v].inclusive <= line->more);
	assert_true(all <= entry_inclusive);
}

/* The entry of a cycle as a whole: every column adds up. */
static void check_cycle(const struct gprof *gp, const struct gprof_entry *entry,
			const struct gprof_line *lines, size_t nr)
{
	const struct component *x = &gp->cycles->components[entry->component];
	uint64_t callers = 0, members_self = 0, members_calls = 0, callees = 0, children = 0;

	for (size_t i = 0; i < nr; i++) {
		switch (lines[i].role) {
		case GPROF_SPONTANEOUS:
		case GPROF_CALLER:
			callers += lines[i].self + lines[i].children;
			break;
		case GPROF_PRIMARY:
			assert_int_equal(lines[i].calls, x->arrivals);
			assert_int_equal(lines[i].more, x->inner);
			break;
		case GPROF_MEMBER:
			members_self += lines[i].self;
			members_calls += lines[i].calls;
			children += lines[i].children;
			assert_int_equal(lines[i].inclusive,
					 gp->graph->functions[lines[i].function].inclusive);
			break;
		case GPROF_CALLEE:
			callees += lines[i].self + lines[i].children;
			break;
		}
	}
	assert_int_equal(callers, x->arrivals);
	assert_int_equal(members_self, entry->self);
	assert_int_equal(members_calls, x->inner);
	assert_int_equal(children, entry->children);
	assert_int_equal(callees, entry->children);
}

/* Callers rise to the primary line, callees fall from it; the blocks stand in their order. */
static void check_order(const struct gprof_line *lines, size_t nr)
{
	size_t primary = 0;

	while (lines[primary].role != GPROF_PRIMARY)
		primary++;
	for (size_t i = 0; i + 1 < primary; i++) {
		assert_true(lines[i].has_time >= lines[i + 1].has_time);
		if (lines[i].has_time == lines[i + 1].has_time)
			assert_true(lines[i].calls <= lines[i + 1].calls);
	}
	for (size_t i = primary + 1; i + 1 < nr; i++) {
		if (lines[i].role == GPROF_MEMBER && lines[i + 1].role == GPROF_MEMBER)
			assert_true(lines[i].self + lines[i].children >=
				    lines[i + 1].self + lines[i + 1].children);
		if (lines[i].role == GPROF_CALLEE)
			assert_true(lines[i].has_time <= lines[i + 1].has_time);
		if (lines[i].role == GPROF_CALLEE && lines[i].has_time == lines[i + 1].has_time)
			assert_true(lines[i].calls >= lines[i + 1].calls);
	}
}

static void check_table(const struct stacks *s)
{
	const struct graph *g = callgraph_graph(s->cg);
	struct gprof *gp = gprof_new(g, callgraph_cycles(s->cg));
	uint64_t before = UINT64_MAX, functions_self = 0;

	for (size_t i = 0; i < gp->nr_entries; i++) {
		const struct gprof_entry *entry = &gp->entries[i];
		uint64_t time = entry->self + entry->children;
		size_t nr;
		const struct gprof_line *lines = gprof_lines(gp, i, &nr);

		assert_true(time <= before);
		before = time;
		for (size_t k = 0; k < nr; k++)
			check_line(s, entry, &lines[k],
				   entry->function ? g->functions[entry->function].inclusive : 0);
		check_order(lines, nr);
		if (!entry->function) {
			check_cycle(gp, entry, lines, nr);
			continue;
		}
		functions_self += entry->self;
		if (!cycles_of(gp->cycles, entry->function)->number)
			assert_int_equal(time, g->functions[entry->function].inclusive);
	}
	assert_int_equal(functions_self, callgraph_total(s->cg));
	gprof_free(gp);
}

static void test_random_stacks(void **state)
{
	for (int round = 0; round < 3000; round++) {
		struct stacks s;

		stacks_random(&s);
		check_table(&s);
		stacks_deinit(&s);
	}
}

/* Arrivals without a caller are arrivals: a line of their own, and in ncalls. */
static void test_spontaneous(void **state)
{
	const struct gprof_line *lines;
	struct gprof *gp;
	struct stacks s;
	size_t nr;

	stacks_make(&s, "a;x 5 b;a;x 7 a 1");
	gp = gprof_new(callgraph_graph(s.cg), callgraph_cycles(s.cg));
	assert_int_equal(gp->entries[0].function, stacks_function(&s, "a"));
	lines = gprof_lines(gp, 0, &nr);
	assert_int_equal(nr, 4);
	assert_int_equal(lines[0].role, GPROF_SPONTANEOUS);
	assert_int_equal(lines[0].calls, 6);
	assert_int_equal(lines[0].more, 13);
	assert_int_equal(lines[0].self, 1);
	assert_int_equal(lines[0].children, 5);
	assert_int_equal(lines[1].calls, 7);
	assert_int_equal(lines[2].self + lines[2].children, 13);
	gprof_free(gp);
	stacks_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manual),
		cmocka_unit_test(test_average),
		cmocka_unit_test(test_random_stacks),
		cmocka_unit_test(test_spontaneous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
