// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The call graph on large inputs, in CPU seconds of one core: each step of a first update, a
 * refresh, gprof's table, and gprof2dot's estimate on the cycles that take gprof2dot itself
 * seconds.  Inputs are made here: random walks over a random sparse graph are the worst case (one
 * cycle of nearly everything, hardly a shared prefix), a layered graph is what a program looks
 * like.
 */
#include <stdio.h>
#include <sys/resource.h>

#include "analysis/estimate.h"
#include "analysis/gprof.h"
#include "analysis/scc.h"
#include "output/graph_text.h"
#include "output/graph_tsv.h"

#include "../random.h"
#include "bench.h"

/* The steps of an update are nobody's business but this benchmark's. */
#include "analysis/callgraph.c" // NOLINT(bugprone-suspicious-include)

/* Prints "  12.3 ms  what" and begins anew. */
static double lap(double *since, const char *what)
{
	double now = cpu_seconds(), ms = (now - *since) * 1e3;

	if (what)
		printf("  %9.2f ms  %s\n", ms, what);
	fflush(stdout);
	*since = cpu_seconds();
	return ms;
}

static long max_rss_mib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static frame_id *add_frames(struct profile *p, uint32_t nr)
{
	frame_id *frames = xmalloc(nr * sizeof(*frames));

	for (uint32_t i = 0; i < nr; i++) {
		char name[32];
		int len = snprintf(name, sizeof(name), "function_%06u%s", i, i % 3 ? "" : "_[k]");

		frames[i] = frame_table_add_text(profile_frames(p), name, len);
	}
	return frames;
}

/* Walks of up to 60 steps over a graph of nr_functions with 6 to 7 callees each. */
static struct profile *make_walks(uint32_t nr_functions, uint32_t nr_stacks, uint64_t *ret_frames)
{
	struct profile *p = profile_new(NULL);
	_cleanup_free_ frame_id *frames = add_frames(p, nr_functions);

	for (uint32_t i = 0; i < nr_stacks; i++) {
		uint32_t f = test_random() % nr_functions, nr = 1 + test_random() % 60;
		node_id n = NODE_ROOT;

		for (uint32_t k = 0; k < nr; k++) {
			n = profile_child(p, n, frames[f]);
			f = hash_mix(f, test_random() % (6 + f % 3 / 2)) % nr_functions;
		}
		*ret_frames += nr;
		profile_add(p, n, 1 + test_random() % 9);
	}
	return p;
}

/* Stacks that share prefixes: each leaves an earlier one somewhere and goes on by itself. */
static struct profile *make_program(uint32_t nr_functions, uint32_t nr_stacks, size_t nr_nodes)
{
	struct profile *p = profile_new(NULL);
	_cleanup_free_ frame_id *frames = add_frames(p, nr_functions);
	uint32_t more = nr_nodes / nr_stacks;

	for (uint32_t i = 0; i < nr_stacks; i++) {
		node_id n = test_random() % profile_nr_nodes(p);
		uint32_t nr = 1 + test_random() % (2 * more);

		for (uint32_t k = 0; k < nr; k++) {
			uint32_t f = profile_frame(p, n);

			/* Mostly onwards, now and then back to an earlier function. */
			f = test_random() % 50 ? f + 1 + hash_mix(f, test_random() % 4) % 97
					       : test_random();
			n = profile_child(p, n, frames[f % nr_functions]);
		}
		profile_add(p, n, 1 + test_random() % 9);
	}
	return p;
}

/* One cycle of n functions, each called from outside: gprof2dot's worst case. */
static struct profile *make_cycle(uint32_t n)
{
	struct profile *p = profile_new(NULL);
	frame_id m = frame_table_add_text(profile_frames(p), "main", 4);
	_cleanup_free_ frame_id *frames = add_frames(p, n);
	node_id main_node = profile_child(p, NODE_ROOT, m);

	for (uint32_t i = 0; i < n; i++) {
		node_id node = profile_child(p, main_node, frames[i]);

		profile_add(p, node, 1);
		profile_add(p, profile_child(p, node, frames[(i + 1) % n]), 1);
		profile_add(p, profile_child(p, node, frames[(i * 7 + 3) % n]), 1);
	}
	return p;
}

/* ---- what is measured ------------------------------------------------------------------------ */

enum step {
	STEP_COLUMNS,
	STEP_NAMES,
	STEP_INTERN,
	STEP_SHAPE,
	STEP_WEIGHTS,
	STEP_INDEX,
	STEP_TARJAN,
	STEP_CYCLES,
	STEP_PHANTOM,
	NR_STEPS
};

static const char *const step_names[] = {
	"columns",
	"names ranked",
	"arcs interned (goal for 30 M frames: 1000)",
	"first occurrences found (once per node)",
	"exact pass, all functions and arcs (500)",
	"arcs indexed",
	"Tarjan (50)",
	"components with sums and numbers",
	"phantoms, groups, where arcs end",
};

static void step_done(double *best_ms, enum step step, double *since)
{
	double ms = (cpu_seconds() - *since) * 1e3;

	if (!best_ms[step] || ms < best_ms[step])
		best_ms[step] = ms;
	*since = cpu_seconds();
}

/* The steps of callgraph_update(), each by itself. */
static void run_steps(struct callgraph *cg, const struct profile *p, double *best_ms)
{
	_cleanup_free_ uint32_t *component = NULL;
	double since = cpu_seconds();

	grow_nodes(&cg->nodes, profile_nr_nodes(p));
	grow_functions(&cg->graph, frame_table_nr(profile_frames(p)));
	cg->total = profile_total(p);
	step_done(best_ms, STEP_COLUMNS, &since);
	name_rank_update(&cg->names, profile_frames(p));
	cg->graph.name_rank = cg->names.ranks;
	step_done(best_ms, STEP_NAMES, &since);
	profile_sum(p, cg->nodes.sums);
	since = cpu_seconds();
	intern_arcs(cg, p);
	step_done(best_ms, STEP_INTERN, &since);
	callgraph_shape_find(&cg->graph, &cg->nodes, p);
	step_done(best_ms, STEP_SHAPE, &since);
	profile_sum(p, cg->nodes.sums);
	check_sums(cg);
	find_weights(cg, p);
	step_done(best_ms, STEP_WEIGHTS, &since);
	graph_index(&cg->graph);
	step_done(best_ms, STEP_INDEX, &since);
	component = xmalloc(cg->graph.nr_functions * sizeof(*component));
	scc_find(cg->graph.nr_functions, cg->graph.out_start, cg->graph.out_callee, component);
	step_done(best_ms, STEP_TARJAN, &since);
	cycles_find(&cg->cycles, &cg->graph);
	step_done(best_ms, STEP_CYCLES, &since);
	phantom_measure(&cg->cycles, &cg->graph, &cg->nodes, p);
	step_done(best_ms, STEP_PHANTOM, &since);
}

static struct callgraph *bench_steps(const struct profile *p)
{
	struct callgraph *cg = NULL;
	double best_ms[NR_STEPS] = { 0 };

	for (int round = 0; round < 3; round++) {
		callgraph_free(cg);
		cg = callgraph_new();
		run_steps(cg, p, best_ms);
	}
	for (int step = 0; step < NR_STEPS; step++)
		printf("  %9.2f ms  %s\n", best_ms[step], step_names[step]);
	return cg;
}

static void print_graph(const struct callgraph *cg, const struct profile *p)
{
	const struct cycles *c = &cg->cycles;

	printf("  %zu nodes, %u functions, %u arcs, %u cycles", profile_nr_nodes(p) - 1,
	       cg->graph.nr_functions - 1, cg->graph.nr_arcs, c->nr_cycles);
	if (c->nr_cycles) {
		const struct component *x = &c->components[c->printed[0]];

		printf(", the first of %u members, %u entries", x->nr, x->nr_entries);
	}
	printf("; %.1f bytes a node, process at most %ld MiB\n",
	       (double)callgraph_bytes(cg) / profile_nr_nodes(p), max_rss_mib());
}

static void bench_large(void)
{
	_cleanup_callgraph_ struct callgraph *cg = NULL;
	_cleanup_profile_ struct profile *p = NULL;
	struct estimate_opts opts = ESTIMATE_OPTS_DEFAULT;
	struct estimate e;
	uint64_t nr_frames = 0;
	double since;

	p = make_walks(100000, 1000000, &nr_frames);
	printf("1 000 000 stacks over 100 000 functions, %.1f M frames, best of three:\n",
	       nr_frames / 1e6);
	cg = bench_steps(p);
	print_graph(cg, p);
	since = cpu_seconds();
	callgraph_update(cg, p, NULL);
	lap(&since, "a refresh of all of it");
	estimate_find(&e, &cg->graph, &cg->cycles, &opts);
	lap(&since, "estimate, default budget");
	printf("     share of the arrivals left out: %.4f\n", e.left[cg->cycles.printed[0]]);
	estimate_deinit(&e);
}

static void bench_view(void)
{
	_cleanup_profile_ struct profile *p = make_program(20000, 260000, 800000);
	struct graph_opts opts = GRAPH_OPTS_DEFAULT;
	FILE *null = fopen("/dev/null", "w");
	double since = cpu_seconds(), begin = since;
	struct graph_view v;

	printf("260 000 stacks, %zu nodes (goal for the whole view: 1500 ms):\n",
	       profile_nr_nodes(p));
	graph_view_init(&v, p, false, NULL);
	lap(&since, "graph, cycles, names");
	gprof_tsv_write(null, &v, &opts);
	lap(&since, "gprof's table as TSV, every entry");
	printf("  %9.2f ms  the view\n", (cpu_seconds() - begin) * 1e3);
	since = cpu_seconds();
	gprof_text_write(null, &v, &opts, 0);
	lap(&since, "gprof's table as text, default minimum");
	print_graph(v.callgraph, p);
	graph_view_deinit(&v);
	fclose(null);
}

static void bench_refresh(void)
{
	_cleanup_profile_ struct profile *p = make_program(20000, 100000, 200000);
	_cleanup_callgraph_ struct callgraph *cg = callgraph_new();
	double since = cpu_seconds();

	printf("100 000 distinct stacks, %zu nodes (goal for a refresh: 50 ms):\n",
	       profile_nr_nodes(p));
	callgraph_update(cg, p, NULL);
	lap(&since, "first update");
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 1000; i++) {
			node_id n = 1 + test_random() % (profile_nr_nodes(p) - 1);

			n = profile_child(p, n, profile_frame(p, n / 2 + 1));
			profile_add(p, n, 1);
		}
		since = cpu_seconds();
		callgraph_update(cg, p, NULL);
		lap(&since, "refresh with 1000 new stacks");
	}
	print_graph(cg, p);
}

/* cycles.md 7: gprof2dot on such cycles, seconds. */
static void bench_cycles(void)
{
	static const struct {
		uint32_t n;
		double gprof2dot_seconds;
	} sizes[] = { { 100, 0.09 }, { 200, 0.37 }, { 400, 1.7 }, { 800, 11 }, { 1600, 36 } };
	struct estimate_opts opts = { .budget = UINT64_MAX, .max_left = 1 };

	puts("one cycle of n functions, all called from outside (gprof2dot's seconds as "
	     "published):");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_profile_ struct profile *p = make_cycle(sizes[i].n);
		_cleanup_callgraph_ struct callgraph *cg = callgraph_new();
		struct estimate e;
		double ms, since = cpu_seconds();

		callgraph_update(cg, p, NULL);
		estimate_find(&e, callgraph_graph(cg), callgraph_cycles(cg), &opts);
		ms = lap(&since, NULL);
		estimate_deinit(&e);
		printf("  %9.2f ms  n = %u: %.0f times as fast as %.2f s\n", ms, sizes[i].n,
		       sizes[i].gprof2dot_seconds * 1e3 / ms, sizes[i].gprof2dot_seconds);
	}
}

static void bench_bounded(void)
{
	_cleanup_profile_ struct profile *p = make_cycle(90000);
	_cleanup_callgraph_ struct callgraph *cg = callgraph_new();
	struct estimate_opts opts = ESTIMATE_OPTS_DEFAULT;
	struct estimate e;
	double since;

	puts("a cycle of 90 000 members and 90 000 entries:");
	callgraph_update(cg, p, NULL);
	for (int round = 0; round < 2; round++) {
		since = cpu_seconds();
		estimate_find(&e, callgraph_graph(cg), callgraph_cycles(cg), &opts);
		lap(&since, round ? "20 M steps, whatever is left" : "default options");
		printf("     %.1f M steps spent, share of the arrivals left out: %.4f\n",
		       e.steps / 1e6, e.left[callgraph_cycles(cg)->printed[0]]);
		estimate_deinit(&e);
		opts.max_left = 1;
	}
}

int main(void)
{
	bench_cycles();
	bench_bounded();
	bench_refresh();
	bench_view();
	bench_large();
	return 0;
}
