// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The step of the unwinder, exactly as BPF runs it, over hand-made stacks: 64 words at BASE.
 * Each test writes the words a frame of its kind would leave and checks the caller's registers.
 */
#include <stdbool.h>
#include <ucontext.h>

#include "unit/unit.h"

#define BASE  0x7ffd00001000ull
#define WORDS 64

static uint64_t memory[WORDS];
static unsigned int nr_reads;

static int memory_read(void *dst, size_t size, uint64_t addr)
{
	nr_reads++;
	if (addr < BASE || addr + size > BASE + sizeof(memory))
		return -EFAULT;
	memcpy(dst, (char *)memory + (addr - BASE), size);
	return 0;
}

static uint64_t not_called; /* an address before which no call stands */

#define EDDY_UNWIND_READ(s, dst, size, addr) memory_read(dst, size, addr)
#define EDDY_UNWIND_IS_CALLED(s, ra, arch)   ((ra) != not_called)
#include "unwind_call.h"
#include "unwind_search.h"
#include "unwind_step.h"

#define X86 EDDY_ARCH_X86_64
#define ARM EDDY_ARCH_ARM64
#define PC  0x555555554123ull
#define RA  0x555555556789ull

static int reset(void **state)
{
	memset(memory, 0, sizeof(memory));
	nr_reads = 0;
	not_called = 0;
	return 0;
}

/* Word n of the stack has this address. */
static uint64_t at(unsigned int n)
{
	return BASE + 8ull * n;
}

static struct eddy_unwind_state x86_leaf(uint64_t sp, uint64_t fp)
{
	struct eddy_unwind_state s = { 0 };

	for (int i = 0; i < EDDY_NR_GPRS; i++)
		s.gpr[i] = 0x1000 + (uint64_t)i;
	s.gpr[EDDY_GPR_IP] = PC;
	s.gpr[EDDY_GPR_SP] = sp;
	s.gpr[EDDY_GPR_BP] = fp;
	eddy_unwind_begin(&s, X86);
	return s;
}

static struct eddy_unwind_state arm_leaf(uint64_t sp, uint64_t fp, uint64_t lr)
{
	struct eddy_unwind_state s = { .pc = PC & ~3ull, .sp = sp, .fp = fp, .lr = lr };

	eddy_unwind_begin(&s, ARM);
	return s;
}

static void begins_exact(void **state)
{
	struct eddy_unwind_state s = x86_leaf(at(4), at(9));

	assert_true(s.pc == PC && s.sp == at(4) && s.fp == at(9));
	assert_true(eddy_unwind_lookup_pc(&s, X86) == PC);
	s.flags = 0;
	assert_true(eddy_unwind_lookup_pc(&s, X86) == PC - 1);
	assert_true(eddy_unwind_lookup_pc(&s, ARM) == PC - 4);
}

static void sp_rule_reads_once(void **state)
{
	struct eddy_unwind_rule rule = {
		.cfa = EDDY_CFA_SP, .off = 24, .fp = EDDY_FP_CFA, .fp_off8 = -2
	};
	struct eddy_unwind_state s = x86_leaf(at(4), 0xdead);

	memory[6] = RA;
	memory[5] = at(40); /* the caller's rbp */
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_NONE);
	assert_true(s.pc == RA && s.sp == at(7));
	assert_int_equal(nr_reads, 1);
	assert_int_equal(s.flags, 0);

	/* The caller needs its rbp: now it is fetched from where the callee saved it. */
	struct eddy_unwind_rule by_fp = {
		.cfa = EDDY_CFA_FP, .off = 16, .fp = EDDY_FP_CFA, .fp_off8 = -2
	};

	memory[41] = RA + 5;
	memory[40] = 0x1234;
	assert_int_equal(eddy_unwind_step(&s, &by_fp, X86), EDDY_END_NONE);
	assert_true(s.pc == RA + 5 && s.sp == at(42));
	assert_int_equal(eddy_unwind_need_fp(&s), EDDY_END_NONE);
	assert_true(s.fp == 0x1234);
}

static void realigned_stack(void **state)
{
	/* gcc's DRAP: CFA = *(rbp - 8), rbp saved at rbp + 0, not at the CFA. */
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_DEREF_FP, .off = -8, .fp = EDDY_FP_DEREF };
	struct eddy_unwind_state s = x86_leaf(at(2), at(10));

	memory[9] = at(20);
	memory[10] = at(33);
	memory[19] = RA;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_NONE);
	assert_true(s.pc == RA && s.sp == at(20));
	assert_int_equal(eddy_unwind_need_fp(&s), EDDY_END_NONE);
	assert_true(s.fp == at(33));

	struct eddy_unwind_rule by_sp = { .cfa = EDDY_CFA_DEREF_SP, .off = 8, .aux = 16 };

	s = x86_leaf(at(2), 0);
	memory[3] = at(28);
	memory[29] = RA + 1;
	assert_int_equal(eddy_unwind_step(&s, &by_sp, X86), EDDY_END_NONE);
	assert_true(s.pc == RA + 1 && s.sp == at(30));
}

/* Go calls its runtime on the thread's stack, above the goroutine's. */
static void to_a_lower_stack(void **state)
{
	struct eddy_unwind_rule rule = {
		.cfa = EDDY_CFA_SWITCH, .off = 16, .fp = EDDY_FP_CFA, .fp_off8 = -2
	};
	struct eddy_unwind_rule by_fp = rule;
	struct eddy_unwind_state s = x86_leaf(at(40), at(4));

	by_fp.cfa = EDDY_CFA_FP;
	memory[4] = at(9);
	memory[5] = RA;
	assert_int_equal(eddy_unwind_step(&s, &by_fp, X86), EDDY_END_BADSP);
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_NONE);
	assert_true(s.pc == RA && s.sp == at(6));
	assert_int_equal(eddy_unwind_need_fp(&s), EDDY_END_NONE);
	assert_true(s.fp == at(9));
	s = x86_leaf(at(40), at(4) + 4);
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_BADSP);
}

static void plt_rule(void **state)
{
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_PLT, .off = 8, .aux = 11 };
	struct eddy_unwind_state s = x86_leaf(at(2), 0);

	memory[2] = RA;
	memory[3] = RA + 1;
	s.pc = 0x555555554120ull + 10;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_NONE);
	assert_true(s.pc == RA && s.sp == at(3));
	s = x86_leaf(at(2), 0);
	s.pc = 0x555555554120ull + 11;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_NONE);
	assert_true(s.pc == RA + 1 && s.sp == at(4));
}

static void signal_frame_x86(void **state)
{
#ifdef __x86_64__
	assert_int_equal(offsetof(ucontext_t, uc_mcontext.gregs), 40);
	assert_int_equal(EDDY_GPR_BP, REG_RBP);
	assert_int_equal(EDDY_GPR_BX, REG_RBX);
	assert_int_equal(EDDY_GPR_CX, REG_RCX);
	assert_int_equal(EDDY_GPR_SP, REG_RSP);
	assert_int_equal(EDDY_GPR_IP, REG_RIP);
#endif
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_SIGNAL };
	struct eddy_unwind_state s = x86_leaf(at(1), 0);

	s.flags = EDDY_UNWIND_BX_LOST | EDDY_UNWIND_FP_LOST;
	s.bx_at = s.fp_at = at(2);
	memory[1 + 15] = at(50);  /* +120 rbp */
	memory[1 + 16] = 0xb0b;	  /* +128 rbx */
	memory[1 + 20] = at(3);	  /* +160 rsp: another stack may be below this one */
	memory[1 + 21] = PC + 77; /* +168 rip */
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_NONE);
	assert_true(s.pc == PC + 77 && s.sp == at(3) && s.fp == at(50) && !s.fp_at);
	assert_true(s.gpr[EDDY_GPR_BX] == 0xb0b && !s.bx_at);
	assert_true(eddy_unwind_lookup_pc(&s, X86) == PC + 77);
	assert_int_equal(s.flags, EDDY_UNWIND_EXACT | EDDY_UNWIND_GPRS);

	s = x86_leaf(at(WORDS - 20), 0);
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_FAULT);
	assert_true(s.fault_addr == at(WORDS - 20) + 40);
}

static void rbx_is_followed(void **state)
{
	/* _dl_fixup saved rbx, its caller _dl_runtime_resolve has CFA = rbx + 24. */
	struct eddy_unwind_rule callee = { .cfa = EDDY_CFA_SP, .off = 24, .bx = 3 };
	struct eddy_unwind_rule resolve = { .cfa = EDDY_CFA_REG + EDDY_GPR_BX, .off = 24, .bx = 3 };
	struct eddy_unwind_state s = x86_leaf(at(2), 0);

	memory[2] = at(20); /* rbx */
	memory[4] = RA;
	memory[20] = 0x77; /* rbx of the program */
	memory[22] = RA + 9;
	assert_int_equal(eddy_unwind_step(&s, &callee, X86), EDDY_END_NONE);
	assert_int_equal(eddy_unwind_step(&s, &resolve, X86), EDDY_END_NONE);
	assert_true(s.pc == RA + 9 && s.sp == at(23) && s.bx_at == at(20));

	/* As the innermost frame it is in the register; once lost it is not guessed. */
	s = x86_leaf(at(2), 0);
	s.gpr[EDDY_GPR_BX] = at(20);
	assert_int_equal(eddy_unwind_step(&s, &resolve, X86), EDDY_END_NONE);
	assert_true(s.sp == at(23));
	s = x86_leaf(at(2), 0);
	s.flags |= EDDY_UNWIND_BX_LOST;
	assert_int_equal(eddy_unwind_step(&s, &resolve, X86), EDDY_END_UNSUP);
	callee.bx = EDDY_BX_LOST;
	s = x86_leaf(at(2), 0);
	assert_int_equal(eddy_unwind_step(&s, &callee, X86), EDDY_END_NONE);
	assert_int_equal(eddy_unwind_step(&s, &resolve, X86), EDDY_END_UNSUP);
}

static void a_register_that_the_callee_keeps(void **state)
{
	struct eddy_unwind_rule leaf = { .cfa = EDDY_CFA_SP, .ra = EDDY_RA_CODE, .off = 8 };
	struct eddy_unwind_rule waits = {
		.cfa = EDDY_CFA_REG + EDDY_GPR_CX, .ra = EDDY_RA_CODE, .off = 8, .aux = 1
	};
	struct eddy_unwind_rule runs = waits;
	struct eddy_unwind_state s = x86_leaf(at(2), 0);

	s.gpr[EDDY_GPR_CX] = at(12);
	memory[2] = RA;
	memory[12] = RA + 9;
	assert_int_equal(eddy_unwind_step(&s, &leaf, X86), EDDY_END_NONE);
	assert_int_equal(eddy_unwind_step(&s, &waits, X86), EDDY_END_NONE);
	assert_true(s.pc == RA + 9 && s.sp == at(13));
	assert_true(eddy_unwind_lookup_pc(&s, X86) == RA + 8); /* it was called, as any other */

	/* What is called may have changed it. */
	runs.aux = 0;
	s = x86_leaf(at(2), 0);
	s.gpr[EDDY_GPR_CX] = at(12);
	assert_int_equal(eddy_unwind_step(&s, &leaf, X86), EDDY_END_NONE);
	assert_int_equal(eddy_unwind_step(&s, &runs, X86), EDDY_END_UNSUP);
}

static void registers_of_the_leaf(void **state)
{
	/* vfork holds the return address in rdi and has an empty frame. */
	struct eddy_unwind_rule vfork = { .cfa = EDDY_CFA_SP,
					  .ra = EDDY_RA_REG,
					  .aux = EDDY_GPR_DI };
	struct eddy_unwind_rule drap = { .cfa = EDDY_CFA_REG + EDDY_GPR_R10 };
	struct eddy_unwind_rule eh_return = { .cfa = EDDY_CFA_REG + EDDY_GPR_CX, .off = 8 };
	struct eddy_unwind_state s = x86_leaf(at(2), 0);

	s.gpr[EDDY_GPR_DI] = RA;
	assert_int_equal(eddy_unwind_step(&s, &vfork, X86), EDDY_END_NONE);
	assert_true(s.pc == RA && s.sp == at(2) && !(s.flags & EDDY_UNWIND_EXACT));
	/* Only once: the caller's rdi is not known. */
	assert_int_equal(eddy_unwind_step(&s, &vfork, X86), EDDY_END_UNSUP);

	s = x86_leaf(at(2), 0);
	s.gpr[EDDY_GPR_R10] = at(12);
	memory[11] = RA;
	assert_int_equal(eddy_unwind_step(&s, &drap, X86), EDDY_END_NONE);
	assert_true(s.pc == RA && s.sp == at(12));

	s = x86_leaf(at(2), 0);
	s.gpr[EDDY_GPR_CX] = at(12);
	memory[12] = RA + 3;
	assert_int_equal(eddy_unwind_step(&s, &eh_return, X86), EDDY_END_NONE);
	assert_true(s.pc == RA + 3 && s.sp == at(13));
	assert_true(eddy_unwind_lookup_pc(&s, X86) == RA + 3); /* a landing pad */
	drap.cfa = 255;
	s = x86_leaf(at(2), 0);
	assert_int_equal(eddy_unwind_step(&s, &drap, X86), EDDY_END_UNSUP);
}

static void ends(void **state)
{
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_STOP };
	struct eddy_unwind_state s = x86_leaf(at(2), 0);

	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_ROOT);
	rule.cfa = EDDY_CFA_UNSUP;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_UNSUP);
	rule = (struct eddy_unwind_rule){ .cfa = EDDY_CFA_SP, .off = 8 };
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_ZERORA);
	rule.off = 0;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_BADSP);
	rule.off = -64;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_BADSP);
	rule.off = 12;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_BADSP);
	rule.off = 8 * WORDS;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_FAULT);
	assert_true(s.fault_addr == at(WORDS + 1));
	assert_true(s.pc == PC && s.sp == at(2)); /* still this frame */
	rule = (struct eddy_unwind_rule){ .cfa = EDDY_CFA_FP, .off = 16 };
	s.flags |= EDDY_UNWIND_FP_LOST;
	assert_int_equal(eddy_unwind_step(&s, &rule, X86), EDDY_END_UNSUP);
}

static void frame_pointer_steps(void **state)
{
	struct eddy_unwind_rule none = { 0 };
	struct eddy_unwind_state s = x86_leaf(at(2), at(10));

	memory[10] = at(20);
	memory[11] = RA;
	memory[20] = 0;
	memory[21] = RA + 1;
	assert_int_equal(eddy_unwind_step(&s, &none, X86), EDDY_END_NONE);
	assert_true(s.pc == RA && s.sp == at(12) && s.fp == at(20) && s.nr_fp_steps == 1);
	assert_true(s.flags & EDDY_UNWIND_FP_LAST);
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_JIT, X86), EDDY_END_NONE);
	assert_int_equal(s.nr_fp_steps, 2);
	/* The chain ended with 0: in a file that is a root, in a JIT it may be any value. */
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_NOTABLE, X86), EDDY_END_ROOT);
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_JIT, X86), EDDY_END_FPFAIL);
}

static void frame_pointer_steps_are_refused(void **state)
{
	const uint64_t bad[] = { 0, at(1), at(10) + 4, BASE + EDDY_UNWIND_FP_REACH + 8 * 3 };
	struct eddy_unwind_state s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		s = x86_leaf(at(2), bad[i]);
		assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_JIT, X86), EDDY_END_JIT);
		assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_NOINFO, X86), EDDY_END_NOINFO);
	}
	s = x86_leaf(at(2), at(10));
	memory[11] = 0xffffffff81000000ull;
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_NOTABLE, X86), EDDY_END_NOTABLE);
	memory[11] = 4095;
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_NOTABLE, X86), EDDY_END_NOTABLE);
	memory[11] = not_called = RA;
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_JIT, X86), EDDY_END_JIT);
	assert_true(s.pc == PC && !s.nr_fp_steps);
	s = x86_leaf(at(2), at(WORDS));
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_NOTABLE, X86), EDDY_END_FAULT);
	assert_true(s.fault_addr == at(WORDS));
	s.flags |= EDDY_UNWIND_FP_LOST;
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_NOTABLE, X86), EDDY_END_NOTABLE);
}

/* Is what these bytes end with a call? */
static bool calls(const char *bytes, size_t len, int arch)
{
	uint64_t code = 0;

	memcpy((char *)&code + sizeof(code) - len, bytes, len);
	return eddy_unwind_is_call(code, arch);
}
#define CALLS(bytes, arch) calls(bytes, sizeof(bytes) - 1, arch)

/* As GNU as writes them. */
static void calls_are_known(void **state)
{
	assert_true(CALLS("\xe8\x01\x02\x03\x04", X86));
	assert_true(CALLS("\xff\xd0", X86));		     /* *%rax */
	assert_true(CALLS("\x41\xff\xd4", X86));	     /* *%r12 */
	assert_true(CALLS("\xff\x12", X86));		     /* *(%rdx) */
	assert_true(CALLS("\x41\xff\x14\x24", X86));	     /* *(%r12) */
	assert_true(CALLS("\xff\x14\xc3", X86));	     /* *(%rbx,%rax,8) */
	assert_true(CALLS("\xff\x50\x18", X86));	     /* *0x18(%rax) */
	assert_true(CALLS("\xff\x54\x24\x08", X86));	     /* *8(%rsp) */
	assert_true(CALLS("\xff\x15\x01\x02\x03\x04", X86)); /* *0x4030201(%rip) */
	assert_true(CALLS("\xff\x90\x01\x02\x03\x04", X86)); /* *0x4030201(%rax) */
	assert_true(CALLS("\xff\x94\xc3\x01\x02\x03\x04", X86));
	assert_true(CALLS("\xff\x14\xc5\x01\x02\x03\x04", X86)); /* *0x4030201(,%rax,8) */
	assert_false(CALLS("\xff\xe0", X86));			 /* jmp *%rax */
	assert_false(CALLS("\xff\xd0\x90", X86));
	assert_false(CALLS("\xff\x14", X86)); /* without its second byte */
	assert_false(CALLS("\xff\x50", X86));
	assert_false(CALLS("\xff\x15\x01\x02\x03", X86));
	assert_false(CALLS("\xe9\x01\x02\x03\x04", X86));
	assert_false(CALLS("\x0f\x1f\x44\x00\x00", X86));
	assert_true(CALLS("\x01\x00\x00\x94", ARM));  /* bl */
	assert_true(CALLS("\x60\x02\x3f\xd6", ARM));  /* blr x19 */
	assert_true(CALLS("\x7f\x0a\x3f\xd6", ARM));  /* blraaz x19 */
	assert_true(CALLS("\x61\x0a\x3f\xd7", ARM));  /* blraa x19, x1 */
	assert_false(CALLS("\x60\x02\x1f\xd6", ARM)); /* br x19 */
	assert_false(CALLS("\x01\x00\x00\x14", ARM)); /* b */
}

static void arm64_link_register(void **state)
{
	struct eddy_unwind_rule leaf = { .cfa = EDDY_CFA_SP, .ra = EDDY_RA_LR };
	struct eddy_unwind_rule frame = { .cfa = EDDY_CFA_SP,
					  .off = 32,
					  .fp = EDDY_FP_CFA,
					  .fp_off8 = -4,
					  .ra = EDDY_RA_OFF,
					  .aux = -3 };
	struct eddy_unwind_state s = arm_leaf(at(4), at(4), RA | 0xaabull << 48);

	memory[4] = at(30);
	memory[5] = (RA + 8) | 0x7full << 48; /* signed */
	assert_int_equal(eddy_unwind_step(&s, &leaf, ARM), EDDY_END_NONE);
	assert_true(s.pc == RA && s.sp == at(4));
	assert_true(eddy_unwind_lookup_pc(&s, ARM) == RA - 4);
	assert_int_equal(eddy_unwind_step(&s, &frame, ARM), EDDY_END_NONE);
	assert_true(s.pc == RA + 8 && s.sp == at(8));
	assert_int_equal(eddy_unwind_need_fp(&s), EDDY_END_NONE);
	assert_true(s.fp == at(30));
	/* A caller cannot have its return address in the link register. */
	assert_int_equal(eddy_unwind_step(&s, &leaf, ARM), EDDY_END_UNSUP);
	/* The first instruction of a process; elsewhere 0 is damage. */
	s = arm_leaf(at(4), 0, 0);
	assert_int_equal(eddy_unwind_step(&s, &leaf, ARM), EDDY_END_ROOT);
	memory[5] = 0;
	assert_int_equal(eddy_unwind_step(&s, &frame, ARM), EDDY_END_ZERORA);
}

static void arm64_signal_frame(void **state)
{
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_SIGNAL };
	uint64_t sp = at(10) - 544;
	struct eddy_unwind_state s = arm_leaf(sp, 0, 0);

	memory[10] = at(50);
	memory[11] = RA;
	memory[12] = at(40);
	memory[13] = PC - 3;
	assert_int_equal(eddy_unwind_step(&s, &rule, ARM), EDDY_END_NONE);
	assert_true(s.fp == at(50) && s.lr == RA && s.sp == at(40) && s.pc == PC - 3);
	assert_int_equal(s.flags, EDDY_UNWIND_EXACT | EDDY_UNWIND_GPRS);
}

static void arm64_sp_after_frame_pointer(void **state)
{
	/* 4 words of locals above the record: CFA = x29 + 48, and sp is not known. */
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_SP,
					 .off = 96,
					 .fp = EDDY_FP_CFA,
					 .fp_off8 = -6,
					 .ra = EDDY_RA_OFF,
					 .aux = -5 };
	struct eddy_unwind_rule plain = { .cfa = EDDY_CFA_SP, .off = 16 };
	struct eddy_unwind_state s = arm_leaf(at(2), at(4), 0), t;

	memory[4] = at(20);
	memory[5] = RA;
	memory[20] = at(40);
	memory[21] = RA + 16;
	assert_int_equal(eddy_unwind_fp_step(&s, EDDY_END_JIT, ARM), EDDY_END_NONE);
	t = s;
	assert_int_equal(eddy_unwind_step(&s, &rule, ARM), EDDY_END_NONE);
	assert_true(s.pc == RA + 16 && s.sp == at(26) && s.fp_at == at(20));
	assert_false(s.flags & EDDY_UNWIND_SP_LOST);
	assert_int_equal(eddy_unwind_step(&t, &plain, ARM), EDDY_END_UNSUP);
}

/* What the search must find: the last row of the page that is not above the address. */
static uint32_t search_slowly(const uint32_t *row, uint32_t n, uint32_t low)
{
	uint32_t rule = row[0] & 0xffff;

	for (uint32_t i = 0; i < n; i++)
		if (row[i] >> 16 <= low)
			rule = row[i] & 0xffff;
	return rule;
}

static void search_finds_the_last_row_below(void **state)
{
	struct eddy_unwind_slab *slab = calloc(1, sizeof(*slab));
	static const uint32_t sizes[] = { 1, 2, 3, 7, 64, 65, 1000, 4096 };

	assert_non_null(slab);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		uint32_t n = sizes[k], step = 65536 / n, first = (uint32_t)test_random_below(9000);
		struct eddy_unwind_page page = { .first = first, .nm1 = (uint16_t)(n - 1) };

		for (uint32_t i = 0; i < n; i++) {
			uint32_t low = i ? i * step - (uint32_t)test_random_below(step) : 0;

			slab->row[first + i] = low << 16 | (uint32_t)test_random_below(65536);
		}
		for (int i = 0; i < 500; i++) {
			uint64_t addr = test_random();

			assert_int_equal(eddy_unwind_search(slab, &page, addr),
					 search_slowly(slab->row + first, n, addr & 0xffff));
		}
	}
	free(slab);
}

static void search_of_a_full_page(void **state)
{
	struct eddy_unwind_slab *slab = calloc(1, sizeof(*slab));
	struct eddy_unwind_page page = { .first = EDDY_UNWIND_SLAB_ROWS - 65536, .nm1 = 65535 };

	assert_non_null(slab);
	for (uint32_t i = 0; i < 65536; i++)
		slab->row[page.first + i] = i << 16 | (i * 7 & 0xffff);
	for (uint32_t i = 0; i < 65536; i++)
		assert_int_equal(eddy_unwind_search(slab, &page, i), i * 7 & 0xffff);
	/* A lying page cannot lead out of the slab. */
	page.first = 0xffffffff;
	(void)eddy_unwind_search(slab, &page, 0xffff);
	free(slab);
}

static void pages_of_a_file(void **state)
{
	struct eddy_unwind_file file = { .page_base = 0x40, .nr_pages = 3, .first_page = 1000 };

	assert_int_equal(eddy_unwind_page_index(&file, 0x3fffff), -1);
	assert_int_equal(eddy_unwind_page_index(&file, 0x400000), 1000);
	assert_int_equal(eddy_unwind_page_index(&file, 0x42ffff), 1002);
	assert_int_equal(eddy_unwind_page_index(&file, 0x430000), -1);
	assert_int_equal(eddy_unwind_page_index(&file, 0), -1);
	assert_int_equal(sizeof(struct eddy_unwind_rule), 12);
	assert_int_equal(sizeof(struct eddy_unwind_page), 8);
	assert_int_equal(sizeof(struct eddy_unwind_slab), 4 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(begins_exact, reset),
		cmocka_unit_test_setup(sp_rule_reads_once, reset),
		cmocka_unit_test_setup(realigned_stack, reset),
		cmocka_unit_test_setup(to_a_lower_stack, reset),
		cmocka_unit_test_setup(plt_rule, reset),
		cmocka_unit_test_setup(signal_frame_x86, reset),
		cmocka_unit_test_setup(rbx_is_followed, reset),
		cmocka_unit_test_setup(a_register_that_the_callee_keeps, reset),
		cmocka_unit_test_setup(registers_of_the_leaf, reset),
		cmocka_unit_test_setup(ends, reset),
		cmocka_unit_test_setup(frame_pointer_steps, reset),
		cmocka_unit_test_setup(frame_pointer_steps_are_refused, reset),
		cmocka_unit_test(calls_are_known),
		cmocka_unit_test_setup(arm64_link_register, reset),
		cmocka_unit_test_setup(arm64_signal_frame, reset),
		cmocka_unit_test_setup(arm64_sp_after_frame_pointer, reset),
		cmocka_unit_test(search_finds_the_last_row_below),
		cmocka_unit_test(search_of_a_full_page),
		cmocka_unit_test(pages_of_a_file),
	};

	return cmocka_run_group_tests_name("unwind_step", tests, NULL, NULL);
}
