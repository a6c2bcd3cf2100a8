// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as a Go program's line table: the CFI made of it must be such that none of it is refused,
 * and the work for it must be linear.
 */
#include "unwind/go_pclntab.h"

#include <elf.h>
#include <stdlib.h>

#include "unwind/eh_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct address_range range = { 0x401000, 0x501000 };
	struct go_cfi cfi = go_pclntab_read(data, size, 0x401000);
	const struct cfi_section section = { .bytes = cfi.bytes, .len = cfi.len };
	struct eh_frame eh;

	if (cfi.nr_pairs > size)
		abort();
	eh_frame_init(&eh, cfi_machine_find(EM_X86_64), &range, 1);
	if (cfi.len)
		eh_frame_add(&eh, &section);
	if (eh.defects.count[UNWIND_DEFECT_RECORD] || eh.defects.count[UNWIND_DEFECT_CIE] ||
	    eh.defects.count[UNWIND_DEFECT_ENCODING])
		abort();
	eh_frame_deinit(&eh);
	free(cfi.bytes);
	return 0;
}
