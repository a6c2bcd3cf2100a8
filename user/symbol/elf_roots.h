/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a program without symbols that are known by their place: where the kernel
 * begins, what that hands to the C library as main, and what stands in .init and .fini.
 */
#ifndef EDDY_SYMBOL_ELF_ROOTS_H
#define EDDY_SYMBOL_ELF_ROOTS_H

#include <stdint.h>

#include "elf/elf_image.h"

/* ELF addresses; 0: not known. */
struct elf_roots {
	uint64_t start; /* _start */
	uint64_t start_bytes;
	uint64_t main;
	uint64_t init, fini; /* _init and _fini */
};

/*
 * The entry point is _start only where its code is that of a _start: linkers write one into shared
 * libraries too.  main is known of programs that begin with glibc's code, x86-64 and arm64.
 */
void elf_roots_find(const struct elf_image *img, struct elf_roots *ret_roots);

#endif
