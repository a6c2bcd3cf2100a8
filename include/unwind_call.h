/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does code call?  Asked of what stands before a return address that nothing but the chain of
 * frame pointers vouches for: a word that happens to look like one seldom follows a call.
 * Source: Intel SDM volume 2, CALL; Arm ARM (DDI 0487) C4.1.
 */
#ifndef EDDY_UNWIND_CALL_H
#define EDDY_UNWIND_CALL_H

#include "unwind_abi.h"
#include "unwind_arch.h"
#include "unwind_compiler.h"

/* call *reg or *memory: ff /2, of so many bytes by the form of its operand */
EDDY_UNWIND_INLINE int eddy_unwind_is_indirect_call(__u8 opcode, __u8 modrm, __u8 sib, int bytes)
{
	__u8 mod = modrm >> 6, rm = modrm & 7;
	int len = 2;

	if (opcode != 0xff || (modrm & 0x38) != 0x10)
		return 0;
	if (mod != 3 && rm == 4)
		len = 3;
	if (mod == 1)
		len += 1;
	else if (mod == 2 || (!mod && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
		len += 4;
	return len == bytes;
}

/* Of the 8 bytes before an address, the last of them the highest. */
EDDY_UNWIND_INLINE int eddy_unwind_is_call(__u64 code, int arch)
{
	__u32 insn = code >> 32;
	int bytes;

	if (arch == EDDY_ARCH_ARM64) /* bl; blr, with and without authentication */
		return (insn & 0xfc000000) == 0x94000000 || (insn & 0xfefff000) == 0xd63f0000;
	if ((__u8)(code >> 24) == 0xe8) /* call rel32 */
		return 1;
	for (bytes = 2; bytes <= 7; bytes++)
		if (eddy_unwind_is_indirect_call(code >> (64 - 8 * bytes), code >> (72 - 8 * bytes),
						 bytes > 2 ? code >> (80 - 8 * bytes) : 0, bytes))
			return 1;
	return 0;
}

#endif
