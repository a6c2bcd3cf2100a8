/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stubs through which a program calls functions of other files (x86-64). */
#ifndef EDDY_SYMBOL_ELF_PLT_H
#define EDDY_SYMBOL_ELF_PLT_H

#include "elf/elf_image.h"

struct elf_plt_stub {
	uint64_t addr, bytes;
	uint32_t name;	   /* of the function, an offset in the strings of .dynsym; 0: not known */
	uint64_t resolver; /* of a function that is chosen when the program starts (ifunc); or 0 */
};

/*
 * Calls add() for every stub.  The strings of .dynsym stand at *ret_offset for *ret_bytes in the
 * file (0: there are none, nor names).  The number of stubs.
 */
size_t elf_plt_walk(const struct elf_image *img,
		    void (*add)(void *ctx, const struct elf_plt_stub *stub), void *ctx,
		    uint64_t *ret_offset, uint64_t *ret_bytes);

#endif
