/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an ELF file has its unwind entries, read into memory. */
#ifndef EDDY_ELF_CFI_READ_H
#define EDDY_ELF_CFI_READ_H

#include "elf/cfi_section.h"
#include "elf/elf_image.h"
#include "util/cleanup.h"

struct cfi_loaded {
	struct cfi_section section; /* len 0: there is nothing */
	uint8_t *bytes;		    /* NULL: they stand in the image's source */
};

/*
 * .eh_frame: by its section or, where section headers are gone, by .eh_frame_hdr.  .debug_frame, or
 * any other section.  0, also when there is none; -EFBIG: more than 64 MiB (of an open-ended one
 * that much is there all the same); -ENOTSUP: compressed; -EPROTO: a header of unknown form;
 * -EBADMSG, or the error of a read.  *ret_loaded is to be given back in any case.
 */
int cfi_read_eh_frame(const struct elf_image *img, struct cfi_loaded *ret_loaded);
int cfi_read_debug_frame(const struct elf_image *img, struct cfi_loaded *ret_loaded);
int cfi_read_section(const struct elf_image *img, const struct elf_section *section,
		     struct cfi_loaded *ret_loaded);
void cfi_loaded_deinit(struct cfi_loaded *loaded);
#define _cleanup_cfi_loaded_ _cleanup_(cfi_loaded_deinit)

#endif
