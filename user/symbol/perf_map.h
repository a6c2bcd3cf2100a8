/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /tmp/perf-PID.map, in which just-in-time compilers (node, Java, .NET, Python) name the code that
 * they write into memory: lines "START SIZE NAME", numbers in hex, appended as they go.  A jitdump
 * (jit_dump.h) is read the same way; its records say when code came there, too.
 */
#ifndef EDDY_SYMBOL_PERF_MAP_H
#define EDDY_SYMBOL_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/cleanup.h"
#include "util/strbuf.h"
#include "util/worker_pool.h"

struct perf_map;

/*
 * Opens the map of a process in its own root directory and under the PID that it has there.
 * Anybody can write into /tmp, so it must be a regular file, no symbolic link, and belong to the
 * process's user or to root: else -EPERM.  -ENOENT: there is none.  Nothing is read yet.  It is
 * read by those workers then.
 */
int perf_map_open(struct worker_pool *pool, const char *root, pid_t pid, struct perf_map **ret_map);
/* A map of an open file (taken over), whoever owns it; it is read by those workers, or at once. */
struct perf_map *perf_map_new_by(struct worker_pool *pool, int fd);
struct perf_map *perf_map_new(int fd);
/* The same of a jitdump that a process of that user has mapped. */
struct perf_map *perf_map_new_dump(struct worker_pool *pool, const struct worker_key *key, int fd,
				   uint32_t uid);
void perf_map_free(struct perf_map *m);
DEFINE_FREE(perf_map, struct perf_map *, perf_map_free)

/*
 * Reads what was appended since the last time; a file that shrank or was written anew is read from
 * its beginning.  No more than max_bytes of lines are kept, what stands behind those is read when
 * more are allowed, and no more than 64 MiB looked at.  What is not read in 200 ms comes the next
 * time.  1: there is something new; 0: not; or -errno, as worker_pool_run() and worker_parse(), and
 * -EPIPE for an answer that is none: then what was known stays.
 */
int perf_map_refresh(struct perf_map *m, uint64_t max_bytes);
#define PERF_MAP_MAX_BYTES (1ull << 30)

/*
 * Adds the name of the code that was at addr at that time (CLOCK_MONOTONIC; 0: now) to `to`: of
 * several, as memory is used again, the one that came there last; else, since compilers may tell
 * of code when it runs already, the first that came later.  1: another one came there later; 0;
 * -ENOENT: none.
 */
int perf_map_name(const struct perf_map *m, uint64_t addr, uint64_t time_ns, struct strbuf *to);

uint32_t perf_map_uid(const struct perf_map *m); /* whose it is; 0 unless it was opened here */
bool perf_map_is_cut(const struct perf_map *m);	 /* by a bound, when it was read last */
size_t perf_map_nr(const struct perf_map *m);
uint64_t perf_map_held(const struct perf_map *m); /* bytes of lines, as max_bytes counts them */
size_t perf_map_bytes(const struct perf_map *m);  /* memory held */

#endif
