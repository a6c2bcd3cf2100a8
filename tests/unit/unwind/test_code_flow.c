// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions by their bytes: what is proved, what it says, and what is refused. */
#include "unwind/code_flow.h"

#include "unit/unit.h"

#define AT 0x1000

struct seen {
	struct eddy_unwind_rule rule[64];
	bool is_there[64];
};

static bool is_nothing(const void *ctx, uint64_t addr)
{
	return false;
}

static uint16_t keeps_nothing(const void *ctx, uint64_t addr)
{
	return 0;
}

static uint64_t no_end(const void *ctx, uint64_t addr)
{
	return 0;
}

static void see(void *ctx, const struct code_insn *insn, const struct code_state *state)
{
	struct seen *seen = ctx;

	seen->is_there[insn->addr - AT] = true;
	seen->rule[insn->addr - AT] = code_state_rule(state);
}

/* Follows code from its first byte; true: proved. */
static bool follow(const void *code, size_t len, enum code_begin begin, struct seen *seen)
{
	const struct code_range range = { AT, AT + len, code };
	struct code_world world = { .ranges = &range,
				    .nr_ranges = 1,
				    .is_entry = is_nothing,
				    .is_endless = is_nothing,
				    .has_return = is_nothing,
				    .kept_by = keeps_nothing,
				    .end_of = no_end,
				    .max_steps = 10000 };
	_cleanup_code_flow_ struct code_flow flow;
	bool is_proved;

	*seen = (struct seen){ 0 };
	code_flow_init(&flow, &world);
	is_proved = code_flow_run(&flow, AT, begin);
	if (is_proved)
		code_flow_visit(&flow, see, seen);
	return is_proved;
}

#define FOLLOW(seen, begin, ...)                                                           \
	follow((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), \
	       (begin), (seen))
#define CALL 0xe8, 0, 1, 0, 0 /* far away */

static void a_frame_is_followed(void **state)
{
	struct seen seen;

	/* push %rbp; push %rbx; sub $24,%rsp; xor %ebx,%ebx; xor %ebp,%ebp; add; pop; pop; ret */
	assert_true(FOLLOW(&seen, CODE_BEGIN_GUESSED, 0x55, 0x53, 0x48, 0x83, 0xec, 0x18, 0x31,
			   0xdb, 0x31, 0xed, 0x48, 0x83, 0xc4, 0x18, 0x5b, 0x5d, 0xc3));
	assert_int_equal(seen.rule[0].cfa, EDDY_CFA_SP);
	assert_int_equal(seen.rule[0].ra, EDDY_RA_CODE);
	assert_int_equal(seen.rule[0].off, 8);
	assert_int_equal(seen.rule[1].off, 16);
	assert_int_equal(seen.rule[2].off, 24);
	assert_int_equal(seen.rule[6].off, 48);
	assert_int_equal(seen.rule[6].fp, EDDY_FP_SAME);
	assert_int_equal(seen.rule[10].off, 48);
	assert_int_equal(seen.rule[10].fp, EDDY_FP_CFA);
	assert_int_equal(seen.rule[10].fp_off8, -2);
	assert_int_equal(seen.rule[10].bx, 3);
	assert_int_equal(seen.rule[16].off, 8);
	assert_int_equal(seen.rule[16].fp, EDDY_FP_SAME);
	assert_int_equal(seen.rule[16].bx, EDDY_BX_SAME);
}

static void a_frame_pointer_goes_before(void **state)
{
	struct seen seen;

	/* push %rbp; mov %rsp,%rbp; sub %rax,%rsp; nop; leave; ret */
	assert_true(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x55, 0x48, 0x89, 0xe5, 0x48, 0x29, 0xc4, 0x90,
			   0xc9, 0xc3));
	assert_int_equal(seen.rule[7].cfa, EDDY_CFA_FP);
	assert_int_equal(seen.rule[7].off, 16);
	assert_int_equal(seen.rule[9].cfa, EDDY_CFA_SP);
	assert_int_equal(seen.rule[9].off, 8);
}

static void an_aligned_stack_is_found_by_its_slot(void **state)
{
	struct seen seen;

	/* mov %rsp,%rax; sub $64,%rsp; and $-32,%rsp; mov %rax,32(%rsp); xor %eax,%eax;
	 * mov 32(%rsp),%rsp; ret */
	assert_true(FOLLOW(&seen, CODE_BEGIN_GUESSED, 0x48, 0x89, 0xe0, 0x48, 0x83, 0xec, 0x40,
			   0x48, 0x83, 0xe4, 0xe0, 0x48, 0x89, 0x44, 0x24, 0x20, 0x31, 0xc0, 0x48,
			   0x8b, 0x64, 0x24, 0x20, 0xc3));
	assert_int_equal(seen.rule[18].cfa, EDDY_CFA_DEREF_SP);
	assert_int_equal(seen.rule[18].off, 32);
	assert_int_equal(seen.rule[18].aux, 8);
	assert_int_equal(seen.rule[23].cfa, EDDY_CFA_SP);
}

static void what_does_not_come_out_even_is_refused(void **state)
{
	struct seen seen;

	/* push %rbx; ret */
	assert_false(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x53, 0xc3));
	/* The end of a function: pop %rbx; ret */
	assert_false(FOLLOW(&seen, CODE_BEGIN_GUESSED, 0x5b, 0xc3));
	/* test %eax,%eax; je 1f; push %rbx; 1: nop; pop %rbx; ret: two heights meet */
	assert_false(
		FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x85, 0xc0, 0x74, 0x01, 0x53, 0x90, 0x5b, 0xc3));
	/* mov %rdi,%rsp; ret */
	assert_false(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x48, 0x89, 0xfc, 0xc3));
	/* An instruction that there is not, on one of two ways. */
	assert_false(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x85, 0xc0, 0x74, 0x01, 0xc3, 0x06));
	/* A guess that leaves rbx changed: xor %ebx,%ebx; ret */
	assert_false(FOLLOW(&seen, CODE_BEGIN_GUESSED, 0x31, 0xdb, 0xc3));
	/* A guess that a jump to anywhere leaves: test %eax,%eax; je 1f; ret; 1: jmp *%rax */
	assert_false(FOLLOW(&seen, CODE_BEGIN_GUESSED, 0x85, 0xc0, 0x74, 0x01, 0xc3, 0xff, 0xe0));
	assert_false(FOLLOW(&seen, CODE_BEGIN_GUESSED, 0xff, 0xe0));
	assert_true(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0xff, 0xe0));
}

static void a_return_behind_a_call_needs_alignment(void **state)
{
	struct seen seen;

	/* call; ret: the stack would not be aligned at the call */
	assert_false(FOLLOW(&seen, CODE_BEGIN_GUESSED, CALL, 0xc3));
	/* sub $8,%rsp; call; add $8,%rsp; ret */
	assert_true(FOLLOW(&seen, CODE_BEGIN_GUESSED, 0x48, 0x83, 0xec, 0x08, CALL, 0x48, 0x83,
			   0xc4, 0x08, 0xc3));
	assert_int_equal(seen.rule[4].off, 16);
	assert_int_equal(seen.rule[13].off, 8);
}

/* push %rbx; test %eax,%eax; je 2f; call (never returns); 1: push %rdi; nop; 2: pop %rbx; ret */
static void a_call_that_does_not_return_is_seen(void **state)
{
	struct seen seen;

	assert_true(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x53, 0x85, 0xc0, 0x74, 0x07, CALL, 0x57, 0x90,
			   0x5b, 0xc3));
	assert_int_equal(seen.rule[5].off, 16);
	assert_int_equal(seen.rule[12].off, 16);
	assert_false(seen.is_there[10]);
	assert_false(seen.is_there[11]);
}

/* push %rbx; jmp *%rax; then pop %rbx; ret; xor %eax,%eax; pop %rbx; ret; and of something else:
 * push %rdi; ret */
static void cases_of_a_jump_are_found(void **state)
{
	struct seen seen;

	assert_true(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x53, 0xff, 0xe0, 0x5b, 0xc3, 0x31, 0xc0, 0x5b,
			   0xc3, 0x57, 0xc3));
	assert_int_equal(seen.rule[3].off, 16);
	assert_int_equal(seen.rule[5].off, 16);
	assert_int_equal(seen.rule[7].off, 16);
	assert_int_equal(seen.rule[8].off, 8);
	assert_false(seen.is_there[9]);
	assert_false(seen.is_there[10]);
}

/* Haskell's code has a stack of its own in rbp, and goes from function to function by jumps. */
static void code_with_another_stack_is_refused(void **state)
{
	struct seen seen;

	/* mov 8(%rbp),%rax; add $16,%rbp; jmp *%rax */
	assert_false(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x48, 0x8b, 0x45, 0x08, 0x48, 0x83, 0xc5, 0x10,
			    0xff, 0xe0));
	/* jmp *(%rbx) */
	assert_false(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0xff, 0x23));
	/* sub $8,%rsp; call; add $8,%rsp; jmp *(%rbp) */
	assert_false(FOLLOW(&seen, CODE_BEGIN_ENDLESS, 0x48, 0x83, 0xec, 0x08, CALL, 0x48, 0x83,
			    0xc4, 0x08, 0xff, 0x65, 0x00));
	/* A part of a function in assembly that is called: mov (%rbx),%rax; ret */
	assert_true(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x48, 0x8b, 0x03, 0xc3));
	/* push %rbx; mov %rdi,%rbx; mov (%rbx),%rax; pop %rbx; jmp *%rax */
	assert_true(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x53, 0x48, 0x89, 0xfb, 0x48, 0x8b, 0x03, 0x5b,
			   0xff, 0xe0));
}

/* xor %ebp,%ebp; pop %rdi; call *%r9: what clone() begins a thread with */
static void a_thread_begins_without_a_caller(void **state)
{
	struct seen seen;

	assert_true(FOLLOW(&seen, CODE_BEGIN_KNOWN, 0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1, 0xf4));
	assert_int_equal(seen.rule[0].cfa, EDDY_CFA_SP);
	assert_int_equal(seen.rule[3].cfa, EDDY_CFA_STOP);
}

static void elsewhere(void **state)
{
	skip(); /* no program of that machine runs here, and its code is not decoded */
}

int main(void)
{
	const struct CMUnitTest no_tests[] = {
		cmocka_unit_test(elsewhere),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_followed),
		cmocka_unit_test(a_frame_pointer_goes_before),
		cmocka_unit_test(an_aligned_stack_is_found_by_its_slot),
		cmocka_unit_test(what_does_not_come_out_even_is_refused),
		cmocka_unit_test(a_return_behind_a_call_needs_alignment),
		cmocka_unit_test(a_call_that_does_not_return_is_seen),
		cmocka_unit_test(cases_of_a_jump_are_found),
		cmocka_unit_test(code_with_another_stack_is_refused),
		cmocka_unit_test(a_thread_begins_without_a_caller),
	};

#ifndef __x86_64__
	if (ARRAY_SIZE(tests))
		return cmocka_run_group_tests(no_tests, NULL, NULL);
#endif
	(void)no_tests;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
