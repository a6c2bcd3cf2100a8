/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which parts of an ELF file are read here. */
#ifndef EDDY_ELF_ELF_PARTS_H
#define EDDY_ELF_ELF_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf_source.h"
#include "util/cleanup.h"

#define ELF_PARTS_MAX_BYTES (512ull << 20) /* in all */
#define ELF_PARTS_MAX	    65536

enum elf_parts_for {
	ELF_PARTS_UNWIND,    /* headers, CFI, what tells the begin of a stack */
	ELF_PARTS_SYMBOLS,   /* headers, notes, symbols, stubs; without .symtab those below */
	ELF_PARTS_TABLES,    /* of those all but code: quick to find, for how much there is */
	ELF_PARTS_FUNCTIONS, /* headers, CFI, code without, the code of _start */
};

/* All inside the file as it was then; they may overlap. */
struct elf_part {
	uint64_t offset, bytes; /* bytes > 0 */
};

struct elf_parts {
	struct elf_part *list;
	size_t nr, cap;
	uint64_t bytes; /* of all, those of overlaps at most as often as there are */
};

/*
 * Of an open file; of one that is not ELF its first bytes.  0 and the parts, to be released; or
 * -EINVAL (no regular file), -EFBIG, -E2BIG (more bytes, more parts than above), -errno of reading.
 */
int elf_parts_find(int fd, enum elf_parts_for use, struct elf_parts *ret_parts);
int elf_parts_find_source(const struct elf_source *source, enum elf_parts_for use,
			  struct elf_parts *ret_parts);
void elf_parts_deinit(struct elf_parts *parts);
#define _cleanup_elf_parts_ _cleanup_(elf_parts_deinit)

#endif
