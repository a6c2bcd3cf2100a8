/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stubs through which a program calls functions of other files (x86-64). */
#ifndef EDDY_SYMBOL_ELF_PLT_H
#define EDDY_SYMBOL_ELF_PLT_H

#include "symbol/elf_image.h"

/*
 * Calls add(ctx, address, size, name) for every stub whose function is known; name is an offset
 * in the strings of .dynsym, which stand at *ret_offset for *ret_bytes in the file.  The number
 * of stubs; 0 when there are none or the file has no such tables.
 */
size_t elf_plt_walk(const struct elf_image *img,
		    void (*add)(void *ctx, uint64_t addr, uint64_t size, uint32_t name), void *ctx,
		    uint64_t *ret_offset, uint64_t *ret_bytes);

#endif
