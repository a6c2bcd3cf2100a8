/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small reads that lie near each other, of a source where each read costs a system call. */
#ifndef EDDY_ELF_ELF_WINDOW_H
#define EDDY_ELF_ELF_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf_source.h"
#include "util/cleanup.h"

#define ELF_WINDOW_BYTES (64u << 10)

/* All zero before the first read.  The source must stay the same one. */
struct elf_window {
	uint8_t *bytes;
	uint64_t at; /* bytes of the source from here on ... */
	size_t len;  /* ... so many */
};

/*
 * As elf_source_read(), from what was read last where that holds it; a longer read than a quarter
 * of the window goes to the source, and so does each of one that is in memory.
 */
int elf_window_read(struct elf_window *w, const struct elf_source *source, void *dst, size_t len,
		    uint64_t offset);
void elf_window_deinit(struct elf_window *w);
#define _cleanup_elf_window_ _cleanup_(elf_window_deinit)

#endif
