// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a refresh of `eddy top` costs, in CPU seconds of one core: the first one with 100 000
 * distinct stacks, later ones with 1000 new ones a second, in a window that slides and in one of
 * the whole run, for every view.
 */
#include <stdio.h>

#include "live/live_table.h"
#include "live/live_text.h"
#include "util/hash.h"
#include "util/mem.h"

#include "../random.h"
#include "bench.h"

enum { NR_FUNCTIONS = 20000, NR_STACKS = 100000, NR_NEW = 1000, ROUNDS = 20 };

/*
 * A program that goes on: `all` has every stack so far.  Each new one leaves an earlier one
 * somewhere and goes on by itself, mostly to later functions, now and then back to an earlier one.
 */
static struct profile *more_stacks(struct profile *all, uint32_t nr_stacks)
{
	struct profile *p = profile_new(profile_frames(all));
	_cleanup_free_ node_id *way = NULL;
	_cleanup_profile_ struct profile *own = NULL;

	for (uint32_t i = 0; i < nr_stacks; i++) {
		node_id n = test_random() % profile_nr_nodes(all), at = NODE_ROOT;
		size_t nr;

		for (uint32_t k = 1 + test_random() % 3; k; k--) {
			uint32_t f = profile_frame(all, n);
			char name[40];
			int len;

			f = test_random() % 50 ? f + 1 + hash_mix(f, test_random() % 4) % 97
					       : test_random();
			f = f % NR_FUNCTIONS;
			len = snprintf(name, sizeof(name), "function_%06u%s", f,
				       f % 3 ? "" : "_[k]");
			n = profile_child(all, n,
					  frame_table_add_text(profile_frames(all), name, len));
		}
		free(way);
		nr = profile_chain(all, n, &way);
		for (size_t k = 0; k < nr; k++)
			at = profile_child(p, at, profile_frame(all, way[k]));
		profile_add(p, at, 1);
	}
	own = p;
	return profile_copy(own);
}

struct bench {
	struct live_window *window;
	struct live_analysis *analysis;
	struct live_choice choice;
};

static double refresh_ms(struct bench *b, const struct profile *stacks, double window_s)
{
	const struct live_account account = { .seconds = 1, .is_counted = true };
	_cleanup_live_table_ struct live_table table = { 0 };
	double since = cpu_seconds();
	size_t nr;

	live_window_add(b->window, stacks, &account);
	nr = live_window_nr(b->window);
	live_window_show(b->window, live_window_from(b->window, nr, window_s), nr, NULL);
	live_table_make(b->analysis, b->window, &b->choice, &table, NULL);
	return (cpu_seconds() - since) * 1e3;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void bench_view(enum live_view view, double window_s, const char *what)
{
	struct passes passes;
	struct pipeline_request request = { .passes = &passes };
	struct bench b = {
		.window = live_window_new(SIZE_MAX),
		.analysis = live_analysis_new(),
		.choice = { .view = view, .degree = COLLAPSE_CONSERVATIVE, .min_percent = 0.5 }
	};
	_cleanup_profile_ struct profile *all = profile_new(NULL);
	_cleanup_profile_ struct profile *first = more_stacks(all, NR_STACKS);
	double ms[ROUNDS], first_ms;

	passes_init(&passes);
	request.flags = live_view_pipeline_flags(view);
	live_window_use(b.window, &request);
	first_ms = refresh_ms(&b, first, window_s);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		_cleanup_profile_ struct profile *more = more_stacks(all, NR_NEW);

		ms[i] = refresh_ms(&b, more, window_s);
	}
	qsort(ms, ROUNDS, sizeof(*ms), by_value);
	printf("  %-9s  %-11s  %8.2f  %8.2f  %8.2f  %6.1f\n", live_view_names[view], what, first_ms,
	       ms[ROUNDS / 2], ms[ROUNDS - 1], live_window_bytes(b.window) / 1048576.0);
	fflush(stdout);
	live_analysis_free(b.analysis);
	live_window_free(b.window);
}

int main(void)
{
	printf("%d distinct stacks (goal 100 ms), then %d new ones each time (goal 20 ms):\n"
	       "  view       window       first ms    median     worst     MiB\n",
	       NR_STACKS, NR_NEW);
	for (enum live_view view = 0; view < NR_LIVE_VIEWS; view++) {
		bench_view(view, 0, "all");
		bench_view(view, 10, "10 s, slides");
	}
	return 0;
}
