// SPDX-License-Identifier: GPL-2.0-or-later
/* Nothing the file says about itself is believed beyond the bytes it has. */
#include "elf/cfi_read.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "elf/byte_reader.h"
#include "util/mem.h"

#define MAX_FRAME_BYTES (64ull << 20) /* cc1plus has 3 MB, chromium 17 MB */

static int read_range(const struct elf_image *img, uint64_t offset, uint64_t len,
		      struct cfi_loaded *to)
{
	bool is_cut = len > MAX_FRAME_BYTES;
	int r;

	if (is_cut && !to->section.is_open_ended)
		return -EFBIG;
	len = is_cut ? MAX_FRAME_BYTES : len;
	if (offset > img->source.len || len > img->source.len - offset)
		return -EBADMSG;
	to->section.bytes = elf_source_view(&img->source, len, offset);
	if (!to->section.bytes) {
		to->section.bytes = to->bytes = xmalloc(len);
		r = elf_image_read(img, offset, to->bytes, len);
		if (r < 0)
			return r;
	}
	to->section.len = len;
	return is_cut ? -EFBIG : 0;
}

int cfi_read_section(const struct elf_image *img, const struct elf_section *section,
		     struct cfi_loaded *ret_loaded)
{
	if (section->flags & SHF_COMPRESSED)
		return -ENOTSUP;
	ret_loaded->section.addr = section->addr;
	return read_range(img, section->offset, section->bytes, ret_loaded);
}

/*
 * .eh_frame of a file without section headers.
 *	.eh_frame_hdr: version 1 | encoding of eh_frame_ptr | 2 more encodings | eh_frame_ptr
 */
static int read_by_header(const struct elf_image *img, struct cfi_loaded *to)
{
	uint64_t addr = img->eh_frame_hdr, offset, len;
	uint8_t hdr[8];
	int r;

	if (!addr || !elf_image_bytes_at(img, addr, &offset, &len) || len < sizeof(hdr))
		return 0;
	r = elf_image_read(img, offset, hdr, sizeof(hdr));
	if (r < 0)
		return r;
	if (hdr[0] != 1 || hdr[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return -EPROTO;
	struct byte_reader reader = { .at = hdr + 4, .end = hdr + sizeof(hdr) };

	to->section.addr = addr + 4 + (uint64_t)(int32_t)byte_reader_u32(&reader);
	to->section.is_open_ended = true;
	if (!elf_image_bytes_at(img, to->section.addr, &offset, &len))
		return -EBADMSG;
	return read_range(img, offset, len, to);
}

int cfi_read_eh_frame(const struct elf_image *img, struct cfi_loaded *ret_loaded)
{
	const struct elf_section *s = elf_image_section_by_name(img, ".eh_frame");

	*ret_loaded = (struct cfi_loaded){ 0 };
	if (s && s->bytes)
		return cfi_read_section(img, s, ret_loaded);
	return read_by_header(img, ret_loaded);
}

int cfi_read_debug_frame(const struct elf_image *img, struct cfi_loaded *ret_loaded)
{
	const struct elf_section *s = elf_image_section_by_name(img, ".debug_frame");

	*ret_loaded = (struct cfi_loaded){ .section.is_debug_frame = true };
	return s && s->bytes ? cfi_read_section(img, s, ret_loaded) : 0;
}

void cfi_loaded_deinit(struct cfi_loaded *loaded)
{
	free(loaded->bytes);
	*loaded = (struct cfi_loaded){ 0 };
}
