/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stripped program says itself of where its symbols are. */
#ifndef EDDY_SYMBOL_ELF_DEBUG_H
#define EDDY_SYMBOL_ELF_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_image.h"

/* What .gnu_debuglink says. */
struct elf_debug_link {
	char name[256]; /* of a file, without a directory; "": nothing */
	uint32_t crc;	/* of its bytes, as in zlib */
};

/* False, and no name, where there is no such section or nothing of use in it. */
bool elf_debug_link_read(const struct elf_image *img, struct elf_debug_link *ret_link);
/* Can it be the name of a file in a directory, and nothing else? */
bool elf_debug_link_is_sound(const struct elf_debug_link *link);

/*
 * Unpacks .gnu_debugdata (an ELF file with the symbols that .dynsym lacks, packed with xz) into
 * memory: a descriptor, or negative errno (-ENOENT: no such section, -EBADMSG: not xz or cut off,
 * -EFBIG: more than max_bytes, of which no more than that is unpacked).
 */
int elf_debug_open_embedded(const struct elf_image *img, uint64_t max_bytes);

#endif
