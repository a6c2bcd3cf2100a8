// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What separating interrupts costs: the recorded chains of tests/golden/irq under many made-up
 * user stacks, read, classified, separated and written again.  Processor time, the best of several
 * rounds of each stage, the stages in turn.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/irq_pass.h"
#include "input/input.h"
#include "output/folded.h"
#include "util/mem.h"

#include "bench.h"

enum { COPIES = 150, ROUNDS = 7 };

enum stage { READ, CLASSIFY, SEPARATE, WRITE, NR_STAGES };
static const char *const stage_names[] = { "read", "classify", "separate", "write" };

/* Each line of a file, COPIES times, with three frames of user code of its own over it. */
static void multiply(const char *path, FILE *to)
{
	_cleanup_fclose_ FILE *from = fopen(path, "r");
	char line[16384];

	while (from && fgets(line, sizeof(line), from)) {
		char *rest = strchr(line, ';');

		if (!rest || line[0] == '[' || line[0] == '#')
			continue;
		for (int i = 0; i < COPIES; i++)
			fprintf(to, "%.*s;main;work_%d;step_%d%s", (int)(rest - line), line, i % 13,
				i, rest);
	}
}

static int make_input(const char *path)
{
	_cleanup_fclose_ FILE *to = fopen(path, "w");
	glob_t files;

	if (!to || glob("tests/golden/irq/*.folded", 0, NULL, &files))
		return -1;
	for (size_t i = 0; i < files.gl_pathc; i++)
		multiply(files.gl_pathv[i], to);
	globfree(&files);
	return 0;
}

static int run(const char *path, double *best, size_t *ret_nodes)
{
	_cleanup_profile_ struct profile *in = profile_new(NULL);
	_cleanup_profile_ struct profile *out = NULL;
	_cleanup_irq_map_ struct irq_map *map = NULL;
	_cleanup_fclose_ FILE *null = fopen("/dev/null", "w");
	struct diag diag = { "" };
	double at[NR_STAGES + 1];

	at[READ] = cpu_seconds();
	if (!null || input_read_path(path, &(struct input_opts){ 0 }, in, &diag) < 0)
		return fprintf(stderr, "bench_irq: %s\n", diag.text), -1;
	at[CLASSIFY] = cpu_seconds();
	map = irq_map_new(in);
	at[SEPARATE] = cpu_seconds();
	out = irq_separate_mapped(in, map, &(struct irq_opts){ .mode = IRQ_MODE_SPLIT }, NULL);
	at[WRITE] = cpu_seconds();
	folded_writer.write(null, out, &(struct writer_opts){ 0 }, &diag);
	at[NR_STAGES] = cpu_seconds();
	for (int s = 0; s < NR_STAGES; s++)
		if (!best[s] || at[s + 1] - at[s] < best[s])
			best[s] = at[s + 1] - at[s];
	*ret_nodes = profile_nr_nodes(in);
	return 0;
}

int main(void)
{
	char path[] = "/tmp/bench_irq.XXXXXX";
	double best[NR_STAGES] = { 0 }, all = 0;
	int fd = mkstemp(path), bad;
	size_t nodes = 0;

	if (fd < 0)
		return 1;
	close(fd);
	bad = make_input(path);
	for (int round = 0; round < ROUNDS && !bad; round++)
		bad = run(path, best, &nodes);
	unlink(path);
	if (bad)
		return 1;
	for (int s = 0; s < NR_STAGES; s++)
		all += best[s];
	printf("interrupts: %zu nodes, %.0f ms in all\n", nodes, all * 1e3);
	for (int s = 0; s < NR_STAGES; s++)
		printf("  %-9s %7.1f ns a node  %5.1f %%\n", stage_names[s],
		       best[s] * 1e9 / (double)nodes, 100 * best[s] / all);
	return 0;
}
