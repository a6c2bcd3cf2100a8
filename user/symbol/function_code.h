/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function as instructions, and where each of them stands in the source. */
#ifndef EDDY_SYMBOL_FUNCTION_CODE_H
#define EDDY_SYMBOL_FUNCTION_CODE_H

#include "symbol/disassembly.h"
#include "symbol/source_table.h"
#include "util/worker_pool.h"

struct code_line {
	uint32_t file; /* of the files; 0: not known */
	uint32_t line;
};

struct function_code {
	uint64_t start, end;
	struct disassembly *code; /* from start to end */
	struct code_line *lines;  /* of each instruction; NULL: nothing is known of them */
	struct strbuf files;	  /* NUL-terminated one by one; 0 is "" */
};

#define FUNCTION_CODE_INIT           \
	{                            \
		.files = STRBUF_INIT \
	}
void function_code_deinit(struct function_code *f);
#define _cleanup_function_code_ _cleanup_(function_code_deinit)

/*
 * Instructions of bytes in memory, by a parser of the pool (NULL: here): fills in all but the
 * lines.  0, or
 *	-ENOTSUP	code of a machine that nobody here knows
 *	-ECHILD		the parser did not survive it, took too long, or answered with nonsense
 *	-E2BIG		more than DISASSEMBLY_MAX_BYTES; or as worker_pool_parse()
 */
int function_code_read(struct worker_pool *pool, uint64_t start, const void *bytes, size_t len,
		       struct function_code *ret);

/* Asks about as many of these addresses as go together: how many; 0 or less: nothing is known. */
typedef int (*function_code_ask)(void *ctx, const uint64_t *addresses, size_t nr,
				 struct source_table **ret_table);
/* Finds the lines.  What is not known stays so. */
void function_code_find_lines(struct function_code *f, function_code_ask ask, void *ctx);
/* Of instruction i: its file ("": not known) and line. */
const char *function_code_line(const struct function_code *f, size_t i, uint32_t *ret_line);

#endif
