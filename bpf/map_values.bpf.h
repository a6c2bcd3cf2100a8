/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of maps in which the program remembers where it found rules.  Nobody else reads them; what
 * user space shares is in include/sampler_abi.h and include/unwind_abi.h.
 */
#ifndef EDDY_MAP_VALUES_BPF_H
#define EDDY_MAP_VALUES_BPF_H

#include "vmlinux.h"

#include "unwind_abi.h"

/* What the CFA (the caller's stack pointer) is counted from, by the kernel's ORC tables. */
enum eddy_orc_cfa {
	EDDY_ORC_CFA_UNKNOWN, /* the tables do not tell, or in a way that is not followed here */
	EDDY_ORC_CFA_SP,
	EDDY_ORC_CFA_BP,
	EDDY_ORC_CFA_DEREF_BP, /* from the word there: functions that align their stack */
	EDDY_ORC_CFA_END,      /* the outermost frame */
};

/* Where the caller's rbp is. */
enum eddy_orc_bp {
	EDDY_ORC_BP_SAME, /* not touched by this frame */
	EDDY_ORC_BP_CFA,  /* at CFA + bp_off */
	EDDY_ORC_BP_BP,	  /* at rbp + bp_off */
};

/* How a frame in the kernel's text finds its caller: an ORC entry, decoded. */
struct eddy_orc_rule {
	__u8 cfa;      /* enum eddy_orc_cfa */
	__u8 bp;       /* enum eddy_orc_bp */
	__u8 has_regs; /* registers of the interrupted code stand at the CFA; else it was called */
	__u8 is_exact; /* the caller's address is an instruction's own and not one to return to */
	__s32 cfa_off; /* bytes */
	__s32 bp_off;  /* bytes */
};

/*
 * The rows that the last walks on a CPU came upon, and their rules, in the order in which they were
 * first met: rows.bpf.h.
 */
#define EDDY_NR_ROWS	  1024
#define EDDY_NR_ROW_HEADS 2048

struct eddy_row {
	__u64 place; /* page << 16 | low half of the address, with EDDY_ROW_VALID; or kernel text */
	__u32 version;
	union {
		struct eddy_unwind_rule rule;
		struct eddy_orc_rule orc; /* with EDDY_ROW_ORC */
	};
};

#define EDDY_ROW_VALID (1ull << 63)
#define EDDY_ROW_ORC   0xffffffffu /* version of the kernel's rows; tables have no such place */

struct eddy_rows {
	__u32 next; /* to be filled next */
	__u32 unused;
	__u16 head[EDDY_NR_ROW_HEADS]; /* by hash of the place; may point to another's */
	struct eddy_row row[EDDY_NR_ROWS];
};

/*
 * For each KiB of the kernel's text where to look in its ORC tables: orc.bpf.h.  All CPUs write it.
 */
#define EDDY_ORC_BLOCK_SHIFT 10
#define EDDY_NR_ORC_BLOCKS   32768

struct eddy_orc_index {
	__u32 near[EDDY_NR_ORC_BLOCKS];
};

#endif
