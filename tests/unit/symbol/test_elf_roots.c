// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a program begins: code as C libraries have it, code that only looks so, and cut off. */
#include "unit/unit.h"

#include <elf.h>
#include <string.h>

#include "symbol/elf_roots.h"

#define CODE  0x401000ull
#define BYTES 0x400

struct image {
	uint8_t bytes[BYTES];
	struct elf_segment segment;
	struct elf_image img;
};

static void image_init(struct image *i, uint16_t machine, const void *code, size_t len)
{
	memset(i, 0, sizeof(*i));
	memcpy(i->bytes, code, len);
	i->segment = (struct elf_segment){
		.file_bytes = BYTES, .vaddr = CODE, .memory_bytes = BYTES, .executable = true
	};
	i->img = (struct elf_image){ .source = elf_source_from_bytes(i->bytes, BYTES),
				     .is64 = true,
				     .machine = machine,
				     .entry = CODE,
				     .segments = &i->segment,
				     .nr_segments = 1 };
}

static struct elf_roots find(uint16_t machine, const void *code, size_t len)
{
	struct elf_roots roots;
	struct image i;

	image_init(&i, machine, code, len);
	elf_roots_find(&i.img, &roots);
	return roots;
}

/* glibc 2.34 and later: lea main(%rip),%rdi; call *__libc_start_main@GOT(%rip) */
static const uint8_t pie[] = { 0x31, 0xed, 0x49, 0x89, 0xd1, 0x5e, 0x48, 0x89, 0xe2,
			       0x48, 0x83, 0xe4, 0xf0, 0x50, 0x54, 0x45, 0x31, 0xc0,
			       0x31, 0xc9, 0x48, 0x8d, 0x3d, 0xe5, 0x00, 0x00, 0x00,
			       0xff, 0x15, 0x10, 0x20, 0x00, 0x00, 0xf4 };
/* Before: __libc_csu_fini and __libc_csu_init too, with CET, addresses in full. */
static const uint8_t no_pie[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xed, 0x49, 0x89, 0xd1, 0x5e,
				  0x48, 0x89, 0xe2, 0x48, 0x83, 0xe4, 0xf0, 0x50, 0x54, 0x49,
				  0xc7, 0xc0, 0x80, 0x11, 0x40, 0x00, 0x48, 0xc7, 0xc1, 0x10,
				  0x11, 0x40, 0x00, 0x48, 0xc7, 0xc7, 0x00, 0x11, 0x40, 0x00,
				  0x67, 0xe8, 0xb2, 0x2e, 0x00, 0x00, 0xf4 };

static void test_glibc(void **state)
{
	struct elf_roots roots = find(EM_X86_64, pie, sizeof(pie));

	assert_int_equal(roots.start, CODE);
	assert_int_equal(roots.start_bytes, sizeof(pie));
	assert_int_equal(roots.main, CODE + 27 + 0xe5);
	roots = find(EM_X86_64, no_pie, sizeof(no_pie));
	assert_int_equal(roots.start, CODE);
	assert_int_equal(roots.main, 0x401100);
}

/* Whatever byte is another one: the same main, another place inside the code, or none. */
static void test_other_code(void **state)
{
	for (size_t at = 0; at < sizeof(pie); at++)
		for (int bit = 0; bit < 8; bit++) {
			uint8_t code[sizeof(pie)];
			struct elf_roots roots;

			memcpy(code, pie, sizeof(pie));
			code[at] ^= 1 << bit;
			roots = find(EM_X86_64, code, sizeof(code));
			if (at < 23 || at == 27 || at == 28 || at == sizeof(pie) - 1)
				assert_true(!roots.main || roots.main == CODE + 27 + 0xe5);
			assert_true(!roots.main ||
				    (roots.main >= CODE && roots.main < CODE + BYTES));
		}
	for (size_t len = 0; len < sizeof(pie); len++)
		assert_int_equal(find(EM_X86_64, pie, len).main, 0);
}

/* musl: the C function behind _start passes main on. */
static void test_without_main(void **state)
{
	static const uint8_t musl[] = { 0x48, 0x31, 0xed, 0x48, 0x89, 0xe7, 0x48, 0x8d,
					0x35, 0x10, 0x20, 0x00, 0x00, 0x48, 0x83, 0xe4,
					0xf0, 0xe8, 0x00, 0x00, 0x00, 0x00 };
	static const uint8_t loader[] = { 0x48, 0x89, 0xe7, 0xe8, 0x28, 0x0c,
					  0x00, 0x00, 0x49, 0x89, 0xc4 };
	/* libc.so.6 and old shared libraries have an entry point that is none. */
	static const uint8_t library[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08, 0xe8 };

	assert_int_equal(find(EM_X86_64, musl, sizeof(musl)).start, CODE);
	assert_int_equal(find(EM_X86_64, musl, sizeof(musl)).main, 0);
	assert_int_equal(find(EM_X86_64, loader, sizeof(loader)).start, CODE);
	assert_int_equal(find(EM_X86_64, library, sizeof(library)).start, 0);
	assert_int_equal(find(EM_386, pie, sizeof(pie)).start, 0);
}

/* arm64: adrp and add; the slot of the GOT and its relocation. */
static void test_arm64(void **state)
{
	uint32_t code[] = {
		0xd503245f, 0xd280001d, 0xd280001e, 0xaa0003e5, 0xf94003e1, 0x910023e2,
		0x910003e6, 0x90000000, 0x91040000, 0xd2800003, 0xd2800004, 0x94000010
	};
	const uint32_t to_main = 0x14000020; /* b */
	static char names[] = "\0.rela.dyn";
	struct elf_roots roots = find(EM_AARCH64, code, sizeof(code));
	Elf64_Rela rela = { .r_offset = 0x401100,
			    .r_info = ELF64_R_INFO(0, R_AARCH64_RELATIVE),
			    .r_addend = 0x401300 };
	struct elf_section section = {
		.offset = 0x200, .bytes = sizeof(rela), .name = 1, .type = SHT_RELA
	};
	struct image i;

	assert_int_equal(roots.start, CODE);
	assert_int_equal(roots.main, 0x401100);
	image_init(&i, EM_AARCH64, code, sizeof(code));
	memcpy(i.bytes + 0x100, &to_main, sizeof(to_main)); /* a stub of the linker's */
	elf_roots_find(&i.img, &roots);
	assert_int_equal(roots.main, 0x401180);

	code[8] = 0xf9408000; /* ldr x0,[x0,#0x100] */
	image_init(&i, EM_AARCH64, code, sizeof(code));
	elf_roots_find(&i.img, &roots);
	assert_int_equal(roots.main, 0);
	memcpy(i.bytes + 0x200, &rela, sizeof(rela));
	i.img.sections = &section;
	i.img.nr_sections = 1;
	i.img.section_names = names;
	i.img.section_names_len = sizeof(names);
	elf_roots_find(&i.img, &roots);
	assert_int_equal(roots.main, 0x401300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glibc),
		cmocka_unit_test(test_other_code),
		cmocka_unit_test(test_without_main),
		cmocka_unit_test(test_arm64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
