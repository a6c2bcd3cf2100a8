/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a Go program by what its runtime knows of them (elf/go_functions.h). */
#ifndef EDDY_SYMBOL_ELF_GO_H
#define EDDY_SYMBOL_ELF_GO_H

#include "elf/elf_image.h"

struct elf_go_function {
	uint64_t addr, bytes;
	uint32_t name; /* an offset in the strings */
};

/*
 * Calls add() for every function.  The strings stand at *ret_offset for *ret_bytes in the file (0:
 * it is no Go program).  0, or negative when the table cannot be read or is none.
 */
int elf_go_walk(const struct elf_image *img,
		void (*add)(void *ctx, const struct elf_go_function *function), void *ctx,
		uint64_t *ret_offset, uint64_t *ret_bytes);

#endif
