// SPDX-License-Identifier: GPL-2.0-or-later
/* What instructions are, and that no bytes of a parser make a table that reads elsewhere. */
#include "unit/unit.h"

#include <errno.h>

#include "symbol/disassembly.h"

/* Nothing here is of the machine that runs it. */
static struct disassembly *of(uint16_t machine, uint64_t start, const char *code, size_t len)
{
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	struct disassembly *d;

	assert_int_equal(disassembly_pack(machine, start, code, len, &packed), 0);
	d = disassembly_unpack(packed.bytes, packed.len, start, len);
	assert_non_null(d);
	return d;
}
#define OF(machine, start, code) of(machine, start, code, sizeof(code) - 1)

static void is_insn(const struct disassembly *d, size_t i, enum code_kind kind, uint64_t target,
		    const char *text)
{
	assert_true(i < d->nr);
	assert_string_equal(disassembly_text(d, &d->insns[i]), text);
	assert_int_equal(d->insns[i].kind, kind);
	assert_int_equal(d->insns[i].target, target);
}

static void test_x86(void **state)
{
	_cleanup_(disassembly_freep) struct disassembly *d = OF(
		EM_X86_64, 0x1000,
		"\x48\xf7\xf1\xfb\x90\x9d\xeb\xf9\xe8\x01\x00\x00\x00\xff\xd0\x75\x00\xc3\xcc\x06");

	is_insn(d, 0, CODE_PLAIN, 0, "divq %rcx");
	is_insn(d, 1, CODE_STI, 0, "sti");
	is_insn(d, 2, CODE_PADDING, 0, "nop");
	is_insn(d, 3, CODE_ENABLE, 0, "popfq");
	is_insn(d, 4, CODE_JUMP, 0x1001, "jmp 0x1001");
	is_insn(d, 5, CODE_CALL, 0x100e, "callq 0x100e");
	is_insn(d, 6, CODE_CALL, 0, "callq *%rax");
	is_insn(d, 7, CODE_JUMP, 0x1011, "jne 0x1011");
	is_insn(d, 8, CODE_RETURN, 0, "retq");
	is_insn(d, 9, CODE_PADDING, 0, "int3");
	is_insn(d, 10, CODE_BAD, 0, "(bad)");
	assert_int_equal(d->nr, 11);
	assert_ptr_equal(disassembly_at(d, 0x1003), &d->insns[1]);
	assert_null(disassembly_at(d, 0x1001));
	assert_null(disassembly_at(d, 0x2000));
}

static void test_arm64(void **state)
{
	_cleanup_(disassembly_freep) struct disassembly *d = OF(
		EM_AARCH64, 0x1000,
		"\xdf\x42\x03\xd5\xff\x43\x03\xd5\x40\x00\x00\x54\xfe\xff\xff\x97\xc0\x03\x5f\xd6");

	is_insn(d, 0, CODE_PLAIN, 0, "msr daifset, #2");
	is_insn(d, 1, CODE_ENABLE, 0, "msr daifclr, #3");
	is_insn(d, 2, CODE_JUMP, 0x1010, "b.eq #0x1010");
	is_insn(d, 3, CODE_CALL, 0x1004, "bl #0x1004");
	is_insn(d, 4, CODE_RETURN, 0, "ret");
}

static void test_bounds(void **state)
{
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	_cleanup_free_ char *much = calloc(1, DISASSEMBLY_MAX_BYTES + 1);

	assert_int_equal(disassembly_pack(EM_MIPS, 0, "\x90", 1, &packed), -ENOTSUP);
	assert_int_equal(disassembly_pack(EM_X86_64, 0, much, DISASSEMBLY_MAX_BYTES + 1, &packed),
			 -E2BIG);
	assert_int_equal(packed.len, 0);
	/* An instruction that is cut off, and the end of the address space. */
	disassembly_free(OF(EM_X86_64, UINT64_MAX - 1, "\xe8\x00"));
	disassembly_free(OF(EM_X86_64, 0, ""));
}

/* Whatever the bytes are, what is made of them can be read from one end to the other. */
static void test_hostile(void **state)
{
	static const char code[] = "\x90\xfb\xe8\x01\x00\x00\x00\xc3";
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;

	disassembly_pack(EM_X86_64, 0x1000, code, sizeof(code) - 1, &packed);
	assert_null(disassembly_unpack(packed.bytes, packed.len, 0x1001, sizeof(code) - 1));
	assert_null(disassembly_unpack(packed.bytes, packed.len, 0x1000, sizeof(code)));
	for (size_t len = 0; len < packed.len; len++)
		assert_null(disassembly_unpack(packed.bytes, len, 0x1000, sizeof(code) - 1));
	for (size_t bit = 0; bit < packed.len * 8; bit++) {
		_cleanup_(disassembly_freep) struct disassembly *d = NULL;

		packed.bytes[bit / 8] ^= 1 << bit % 8;
		d = disassembly_unpack(packed.bytes, packed.len, 0x1000, sizeof(code) - 1);
		for (size_t i = 0; d && i < d->nr; i++) {
			assert_true(strlen(disassembly_text(d, &d->insns[i])) < 256);
			assert_true(d->insns[i].kind < NR_CODE_KINDS);
		}
		packed.bytes[bit / 8] ^= 1 << bit % 8;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
