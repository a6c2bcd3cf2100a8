/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled code as a parser finds it in the files of JIT compilers, on its way into an answer of
 * perf_map_lines.h: the symbols in the order of the file, with their names.
 */
#ifndef EDDY_SYMBOL_JIT_READER_H
#define EDDY_SYMBOL_JIT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/perf_map_lines.h"
#include "util/strbuf.h"

/* What stands in the answer itself; its file: symbols | names. */
struct jit_head {
	uint64_t from, to, stamp, nr;
	uint32_t is_full, is_end;
};

struct jit_reader {
	const struct perf_map_ask *ask;
	struct jit_head head;
	struct jit_symbol *symbols;
	size_t cap;
	struct strbuf names;
	uint64_t bytes; /* as max_bytes counts them */
};

/*
 * Adds code with a name, cut to PERF_MAP_MAX_NAME, or a move.  False: there is no room for it, and
 * the head says so.  What is no code (no bytes, no name, beyond the end of memory) is left out.
 */
bool jit_reader_add(struct jit_reader *r, struct jit_symbol symbol, const char *name, size_t len);

/* Some bytes of a file: as many as were there, or -errno. */
ssize_t jit_read_at(int fd, void *buf, size_t len, uint64_t offset);

#endif
