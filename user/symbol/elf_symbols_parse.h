/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file's symbols by way of a parser: the program opens files, looks at none of their bytes, and
 * checks what it is told of them.
 */
#ifndef EDDY_SYMBOL_ELF_SYMBOLS_PARSE_H
#define EDDY_SYMBOL_ELF_SYMBOLS_PARSE_H

#include "symbol/elf_symbols.h"
#include "util/process_root.h"
#include "util/worker_parser.h"

#define ELF_SYMBOLS_PARSE_NS 2000000000ull /* at most, that is how long samples wait for it */

struct elf_symbols_source {
	struct worker_pool *pool;    /* NULL: all is done here, and for as long as it takes */
	struct worker_key key;	     /* of the file */
	int fd;			     /* by O_PATH will do */
	const char *debug_root;	     /* before debug files; NULL: no separate ones */
	uint64_t max_unpacked_bytes; /* .gnu_debugdata that is more is left out; 0: always */
	/* Of the file, for its debug files: see struct debugged_program. */
	const char *path;
	uint64_t dev, ino;
	uint32_t uid;
	const struct process_root *process_root;
};

/*
 * 0 and the table, or
 *	-ENOEXEC and others of elf_image_open(), elf_parts_find(): no such file
 *	-ECHILD		the parser did not survive it, took too long, or answered with nonsense
 *	-ETIMEDOUT, -EBUSY, -EAGAIN, -EPIPE	it could not be read now, see worker_pool.h
 * *ret_cpu_ns: what it cost others, in any case.
 */
int elf_symbols_parse(const struct elf_symbols_source *source, struct elf_symbols **ret_table,
		      uint64_t *ret_cpu_ns);
/* The same for its unwind entries, which are added to those of the table. */
int elf_symbols_parse_functions(const struct elf_symbols_source *source, struct elf_symbols *table,
				uint64_t *ret_cpu_ns);

#endif
