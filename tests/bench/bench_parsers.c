// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What it costs that a parser of its own reads a file's symbols: the same files read in process and
 * by a parser, in turn: the least and the median of the CPU time of all processes together, and of
 * the time by the clock.
 *
 * And what parsers themselves cost: a question to one that is there, to one that has to be
 * started, and from the moment at which one is killed to the answer of the next.  Medians, with the
 * machine's load, for others have a part in them.  Arguments: [ROUNDS [FILE...]]
 */
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/elf_symbols_parse.h"
#include "symbol/elf_symbols_read.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/worker_parser.h"
#include "util/worker_pool.h"

static int cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct cost {
	double cpu_ms, wall_ms;
};

/* Tables stay, as a capture's do: memory that the last one gave back would be had for nothing. */
struct tables {
	struct elf_symbols **list;
	size_t nr;
};

static void tables_free(struct tables *t)
{
	for (size_t i = 0; i < t->nr; i++)
		elf_symbols_unref(t->list[i]);
	free(t->list);
}

static struct cost read_once(const char *path, struct worker_pool *pool, struct tables *tables)
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
	tables->list[tables->nr++] = table;
	return (struct cost){
		.cpu_ms = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - own_ns + theirs_ns) / 1e6,
		.wall_ms = (clock_ns(CLOCK_MONOTONIC) - start) / 1e6,
	};
}

/* Of rounds, in their order until they are sorted. */
struct costs {
	double *cpu_ms, *wall_ms;
};

static struct costs costs_new(size_t rounds)
{
	return (struct costs){ xcalloc(rounds, sizeof(double)), xcalloc(rounds, sizeof(double)) };
}

static void costs_free(struct costs *c)
{
	free(c->cpu_ms);
	free(c->wall_ms);
}

static void costs_add(struct costs *c, size_t i, struct cost cost)
{
	c->cpu_ms[i] = cost.cpu_ms;
	c->wall_ms[i] = cost.wall_ms;
}

static void costs_sort(struct costs *c, size_t rounds)
{
	qsort(c->cpu_ms, rounds, sizeof(double), cmp);
	qsort(c->wall_ms, rounds, sizeof(double), cmp);
}

static double more(double was, double is)
{
	return 100 * (is / was - 1);
}

static void bench_file(const char *path, struct worker_pool *pool, size_t rounds)
{
	_cleanup_(costs_free) struct costs own = costs_new(rounds), theirs = costs_new(rounds);
	_cleanup_(tables_free) struct tables tables = { .list = xcalloc(2 * (rounds + 1),
									sizeof(*tables.list)) };
	const size_t mid = rounds / 2;

	read_once(path, NULL, &tables);
	read_once(path, pool, &tables);
	for (size_t i = 0; i < rounds; i++) {
		costs_add(&own, i, read_once(path, NULL, &tables));
		costs_add(&theirs, i, read_once(path, pool, &tables));
	}
	costs_sort(&own, rounds);
	costs_sort(&theirs, rounds);
	printf("%s: ms, least and median of %zu\n", path, rounds);
	printf("  in process  CPU %.3f %.3f, clock %.3f %.3f\n", own.cpu_ms[0], own.cpu_ms[mid],
	       own.wall_ms[0], own.wall_ms[mid]);
	printf("  by a parser CPU %.3f %.3f (%+.1f %% %+.1f %%), clock %.3f %.3f (%+.1f %% "
	       "%+.1f %%)\n",
	       theirs.cpu_ms[0], theirs.cpu_ms[mid], more(own.cpu_ms[0], theirs.cpu_ms[0]),
	       more(own.cpu_ms[mid], theirs.cpu_ms[mid]), theirs.wall_ms[0], theirs.wall_ms[mid],
	       more(own.wall_ms[0], theirs.wall_ms[0]),
	       more(own.wall_ms[mid], theirs.wall_ms[mid]));
}

/* ---- parsers themselves ------------------------------------------------------------------- */

static void who(const struct worker_request *request, struct worker_answer *answer)
{
	answer->status = getpid();
}

/* Its process, by its parser; how long that took. */
static pid_t ask(struct worker_parser *p, double *ret_ms)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	const struct worker_request request = { .bytes = "", .fds = { -1, -1 } };
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	if (worker_parse(p, who, &request, &a) < 0) {
		fprintf(stderr, "no parser\n");
		exit(1);
	}
	*ret_ms = (clock_ns(CLOCK_MONOTONIC) - start) / 1e6;
	return (pid_t)a.status;
}

static void print_lives(const char *what, double *ms, size_t rounds)
{
	qsort(ms, rounds, sizeof(*ms), cmp);
	printf("  %s %.3f %.3f %.3f\n", what, ms[0], ms[rounds / 2], ms[rounds - 1]);
}

/*
 * As it is for workers, which are small: this is asked before anything else is done.  A parser that
 * is killed between questions is missed when it is asked; one that dies of a question has a second.
 */
static void bench_lives(size_t rounds)
{
	_cleanup_free_ double *first = xcalloc(rounds, sizeof(double));
	_cleanup_free_ double *again = xcalloc(rounds, sizeof(double));
	_cleanup_free_ double *next = xcalloc(rounds, sizeof(double));

	for (size_t i = 0; i < rounds; i++) {
		struct worker_parser *p = worker_parser_new();
		uint64_t killed_ns;
		pid_t pid;

		ask(p, &first[i]);
		pid = ask(p, &again[i]);
		killed_ns = clock_ns(CLOCK_MONOTONIC);
		kill(pid, SIGKILL);
		pid = ask(p, &next[i]);
		next[i] = (clock_ns(CLOCK_MONOTONIC) - killed_ns) / 1e6;
		kill(pid, SIGKILL);
		while (waitpid(-1, NULL, 0) > 0)
			;
	}
	printf("parsers: ms, least, median and most of %zu\n", rounds);
	print_lives("a question to one that is there       ", again, rounds);
	print_lives("to one that has to be started         ", first, rounds);
	print_lives("from the death of one to the next's   ", next, rounds);
}

int main(int argc, char **argv)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = NULL;
	const size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 21;
	double load = 0;
	glob_t files = { 0 };

	if (!rounds)
		return 2;
	getloadavg(&load, 1);
	printf("load %.1f: what else runs here has a part in all figures\n", load);
	bench_lives(rounds);
	if (worker_pool_new(&pool) < 0)
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
