/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a perf map, or records of a jitdump (jit_dump_read.h), by way of a parser: what is read
 * there, what it hands over, and what is made of that by somebody who believes nothing.
 */
#ifndef EDDY_SYMBOL_PERF_MAP_LINES_H
#define EDDY_SYMBOL_PERF_MAP_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/worker_pool.h"

#define PERF_MAP_MAX_NAME 4096	     /* what is longer is cut there */
#define PERF_MAP_MAX_FILE (64 << 20) /* bytes that are looked at */

struct jit_symbol {
	uint64_t start, size;
	uint64_t time_ns; /* since when it is there, CLOCK_MONOTONIC; 0: not known */
	uint32_t name;	  /* where it stands among the names; those of later lines stand behind */
	uint32_t len : 31;
	uint32_t is_move : 1; /* code that stood at another address, which is 8 bytes for a name */
};

/* Their order, for qsort(3): by start; of one start, by line. */
int jit_symbol_compare(const void *a, const void *b);

/* What to read. */
struct perf_map_ask {
	uint64_t from;	    /* up to there it was read: the end of a line */
	uint64_t stamp;	    /* of the bytes before, as it was told then */
	uint64_t max_bytes; /* of lines, see perf_map_line_bytes() */
	uint64_t is_dump;   /* 1: records of a jitdump */
};

struct perf_map_lines {
	uint64_t from; /* as asked for; 0: the file is no longer the one that was read */
	uint64_t to, stamp;
	bool is_full; /* another line would be more than max_bytes, or the file is too long */
	bool is_end;  /* there is no more */
	size_t nr;
	const struct jit_symbol *symbols; /* by start; of one start, by line */
	const char *names;
	size_t names_len;
	void *mapped; /* what these two point into */
	size_t mapped_bytes;
};

/* What a line takes of memory. */
static inline uint64_t perf_map_line_bytes(size_t name_len)
{
	return sizeof(struct jit_symbol) + name_len;
}

/* A job of worker_pool_run(): struct perf_map_ask, of the file that fds[0] is of (O_PATH). */
void perf_map_job(const struct worker_request *request, struct worker_answer *answer);

/*
 * What its answer says, to be released; some 4 MiB of the file at a time.  0, or -EPIPE when it is
 * no answer to that.
 */
int perf_map_lines_of(const struct worker_answer *answer, const struct perf_map_ask *ask,
		      struct perf_map_lines *ret_lines);
void perf_map_lines_deinit(struct perf_map_lines *lines);

/*
 * The same of bytes, which must outlive it: what stands in the answer, and what stands in its file
 * (aligned as a jit_symbol).
 */
int perf_map_lines_check(const struct worker_answer *answer, const void *bytes, size_t len,
			 const struct perf_map_ask *ask, struct perf_map_lines *ret_lines);

#endif
