// SPDX-License-Identifier: GPL-2.0-or-later
/* Which functions are found in code: by symbols, calls and jumps, and by what ends before them. */
#include "unwind/code_rows.h"

#include "unit/unit.h"
#include "unwind/code_flow.h"

#define AT    0x1000
#define BYTES 96

struct found {
	_Alignas(16) uint8_t code[BYTES];
	struct code_range range;
	struct unwind_rules *rules;
	struct code_rows rows;
};

/* All that is not code is int3. */
static void found_begin(struct found *f)
{
	*f = (struct found){ .rules = unwind_rules_new() };
	memset(f->code, 0xcc, sizeof(f->code));
	f->range = (struct code_range){ AT, AT + BYTES, f->code };
}
#define PUT(f, at, ...) \
	memcpy((f)->code + (at), (uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

static void found_end(struct found *f)
{
	code_rows_deinit(&f->rows);
	unwind_rules_free(f->rules);
}

static void find(struct found *f, const struct code_entry *known, size_t nr)
{
	const struct code_entries entries = { .items = known, .nr = nr, .want_functions = true };

	code_rows_find(&f->range, 1, &entries, f->rules, &f->rows);
}

static struct eddy_unwind_rule rule_at(const struct found *f, size_t at)
{
	uint16_t nr = f->rows.rule[0][at] & CODE_ROWS_RULE;

	return nr > 1 ? *unwind_rules_get(f->rules, nr - 1u) : (struct eddy_unwind_rule){ 0 };
}

/* What the CFA is above the stack pointer there; 0: there is no row. */
static int height(const struct found *f, size_t at)
{
	uint16_t nr = f->rows.rule[0][at] & CODE_ROWS_RULE;

	return nr > 1 ? unwind_rules_get(f->rules, nr - 1u)->off : 0;
}

/* push %rbx; mov %rdi,%rbx; call *%rsi; mov %rbx,%rdi; call *%rsi; pop %rbx; ret */
#define CALLS_TWICE 0x53, 0x48, 0x89, 0xfb, 0xff, 0xd6, 0x48, 0x89, 0xdf, 0xff, 0xd6, 0x5b, 0xc3

/* xor %edx,%edx; jmp: what stands behind the first call could be another function's */
static void what_a_function_jumps_to_is_one(void **state)
{
	const struct code_entry known = { AT + 0x20, AT + 0x27 };
	struct found f;

	found_begin(&f);
	PUT(&f, 0, CALLS_TWICE);
	PUT(&f, 0x20, 0x31, 0xd2, 0xe9, 0xd9, 0xff, 0xff, 0xff);
	find(&f, &known, 1);
	assert_int_equal(height(&f, 0x20), 8);
	assert_int_equal(height(&f, 1), 16);
	assert_int_equal(height(&f, 6), 16);
	assert_int_equal(height(&f, 12), 8);
	assert_true(f.rows.rule[0][0] & CODE_ROWS_BEGIN);
	found_end(&f);
}

/* push %rbp; call; and, aligned, another one: push %rbx; pop %rbx; ret */
static void one_begins_behind_a_call_that_does_not_return(void **state)
{
	struct found f;

	found_begin(&f);
	PUT(&f, 0, 0x55, 0xe8, 0, 0x10, 0, 0, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0);
	PUT(&f, 16, 0x53, 0x5b, 0xc3);
	find(&f, NULL, 0);
	assert_int_equal(height(&f, 16), 8);
	assert_int_equal(height(&f, 17), 16);
	assert_int_equal(height(&f, 18), 8);
	assert_int_equal(height(&f, 0), 0);
	found_end(&f);
}

/*
 * push %rbx, %rbp; call *%rax; push %rdi; call, out of the code; pop %rdi; pop %rbp, %rbx; ret: the
 * second call is not aligned.  At 0x40 the same, but what it saves stands behind a call.
 */
static void what_was_saved_proves_a_return(void **state)
{
	struct found f;

	found_begin(&f);
	PUT(&f, 0, 0x53, 0x55, 0xff, 0xd0, 0x57, 0xe8, 0, 0x10, 0, 0, 0x5f, 0x5d, 0x5b, 0xc3);
	PUT(&f, 0x40, 0xe8, 0, 0x10, 0, 0, 0x53, 0x55, 0xff, 0xd0, 0x5d, 0x5b, 0xc3);
	find(&f, NULL, 0);
	assert_int_equal(height(&f, 0), 8);
	assert_int_equal(height(&f, 2), 24);
	assert_int_equal(height(&f, 5), 32);
	assert_int_equal(height(&f, 13), 8);
	assert_int_equal(height(&f, 0x40), 0);
	found_end(&f);
}

/*
 * At 0 a call without a frame of something behind it, and a jump into the end of the next, that
 * calls it too; at 0x20 that; at 0x40 two instructions, of which the second is what is called.
 */
static void what_assembly_calls_is_followed_for_it(void **state)
{
	struct found f;

	found_begin(&f);
	PUT(&f, 0, 0xe8, 0x3d, 0, 0, 0, 0xeb, 0x1e);
	PUT(&f, 0x20, 0xe8, 0x1d, 0, 0, 0, 0x01, 0xd0, 0xc3);
	PUT(&f, 0x40, 0x31, 0xc0, 0x31, 0xd2, 0xc3);
	find(&f, NULL, 0);
	assert_int_equal(height(&f, 0), 8);
	assert_int_equal(height(&f, 5), 8);
	assert_int_equal(height(&f, 0x20), 8);
	assert_int_equal(height(&f, 0x25), 8);
	assert_true(f.rows.rule[0][0x42] & CODE_ROWS_BEGIN);
	found_end(&f);
}

/*
 * push %rbp, %rbx; sub $8,%rsp; jmp *%rax: at 0x10 a case that calls what may not return, and takes
 * the registers back; at 0x20 another function does so with its own.
 */
static void what_was_saved_proves_a_case(void **state)
{
	const struct code_entry known = { AT, 0 };
	struct found f;

	found_begin(&f);
	PUT(&f, 0, 0x55, 0x53, 0x48, 0x83, 0xec, 8, 0xff, 0xe0);
	PUT(&f, 0x10, 0xff, 0xd6, 0x48, 0x83, 0xc4, 8, 0x5b, 0x5d, 0xc3);
	PUT(&f, 0x20, 0x55, 0x53, 0xff, 0xd6, 0x5b, 0x5d, 0xc3);
	find(&f, &known, 1);
	assert_int_equal(height(&f, 6), 32);
	assert_int_equal(height(&f, 0x10), 32);
	assert_int_equal(height(&f, 0x12), 32);
	assert_int_equal(height(&f, 0x18), 8);
	assert_int_equal(height(&f, 0x20), 8);
	assert_int_equal(height(&f, 0x22), 24);
	found_end(&f);
}

/* Where the function of an address begins; -1: of none. */
static int function_at(const struct found *f, size_t at)
{
	for (size_t i = 0; i < f->rows.nr_named; i++)
		if (f->rows.functions[i].addr <= AT + at && AT + at < f->rows.functions[i].end)
			return (int)(f->rows.functions[i].addr - AT);
	return -1;
}

/*
 * At 0 jmp *(%rdi) with its cases at 0x10 and, not aligned, 0x13: each would be a function by
 * itself.  At 0x20 one that is called from the last; at 0x30 one that nothing tells of.
 */
static void cases_are_no_functions(void **state)
{
	struct found f;

	found_begin(&f);
	PUT(&f, 0, 0x31, 0xc0, 0xff, 0x27);
	PUT(&f, 0x10, 0x31, 0xd2, 0xc3, 0x31, 0xc9, 0xc3);
	PUT(&f, 0x20, 0x31, 0xc0, 0xc3);
	PUT(&f, 0x30, 0x53, 0xff, 0xd0, 0x5b, 0xc3);
	PUT(&f, 0x40, 0xe8, 0xdb, 0xff, 0xff, 0xff, 0xc3);
	find(&f, NULL, 0);
	assert_true(height(&f, 0x10) && height(&f, 0x13));
	assert_int_equal(function_at(&f, 0x10), -1);
	assert_int_equal(function_at(&f, 0x13), -1);
	assert_int_equal(function_at(&f, 0x20), 0x20);
	assert_int_equal(function_at(&f, 0x22), 0x20);
	assert_int_equal(function_at(&f, 0x23), -1);
	assert_int_equal(function_at(&f, 0x31), 0x30);
	assert_int_equal(function_at(&f, 0x40), 0x40);
	found_end(&f);
}

/* test, je to behind the ret and the padding; at 0x20 jmp to what is aligned right behind it. */
static void functions_go_on_where_they_jump_to(void **state)
{
	struct found f;

	found_begin(&f);
	PUT(&f, 0, 0x85, 0xff, 0x74, 0x0c, 0x31, 0xc0, 0xc3);
	PUT(&f, 0x10, 0x31, 0xd2, 0xc3);
	PUT(&f, 0x20, 0x31, 0xc9, 0xeb, 0x0c);
	PUT(&f, 0x30, 0x31, 0xd2, 0xc3);
	find(&f, NULL, 0);
	assert_int_equal(function_at(&f, 0), 0);
	assert_int_equal(function_at(&f, 0x12), 0);
	assert_int_equal(function_at(&f, 0x23), 0x20);
	assert_int_not_equal(function_at(&f, 0x30), 0x20);
	found_end(&f);
}

/* Far more to follow than is followed: blocks that all jump to all others. */
/*
 * mov %rsp,%rcx; and $-32,%rsp; sub $0x60,%rsp; call; mov %rcx,%rsp; ret: what is called keeps rcx
 */
#define KEEPS_ITS_STACK(by)                                                                      \
	0x48, 0x89, 0xe1, 0x48, 0x83, 0xe4, 0xe0, 0x48, 0x83, 0xec, 0x60, 0xe8, (by)-0x30, 0xff, \
		0xff, 0xff, 0x48, 0x89, 0xcc, 0xc3

static void what_is_called_may_keep_a_register(void **state)
{
	struct found f;

	found_begin(&f);
	PUT(&f, 0, 0x01, 0xc2, 0xc3); /* add %eax,%edx; ret */
	PUT(&f, 0x20, KEEPS_ITS_STACK(0));
	find(&f, NULL, 0);
	assert_int_equal(rule_at(&f, 0x27).cfa, EDDY_CFA_REG + EDDY_GPR_CX);
	assert_int_equal(rule_at(&f, 0x27).off, 8);
	assert_int_equal(rule_at(&f, 0x27).aux, 0);
	assert_int_equal(rule_at(&f, 0x2b).aux, 0); /* the call, before it */
	assert_int_equal(rule_at(&f, 0x2f).cfa, EDDY_CFA_REG + EDDY_GPR_CX);
	assert_int_equal(rule_at(&f, 0x2f).off, 8);
	assert_int_equal(rule_at(&f, 0x2f).aux, 1); /* while it waits */
	assert_int_equal(rule_at(&f, 0x30).aux, 0);
	assert_int_equal(rule_at(&f, 0x33).cfa, EDDY_CFA_SP);
	found_end(&f);

	found_begin(&f);
	PUT(&f, 0, 0x01, 0xc1, 0xc3); /* add %eax,%ecx; ret */
	PUT(&f, 0x20, KEEPS_ITS_STACK(0));
	find(&f, NULL, 0);
	assert_int_equal(rule_at(&f, 0x27).cfa, EDDY_CFA_NONE);
	assert_int_equal(rule_at(&f, 0x30).cfa, EDDY_CFA_NONE);
	found_end(&f);
}

static void work_is_bounded(void **state)
{
	enum { LEN = 1 << 16 };
	uint8_t *code = test_malloc(LEN);
	const struct code_range range = { AT, AT + LEN, code };
	const struct code_entries nothing = { 0 };
	struct unwind_rules *rules = unwind_rules_new();
	struct code_rows rows;

	for (size_t i = 0; i < LEN; i++)
		code[i] = (uint8_t)(i % 7 ? test_random_below(256) : 0x0f);
	for (size_t i = 0; i + 6 <= LEN; i += 6) { /* jne somewhere */
		uint32_t to = (uint32_t)(test_random_below(LEN / 6) * 6 - i - 6);

		code[i] = 0x0f;
		code[i + 1] = 0x85;
		memcpy(code + i + 2, &to, sizeof(to));
	}
	code_rows_find(&range, 1, &nothing, rules, &rows);
	assert_true(rows.nr_steps < 24 * LEN + (1u << 16) + 64ull * CODE_FLOW_MAX_INSNS);
	code_rows_deinit(&rows);
	unwind_rules_free(rules);
	test_free(code);
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
		cmocka_unit_test(what_a_function_jumps_to_is_one),
		cmocka_unit_test(one_begins_behind_a_call_that_does_not_return),
		cmocka_unit_test(what_was_saved_proves_a_return),
		cmocka_unit_test(what_assembly_calls_is_followed_for_it),
		cmocka_unit_test(what_was_saved_proves_a_case),
		cmocka_unit_test(cases_are_no_functions),
		cmocka_unit_test(functions_go_on_where_they_jump_to),
		cmocka_unit_test(what_is_called_may_keep_a_register),
		cmocka_unit_test(work_is_bounded),
	};

#ifndef __x86_64__
	if (ARRAY_SIZE(tests))
		return cmocka_run_group_tests(no_tests, NULL, NULL);
#endif
	(void)no_tests;
	return cmocka_run_group_tests_name("code_rows", tests, NULL, NULL);
}
