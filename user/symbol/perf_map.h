/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /tmp/perf-PID.map, in which just-in-time compilers (node, Java, .NET, Python) name the code that
 * they write into memory: lines "START SIZE NAME", numbers in hex, appended as they go.
 */
#ifndef EDDY_SYMBOL_PERF_MAP_H
#define EDDY_SYMBOL_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/cleanup.h"
#include "util/strbuf.h"

struct perf_map;

/*
 * Opens the map of a process in its own root directory and under the PID that it has there.
 * Anybody can write into /tmp, so it must be a regular file, no symbolic link, and belong to the
 * process's user or to root: else -EPERM.  -ENOENT: there is none.  Nothing is read yet.
 */
int perf_map_open(const char *root, pid_t pid, struct perf_map **ret_map);
/* A map of an open file (taken over), whoever owns it. */
struct perf_map *perf_map_new(int fd);
void perf_map_free(struct perf_map *m);
DEFINE_FREE(perf_map, struct perf_map *, perf_map_free)

/*
 * Reads what was appended since the last time; a file that shrank is read from its beginning.  No
 * more than max_symbols are kept and no more than 64 MiB looked at.  1: there is something new,
 * 0: not, or -errno.
 */
int perf_map_refresh(struct perf_map *m, size_t max_symbols);

/*
 * Adds the name of the code at addr to `to`; of several, the one written last (memory is used
 * again).  -ENOENT: none; -EBADMSG: the file is no longer what it was.
 */
int perf_map_name(const struct perf_map *m, uint64_t addr, struct strbuf *to);

size_t perf_map_nr(const struct perf_map *m);
size_t perf_map_bytes(const struct perf_map *m); /* memory held */

#endif
