/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables as the sampler (BPF) and the loader (user space) both see them.
 *
 * A table says for every address of an ELF file how a frame there finds its caller.  It is made
 * from .eh_frame once per file and does not depend on processes:
 *
 *	file key -> eddy_unwind_file -+-> segment: file offset -> ELF address
 *	                              '-> page of 64 KiB of ELF addresses (eddy_unwind_page)
 *	                                    '-> rows in a slab, sorted   pc_low16 << 16 | rule
 *	                                          '-> eddy_unwind_rule
 *
 * The rows of a page stand together in one slab and the first of them is for offset 0, so a
 * search never needs the page before.  A row holds from its address to the next row's.
 *
 * Rules are few (about 5,000 for a whole distribution) and shared by all files, so that a row
 * needs 4 bytes.  Rows are packed into 4 MiB values because the kernel rounds array elements up
 * to 8 bytes, and 4 MiB is the largest array value that 5.10 accepts.
 */
#ifndef EDDY_UNWIND_ABI_H
#define EDDY_UNWIND_ABI_H

/* A complete vmlinux.h made from BTF has these types already, and clashes with the uapi header. */
#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define EDDY_UNWIND_SLAB_ROWS	 (1u << 20)
#define EDDY_UNWIND_MAX_SLABS	 1024
#define EDDY_UNWIND_MAX_RULES	 65536
#define EDDY_UNWIND_MAX_PAGES	 262144 /* 16 GiB of code */
#define EDDY_UNWIND_PAGE_SHIFT	 16
#define EDDY_UNWIND_MAX_SEGMENTS 4

/* enum eddy_unwind_rule.cfa: where the caller's stack pointer (CFA) comes from. */
enum eddy_cfa_kind {
	EDDY_CFA_NONE = 0,     /* no CFI for this address: frame-pointer step */
	EDDY_CFA_SP = 1,       /* sp + off */
	EDDY_CFA_FP = 2,       /* fp + off */
	EDDY_CFA_DEREF_SP = 3, /* *(sp + off) + aux */
	EDDY_CFA_DEREF_FP =
		4,	  /* *(fp + off) + aux, stack realignment with a saved argument pointer */
	EDDY_CFA_PLT = 5, /* sp + off + ((pc & 15) >= aux ? 8 : 0), x86-64 lazy PLT */
	EDDY_CFA_SIGNAL =
		6,	    /* registers of the interrupted frame stand in the signal frame at sp */
	EDDY_CFA_STOP = 7,  /* outermost frame (return address undefined) */
	EDDY_CFA_UNSUP = 8, /* CFI that rows cannot express */
	EDDY_CFA_SWITCH = 9, /* fp + off, and the caller may be on a lower stack (Go's runtime) */
	/*
	 * 16 + enum eddy_gpr: register + off, x86-64.  With EDDY_RA_CODE, aux 1: of a frame that
	 * waits in a call of a function that calls nothing, and leaves the register as it is.  So
	 * that function is the innermost frame, or one that a signal interrupted: what gpr[] is of.
	 */
	EDDY_CFA_REG = 16,
};

/* eddy_unwind_rule.fp: where the caller's frame pointer (rbp, x29) is. */
enum eddy_fp_kind {
	EDDY_FP_SAME = 0,  /* not touched by this frame */
	EDDY_FP_CFA = 1,   /* at CFA + 8 * fp_off8 */
	EDDY_FP_DEREF = 2, /* at fp + 8 * fp_off8 */
	EDDY_FP_LOST = 3,  /* undefined, or where rows cannot express it */
};

/* eddy_unwind_rule.ra: where the return address is. */
enum eddy_ra_kind {
	EDDY_RA_CFA = 0, /* at CFA - 8; every ordinary x86-64 frame */
	EDDY_RA_OFF = 1, /* at CFA + 8 * aux */
	EDDY_RA_REG = 2, /* in the register aux (enum eddy_gpr), x86-64, innermost frame only */
	EDDY_RA_LR = 3,	 /* in the link register, arm64, innermost frame only */
	/* As EDDY_RA_CFA; the rule was read out of the code, there is no CFI.  x86-64 */
	EDDY_RA_CODE = 4,
};

/* x86-64 registers in the order of the signal frame, so that one read restores them all. */
enum eddy_gpr {
	EDDY_GPR_R8 = 0,
	EDDY_GPR_R9,
	EDDY_GPR_R10,
	EDDY_GPR_R11,
	EDDY_GPR_R12,
	EDDY_GPR_R13,
	EDDY_GPR_R14,
	EDDY_GPR_R15,
	EDDY_GPR_DI,
	EDDY_GPR_SI,
	EDDY_GPR_BP,
	EDDY_GPR_BX,
	EDDY_GPR_DX,
	EDDY_GPR_AX,
	EDDY_GPR_CX,
	EDDY_GPR_SP,
	EDDY_GPR_IP,
	EDDY_NR_GPRS
};

#define EDDY_BX_SAME 0	 /* eddy_unwind_rule.bx: rbx is not touched by this frame */
#define EDDY_BX_LOST 255 /* ... or it is not known any more */

/* What one address range does to the registers: 12 bytes. */
struct eddy_unwind_rule {
	__u8 cfa;      /* enum eddy_cfa_kind, or EDDY_CFA_REG + enum eddy_gpr */
	__u8 fp;       /* enum eddy_fp_kind */
	__u8 ra;       /* enum eddy_ra_kind */
	__u8 bx;       /* rbx at CFA - 8 * bx; EDDY_BX_SAME, EDDY_BX_LOST; x86-64 */
	__s32 off;     /* bytes */
	__s16 fp_off8; /* in units of 8 bytes */
	__s16 aux;     /* see cfa and ra; of the two only one may use it */
};

/* Rule 0 in every dictionary: EDDY_CFA_NONE.  A zeroed row therefore says "no information". */
#define EDDY_UNWIND_RULE_NONE 0

/* 64 KiB of ELF addresses.  Zeroed: one row of no meaning, so check eddy_unwind_file first. */
struct eddy_unwind_page {
	__u32 first; /* row within the slab */
	__u16 nm1;   /* rows minus one: 1 to 65536 rows */
	__u16 slab;
};

/* Value of one inner array map. */
struct eddy_unwind_slab {
	__u32 row[EDDY_UNWIND_SLAB_ROWS];
};

/* Values of the two single-element array maps: direct addressing, no look-up per step. */
struct eddy_unwind_rules {
	struct eddy_unwind_rule rule[EDDY_UNWIND_MAX_RULES];
};
struct eddy_unwind_pages {
	struct eddy_unwind_page page[EDDY_UNWIND_MAX_PAGES];
	/* Counts the tables taken away: nothing that was found before holds any more. */
	__u32 version;
};

/*
 * Which file is mapped, as the kernel names it: inode->i_ino, i_sb->s_dev (major << 20 | minor,
 * not the encoding of st_dev), i_generation.
 */
struct eddy_unwind_key {
	__u64 ino;
	__u32 dev;
	__u32 gen;
	/*
	 * 0 where these three are one file.  They are not on file systems with snapshots, which
	 * share all of them, nor where there is no generation and no block device (network, FUSE):
	 * there it is the inode's address, one file's for as long as somebody maps or watches it.
	 */
	__u64 inode;
};

enum eddy_file_kind {
	EDDY_FILE_PENDING = 0, /* user space has been told, the table is not there yet */
	EDDY_FILE_TABLE = 1,   /* pages are valid */
	EDDY_FILE_NOTABLE = 2, /* without usable CFI (data files, ELF of another machine) */
};

/* A loadable, executable part of the file: ELF address = file offset + delta (modulo 2^64). */
struct eddy_unwind_segment {
	__u64 begin; /* file offset */
	__u64 end;   /* exclusive */
	__u64 delta;
};

struct eddy_unwind_file {
	__u32 id;	   /* number that frames carry, > 0; valid for every kind */
	__u32 kind;	   /* enum eddy_file_kind */
	__u32 first_page;  /* index of eddy_unwind_pages for ELF page `page_base` */
	__u32 nr_pages;	   /* 0 unless kind is EDDY_FILE_TABLE */
	__u64 page_base;   /* lowest ELF address with a row >> EDDY_UNWIND_PAGE_SHIFT */
	__u32 nr_segments; /* <= EDDY_UNWIND_MAX_SEGMENTS */
	__u32 used; /* BPF: "if (!used) used = 1"; user space reads and clears, for eviction */
	struct eddy_unwind_segment segment[EDDY_UNWIND_MAX_SEGMENTS];
};

/* How a user stack ended.  Every sample gets exactly one. */
enum eddy_unwind_end {
	EDDY_END_NONE = 0, /* not ended: the next step may be taken */
	EDDY_END_ROOT,	   /* the outermost frame: complete */
	EDDY_END_PENDING,  /* the table of a file was not loaded yet */
	EDDY_END_NOTABLE,  /* file without a table, and its first frame-pointer step was refused */
	EDDY_END_NOINFO,   /* no CFI for this address, and the frame-pointer step was refused */
	EDDY_END_JIT,	   /* anonymous executable memory, and the same */
	EDDY_END_FPFAIL,   /* refused after an earlier frame-pointer step had been taken */
	EDDY_END_NOMAP,	   /* no executable mapping holds the address */
	EDDY_END_FAULT,	   /* stack memory not present */
	EDDY_END_UNSUP,	   /* a rule that cannot be followed */
	EDDY_END_DEPTH,	   /* depth limit */
	EDDY_END_BADSP,	   /* the caller's stack pointer is not above this frame's */
	EDDY_END_ZERORA,   /* return address below 4096 */
	EDDY_END_EXEC,	   /* in execve: registers of the old program, memory of the new */
	EDDY_END_EXIT,	   /* exiting task, its memory is gone */
	EDDY_END_KTHREAD,  /* a task without user memory */
	EDDY_END_COMPAT32, /* 32-bit process */
	EDDY_END_VMARACE,  /* the mapping tree changed under the look-up */
	EDDY_END_HIDDEN,   /* a file of a process that has no number in our PID namespace */
	EDDY_END_WORKER,   /* works in the kernel only, for a process: it has no user stack */
	EDDY_END_UNSEEN,   /* waited already when eddy came: its memory is another's to read */
	EDDY_END_QUEUE,	   /* too many stacks of its user wait to be named: left out */
	EDDY_NR_ENDS
};

#endif
