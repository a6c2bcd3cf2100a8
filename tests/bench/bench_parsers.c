// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What it costs that a parser of its own reads a file's symbols: the same files read in process and
 * by a parser, in turn: the least and the median of the CPU time of all processes together, and the
 * least by the clock.  The median is right: what a process did behind its answer is told with its
 * next one.  Arguments: [ROUNDS [FILE...]]
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol/elf_symbols_parse.h"
#include "symbol/elf_symbols_read.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/worker_pool.h"

static int cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct cost {
	double cpu_ms, wall_ms;
};

static struct cost read_once(const char *path, struct worker_pool *pool)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct elf_symbols_source source = { .pool = pool, .fd = fd, .key = { 1, 1, 0, 0 } };
	const struct elf_symbols_input in = { .fd = fd, .debug_fd = -1 };
	struct elf_symbols *table = NULL;
	uint64_t theirs_ns = 0, start = clock_ns(CLOCK_MONOTONIC);
	uint64_t own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	int r = pool ? elf_symbols_parse(&source, &table, &theirs_ns)
		     : elf_symbols_read(&in, &table);

	if (r < 0) {
		fprintf(stderr, "%s: %d\n", path, r);
		exit(1);
	}
	elf_symbols_unref(table);
	return (struct cost){
		.cpu_ms = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - own_ns + theirs_ns) / 1e6,
		.wall_ms = (clock_ns(CLOCK_MONOTONIC) - start) / 1e6,
	};
}

struct costs {
	double *cpu_ms, wall_ms;
};

static void costs_add(struct costs *c, size_t i, struct cost cost)
{
	c->cpu_ms[i] = cost.cpu_ms;
	if (!i || cost.wall_ms < c->wall_ms)
		c->wall_ms = cost.wall_ms;
}

static void bench_file(const char *path, struct worker_pool *pool, size_t rounds)
{
	_cleanup_free_ double *a = xcalloc(rounds, sizeof(*a)), *b = xcalloc(rounds, sizeof(*b));
	struct costs own = { .cpu_ms = a }, by_parser = { .cpu_ms = b };

	read_once(path, NULL);
	read_once(path, pool);
	for (size_t i = 0; i < rounds; i++) {
		costs_add(&own, i, read_once(path, NULL));
		costs_add(&by_parser, i, read_once(path, pool));
	}
	qsort(a, rounds, sizeof(*a), cmp);
	qsort(b, rounds, sizeof(*b), cmp);
	printf("%s\n  in process CPU %.3f %.3f, clock %.3f ms; by parser CPU %.3f %.3f (%+.0f %% "
	       "%+.0f %%), clock %.3f ms (%+.0f %%)\n",
	       path, a[0], a[rounds / 2], own.wall_ms, b[0], b[rounds / 2], 100 * (b[0] / a[0] - 1),
	       100 * (b[rounds / 2] / a[rounds / 2] - 1), by_parser.wall_ms,
	       100 * (by_parser.wall_ms / own.wall_ms - 1));
}

int main(int argc, char **argv)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = NULL;
	const size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 21;
	glob_t files = { 0 };

	if (!rounds || worker_pool_new(&pool) < 0)
		return 2;
	for (int i = 2; i < argc; i++)
		bench_file(argv[i], pool, rounds);
	if (argc > 2)
		return 0;
	glob("/bin/true", 0, NULL, &files);
	glob("/bin/bash", GLOB_APPEND, NULL, &files);
	glob("/usr/lib/*-linux-gnu/libLLVM*.so.*", GLOB_APPEND, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++)
		bench_file(files.gl_pathv[i], pool, rounds);
	globfree(&files);
	return 0;
}
