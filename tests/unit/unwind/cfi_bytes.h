/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes call frame information by hand, well-formed or not. */
#ifndef EDDY_TESTS_CFI_BYTES_H
#define EDDY_TESTS_CFI_BYTES_H

#include <dwarf.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unwind/eh_frame.h"

struct cfi_bytes {
	uint8_t b[8192];
	size_t n;
};

static inline void put(struct cfi_bytes *c, const void *bytes, size_t len)
{
	if (len)
		memcpy(c->b + c->n, bytes, len);
	c->n += len;
}

static inline void put8(struct cfi_bytes *c, uint8_t v)
{
	put(c, &v, 1);
}

static inline void put32(struct cfi_bytes *c, uint32_t v)
{
	put(c, &v, 4);
}

static inline void put64(struct cfi_bytes *c, uint64_t v)
{
	put(c, &v, 8);
}

/* Sets the length of the record that begins at `at` to what was written behind it. */
static inline void put_length(struct cfi_bytes *c, size_t at)
{
	uint32_t len = (uint32_t)(c->n - at - 4);

	memcpy(c->b + at, &len, 4);
}

/*
 * A CIE of x86-64 as gcc writes it: "zR" (or other augmentation) with absolute addresses of 4
 * bytes; CFA = rsp + 8, return address at CFA - 8.  Returns its offset.
 */
static inline size_t put_cie(struct cfi_bytes *c, const char *augmentation)
{
	static const uint8_t code[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };
	size_t at = c->n;

	put32(c, 0);
	put32(c, 0);
	put8(c, 1);
	put(c, augmentation, strlen(augmentation) + 1);
	put8(c, 1);
	put8(c, 0x78); /* -8 */
	put8(c, 16);
	if (augmentation[0] == 'z') {
		put8(c, 1);
		put8(c, DW_EH_PE_udata4);
	}
	put(c, code, sizeof(code));
	put_length(c, at);
	return at;
}

/* An FDE whose CIE stands at `cie`; returns its offset. */
static inline size_t put_fde(struct cfi_bytes *c, size_t cie, uint32_t start, uint32_t size,
			     const void *code, size_t len)
{
	size_t at = c->n;

	put32(c, 0);
	put32(c, (uint32_t)(c->n - cie));
	put32(c, start);
	put32(c, size);
	put8(c, 0);
	put(c, code, len);
	put_length(c, at);
	return at;
}

static inline struct cfi_section cfi_section(const struct cfi_bytes *c)
{
	return (struct cfi_section){ .bytes = c->b, .len = c->n, .addr = 0x500000 };
}

#endif
