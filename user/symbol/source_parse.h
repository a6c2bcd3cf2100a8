/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in the source by way of a parser: the program opens files, looks at none of their bytes,
 * and checks what it is told of them.  Debug files are too large to be copied first: the parser
 * reads what it needs of the file where it is.
 */
#ifndef EDDY_SYMBOL_SOURCE_PARSE_H
#define EDDY_SYMBOL_SOURCE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf_alt.h"
#include "symbol/source_table.h"
#include "util/worker_pool.h"

#define SOURCE_MAX_BUILD_ID 64
#define SOURCE_PARSE_NS	    3000000000ull /* of a CPU at most, and by the clock: somebody waits */

struct source_question {
	struct worker_pool *pool;  /* NULL: all is done here, and for as long as it takes */
	struct worker_key key;	   /* of the file */
	int fd;			   /* by O_PATH will do */
	int alt_fd;		   /* as of struct dwarf_source, the same */
	bool without_alt;	   /* as of struct dwarf_source */
	const uint64_t *addresses; /* rising, each once */
	size_t nr;
	bool with_lines;
	uint64_t anchor;	 /* as of struct dwarf_source */
	const uint8_t *build_id; /* that the file must have; NULL: any */
	size_t build_id_len;	 /* at most SOURCE_MAX_BUILD_ID */
};

/*
 * Asks for as many of the addresses as go together, from the first on: how many that were, and
 * their table; or
 *	-ENODATA, -ENOEXEC, -EBADMSG	as dwarf_source_read()
 *	-EREMOTE		the same, and *ret_alt, which is sound and otherwise foreign
 *	-ECHILD			the parser did not survive it, took too long, or answered with
 *				nonsense
 *	-ETIMEDOUT, -EBUSY, -EAGAIN, -EPIPE	it could not be read now, see worker_pool.h
 * *ret_cpu_ns: what it cost others, in any case.
 */
int source_parse(const struct source_question *q, struct source_table **ret_table,
		 struct dwarf_alt *ret_alt, uint64_t *ret_cpu_ns);

#endif
