// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A section .plt begins with an entry of 32 bytes that every lazy binding passes, behind it stand
 * entries that touch neither stack nor link register; those of static programs have no such head.
 *
 *	[bti c]
 *	stp x16, x30, [sp, #-16]!
 *					CFA = sp + 16, x30 at CFA - 8
 *	adrp, ldr, add, br, nop...
 */
#include "unwind/cfi_arm64.h"

#include <dwarf.h>
#include <string.h>

#include "unwind/cfi_program.h"

#define PLT_HEAD_BYTES	  32
#define TRAMPOLINE_BYTES  12 /* and the word behind: a task in the system call stands there */
#define BTI_C		  0xd503245fu
#define STP_X16_X30	  0xa9bf7bf0u
#define DW_RA		  30
#define DW_SP		  31
#define ADVANCE(nr_insns) (DW_CFA_advance_loc | (nr_insns))
#define PUSHED		  DW_CFA_def_cfa_offset, 16, DW_CFA_offset | DW_RA, 1
#define POPPED		  DW_CFA_def_cfa_offset, 0, DW_CFA_same_value, DW_RA

static const uint32_t trampoline[] = { 0xd2801168u, 0xd4000001u };

static void add(struct eh_frame *eh, struct cfi_fde fde, bool is_signal)
{
	static const uint8_t in_lr[] = { DW_CFA_def_cfa, DW_SP, 0 };
	struct cfi_cie cie = {
		.code = in_lr,
		.code_len = sizeof(in_lr),
		.code_align = 4,
		.data_align = -8,
		.is_signal = is_signal,
	};

	if (cfi_program_run_cie(eh->machine, &cie))
		eh_frame_add_made(eh, &cie, &fde);
}

void cfi_arm64_add_plt(struct eh_frame *eh, uint64_t addr, uint64_t len, const uint32_t head[2])
{
	static const uint8_t plain[] = { ADVANCE(1), PUSHED, ADVANCE(7), POPPED };
	static const uint8_t with_bti[] = { ADVANCE(2), PUSHED, ADVANCE(6), POPPED };
	struct cfi_fde fde = { .start = addr, .end = addr + len };

	if (len >= PLT_HEAD_BYTES && head[0] == STP_X16_X30) {
		fde.code = plain;
		fde.code_len = sizeof(plain);
	} else if (len >= PLT_HEAD_BYTES && head[0] == BTI_C && head[1] == STP_X16_X30) {
		fde.code = with_bti;
		fde.code_len = sizeof(with_bti);
	}
	add(eh, fde, false);
}

void cfi_arm64_add_trampoline(struct eh_frame *eh, uint64_t addr, const uint8_t *code, size_t len)
{
	for (size_t i = 0; i + sizeof(trampoline) <= len; i += 4) {
		if (memcmp(code + i, trampoline, sizeof(trampoline)))
			continue;
		add(eh, (struct cfi_fde){ .start = addr + i, .end = addr + i + TRAMPOLINE_BYTES },
		    true);
		return;
	}
}
