/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of stripped programs that stand elsewhere. */
#ifndef EDDY_SYMBOL_ELF_DEBUG_H
#define EDDY_SYMBOL_ELF_DEBUG_H

#include "symbol/elf_image.h"

/*
 * Opens ROOT/usr/lib/debug/.build-id/xx/yyyy.debug of the image's build id.  An open descriptor,
 * or negative errno (-ENOENT when the image has no build id).
 */
int elf_debug_open_separate(const struct elf_image *img, const char *root);

/*
 * Unpacks .gnu_debugdata (an ELF file with the symbols that .dynsym lacks, packed with xz) into
 * memory: a descriptor, or negative errno (-ENOENT: no such section, -EBADMSG: not xz or cut off,
 * -EFBIG: more than 64 MiB).
 */
int elf_debug_open_embedded(const struct elf_image *img);

#endif
