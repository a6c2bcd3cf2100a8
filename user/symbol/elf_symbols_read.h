/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a file's symbols, of its bytes: what a parser does (elf_symbols_parse.h).  Sources, best
 * first: .symtab; .symtab of the separate debug file; .gnu_debugdata with .dynsym; .dynsym.  PLT
 * stubs are named "function@plt".
 */
#ifndef EDDY_SYMBOL_ELF_SYMBOLS_READ_H
#define EDDY_SYMBOL_ELF_SYMBOLS_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_source.h"
#include "symbol/elf_symbols.h"

struct elf_symbols_input {
	int fd;
	const struct elf_source *source; /* of the same; NULL: it is read */
	int debug_fd; /* of a separate debug file, taken if it is this file's; -1: none */
	/*
	 * It is by its CRC: one of the two may be without a build id.  Else both have the same.
	 */
	bool debug_is_checked;
	uint64_t max_unpacked_bytes; /* .gnu_debugdata that is more is left out; 0: always */
	/* Code without unwind entries is looked through, up to 4 MiB; -EFBIG: there is more than
	 * this; 0: however much. */
	uint64_t max_code_bytes;
};

/*
 * The descriptors stay the caller's; nothing of them is needed afterwards.  Fails as
 * elf_image_open() does; a file without any symbol is no failure.
 */
int elf_symbols_read(const struct elf_symbols_input *in, struct elf_symbols **ret_table);
/* Only its functions without symbols; of no debug file. */
int elf_symbols_read_functions(const struct elf_symbols_input *in, struct elf_symbols **ret_table);

#endif
