// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of Go programs as symbols. */
#include "symbol/elf_go.h"

#include <errno.h>

#include "elf/cfi_read.h"
#include "elf/go_functions.h"

int elf_go_walk(const struct elf_image *img,
		void (*add)(void *ctx, const struct elf_go_function *function), void *ctx,
		uint64_t *ret_offset, uint64_t *ret_bytes)
{
	const struct elf_section *table = go_functions_section(img);
	const struct elf_section *text = elf_image_section_by_name(img, ".text");
	_cleanup_cfi_loaded_ struct cfi_loaded lines = { 0 };
	struct go_functions functions;
	struct go_function f;
	int r;

	*ret_offset = *ret_bytes = 0;
	if (!table)
		return 0;
	r = cfi_read_section(img, table, &lines);
	if (r < 0)
		return r;
	if (!go_functions_open(&functions, lines.section.bytes, lines.section.len,
			       text ? text->addr : 0))
		return -EBADMSG;
	*ret_offset = table->offset;
	*ret_bytes = table->bytes;
	for (uint64_t i = 0; i < functions.nr; i++)
		if (go_functions_get(&functions, i, &f) && f.name < functions.len &&
		    f.name <= UINT32_MAX)
			add(ctx, &(struct elf_go_function){ .addr = f.start,
							    .bytes = f.end - f.start,
							    .name = (uint32_t)f.name });
	return 0;
}
