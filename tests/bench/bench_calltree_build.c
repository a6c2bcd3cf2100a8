// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a call tree costs once the stacks are in memory: made, counted anew, collapsed, printed; for
 * the shape of a real profile, for a million stacks that share nothing, and for great depth.
 * Processor time: the machine may be busy with other things.  "small" leaves the million out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calltree.h"
#include "output/tree_text.h"

#include "../random.h"
#include "bench.h"

static const char *const degrees[] = { "none", "direct", "conservative", "full" };

static frame_id function(struct profile *p, uint64_t nr)
{
	struct frame f = { .start = nr };
	char name[32];

	snprintf(name, sizeof(name), "function_%llu", (unsigned long long)nr);
	f.name = frame_table_intern0(profile_frames(p), name);
	return frame_table_add(profile_frames(p), &f);
}

/* Stacks as walks; with `share` percent the next function is the caller's favourite one. */
static struct profile *walks(size_t stacks, size_t functions, size_t depth, unsigned int share)
{
	struct profile *p = profile_new(NULL);
	frame_id *frame = calloc(functions, sizeof(*frame));
	uint64_t seed = 42;

	if (!frame)
		exit(1);
	for (size_t i = 0; i < functions; i++)
		frame[i] = function(p, i);
	for (size_t i = 0; i < stacks; i++) {
		size_t len = 1 + test_random_from(&seed) % (2 * depth - 1);
		uint64_t f = share ? 0 : test_random_from(&seed) % functions;
		node_id n = NODE_ROOT;

		for (size_t k = 0; k < len; k++) {
			n = profile_child(p, n, frame[f]);
			f = test_random_from(&seed) % 100 < share
				    ? (f * 7919 + test_random_from(&seed) % 3) % functions
				    : test_random_from(&seed) % functions;
		}
		profile_add(p, n, 1 + test_random_from(&seed) % 99);
	}
	free(frame);
	return p;
}

static void measure(const char *name, const struct profile *p, enum collapse_degree d)
{
	double start = cpu_seconds(), made, again, collapsed, printed;
	_cleanup_calltree_ struct calltree *t = calltree_new(p, d);
	_cleanup_profile_ struct profile *q = NULL;
	_cleanup_fclose_ FILE *out = fopen("/dev/null", "w");
	size_t rows = calltree_nr_rows(t);

	made = cpu_seconds() - start;
	start = cpu_seconds();
	calltree_refresh(t, p);
	again = cpu_seconds() - start;
	start = cpu_seconds();
	q = calltree_collapse(p, d);
	collapsed = cpu_seconds() - start;
	start = cpu_seconds();
	tree_text_write(out, t, &(struct tree_text_opts){ .rows.min_percent = 0.1 });
	printed = cpu_seconds() - start;
	printf("%-6s %-12s %9zu prefixes -> %9zu rows: made %.3f s (%.0f ns a prefix), "
	       "counted anew %.3f s, collapsed %.3f s, printed %.3f s; %.0f bytes a row\n",
	       name, degrees[d], profile_nr_nodes(p), rows, made, made * 1e9 / profile_nr_nodes(p),
	       again, collapsed, printed, (double)calltree_bytes(t) / rows);
	fflush(stdout);
}

static void measure_all(const char *name, struct profile *p)
{
	for (enum collapse_degree d = 0; d < NR_COLLAPSE_DEGREES; d++)
		measure(name, p, d);
	profile_free(p);
}

/* One stack: `functions` below each other, `times` over. */
static struct profile *deep(size_t functions, size_t times)
{
	struct profile *p = profile_new(NULL);
	node_id n = NODE_ROOT;

	for (size_t i = 0; i < times; i++)
		for (size_t k = 0; k < functions; k++)
			n = profile_child(p, n, function(p, k));
	profile_add(p, n, 1);
	return p;
}

int main(int argc, char **argv)
{
	bool small = argc > 1 && !strcmp(argv[1], "small");
	struct profile *p;

	measure_all("real", walks(25000, 3000, 16, 80));
	measure_all("big", walks(260000, 20000, 16, 90));
	measure_all("deep", deep(100000, 1));
	measure_all("self", deep(1, 50000));
	if (small)
		return 0;
	p = walks(1000000, 100000, 30, 0);
	measure("wide", p, COLLAPSE_FULL);
	profile_free(p);
	return 0;
}
