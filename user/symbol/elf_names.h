/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of a file's symbols, copied.  Names read when they are asked for would cost less
 * memory, but keep the file open: its file system could not be unmounted, and a deleted program
 * would keep its space.
 */
#ifndef EDDY_SYMBOL_ELF_NAMES_H
#define EDDY_SYMBOL_ELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "symbol/symbol_index.h"

/* The strings that the names of one source (index_entry.source) are offsets into. */
struct elf_strings {
	const struct elf_image *img; /* NULL: none */
	uint64_t offset, bytes;
};

#define ELF_NAME_MAX_BYTES 4096 /* longer names are cut */

struct elf_names {
	char *bytes; /* each name with its NUL */
	size_t len, cap;
};

/*
 * Copies the names that the index refers to, and makes its entries refer to the copies (0: none).
 * Versions behind '@' are left out (one '@' says that it is an old one: SYMBOL_OLD), names are cut
 * to 4096 bytes.  false: some could not be read, or there was more than 256 MiB of strings, or
 * names overlap so that they would make much more than twice the strings of the file; those have no
 * name.
 */
bool elf_names_copy(const struct elf_strings *sources, size_t nr_sources,
		    struct symbol_index *index, struct elf_names *ret_names);
void elf_names_deinit(struct elf_names *names);

#endif
