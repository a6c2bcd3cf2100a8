// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * _start of glibc is some 14 instructions without a branch that end in the call of
 * __libc_start_main, whose first argument is main.  Here they are followed one by one; at any other
 * instruction nothing is known.  No compiler writes such code: the process begins without a return
 * address and with its arguments on the stack.
 */
#include "symbol/elf_roots.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define START_BYTES	 96
#define MUSL_START_BYTES 22
#define MAX_RELOCATIONS	 (1u << 20)
#define CHUNK_RELAS	 512

struct start_code {
	const struct elf_image *img;
	uint64_t addr;
	uint8_t bytes[START_BYTES];
	size_t len;
};

static bool read_code(struct start_code *c, const struct elf_image *img, uint64_t addr)
{
	uint64_t offset, len;

	*c = (struct start_code){ .img = img, .addr = addr };
	if (!elf_image_bytes_at(img, addr, &offset, &len))
		return false;
	c->len = len < START_BYTES ? len : START_BYTES;
	return elf_image_read(img, offset, c->bytes, c->len) >= 0;
}

static bool is_code(const struct elf_image *img, uint64_t vaddr)
{
	for (size_t i = 0; i < img->nr_segments; i++) {
		const struct elf_segment *s = &img->segments[i];

		if (s->executable && vaddr >= s->vaddr && vaddr - s->vaddr < s->file_bytes)
			return true;
	}
	return false;
}

/* What a slot of the GOT is set to when the program is loaded: its own address there; or 0. */
static uint64_t slot_value(const struct elf_image *img, uint64_t slot)
{
	const struct elf_section *s = elf_image_section_by_name(img, ".rela.dyn");
	uint32_t type = img->machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
	_cleanup_free_ Elf64_Rela *relas = NULL;
	size_t nr;

	if (!s || s->type != SHT_RELA || s->bytes / sizeof(*relas) > MAX_RELOCATIONS)
		return 0;
	nr = s->bytes / sizeof(*relas);
	relas = xreallocarray(NULL, CHUNK_RELAS, sizeof(*relas));
	for (size_t at = 0; at < nr; at += CHUNK_RELAS) {
		size_t n = nr - at < CHUNK_RELAS ? nr - at : CHUNK_RELAS;

		if (elf_image_read(img, s->offset + at * sizeof(*relas), relas,
				   n * sizeof(*relas)) < 0)
			return 0;
		for (size_t i = 0; i < n; i++)
			if (relas[i].r_offset == slot && ELF64_R_TYPE(relas[i].r_info) == type)
				return (uint64_t)relas[i].r_addend;
	}
	return 0;
}

/* ---- x86-64 ------------------------------------------------------------------------------- */

enum x86_kind {
	X86_OTHER,
	X86_MAIN_NEAR, /* its address from here */
	X86_MAIN_SLOT, /* that of the slot which holds it, from here */
	X86_MAIN,      /* its address */
	X86_CALL,
};

static const struct x86_insn {
	uint8_t len, nr; /* bytes; those that are compared */
	uint8_t bytes[4];
	enum x86_kind kind;
} x86_insns[] = {
	{ 4, 4, { 0xf3, 0x0f, 0x1e, 0xfa }, X86_OTHER }, /* endbr64 */
	{ 2, 2, { 0x31, 0xed }, X86_OTHER },		 /* xor %ebp,%ebp */
	{ 3, 3, { 0x49, 0x89, 0xd1 }, X86_OTHER },	 /* mov %rdx,%r9 */
	{ 1, 1, { 0x5e }, X86_OTHER },			 /* pop %rsi */
	{ 3, 3, { 0x48, 0x89, 0xe2 }, X86_OTHER },	 /* mov %rsp,%rdx */
	{ 4, 4, { 0x48, 0x83, 0xe4, 0xf0 }, X86_OTHER }, /* and $-16,%rsp */
	{ 1, 1, { 0x50 }, X86_OTHER },			 /* push %rax */
	{ 1, 1, { 0x54 }, X86_OTHER },			 /* push %rsp */
	{ 3, 3, { 0x45, 0x31, 0xc0 }, X86_OTHER },	 /* xor %r8d,%r8d */
	{ 2, 2, { 0x31, 0xc9 }, X86_OTHER },		 /* xor %ecx,%ecx */
	{ 7, 3, { 0x4c, 0x8d, 0x05 }, X86_OTHER },	 /* lea FINI(%rip),%r8 */
	{ 7, 3, { 0x49, 0xc7, 0xc0 }, X86_OTHER },	 /* mov $FINI,%r8 */
	{ 7, 3, { 0x48, 0x8d, 0x0d }, X86_OTHER },	 /* lea INIT(%rip),%rcx */
	{ 7, 3, { 0x48, 0xc7, 0xc1 }, X86_OTHER },	 /* mov $INIT,%rcx */
	{ 7, 3, { 0x48, 0x8d, 0x3d }, X86_MAIN_NEAR },	 /* lea MAIN(%rip),%rdi */
	{ 7, 3, { 0x48, 0x8b, 0x3d }, X86_MAIN_SLOT },	 /* mov SLOT(%rip),%rdi */
	{ 7, 3, { 0x48, 0xc7, 0xc7 }, X86_MAIN },	 /* mov $MAIN,%rdi */
	{ 6, 2, { 0xff, 0x15 }, X86_CALL },		 /* call *SLOT(%rip) */
	{ 6, 2, { 0x67, 0xe8 }, X86_CALL },		 /* addr32 call */
	{ 5, 1, { 0xe8 }, X86_CALL },			 /* call */
};

static const struct x86_insn *x86_decode(const uint8_t *at, size_t left)
{
	for (size_t i = 0; i < ARRAY_SIZE(x86_insns); i++) {
		const struct x86_insn *insn = &x86_insns[i];

		if (insn->len <= left && !memcmp(at, insn->bytes, insn->nr))
			return insn;
	}
	return NULL;
}

static bool x86_is_start(const struct start_code *c)
{
	/* xor %ebp,%ebp, of 32 bits or 64: the outermost frame; ld.so: mov %rsp,%rdi; call */
	static const uint8_t xor32[] = { 0x31, 0xed }, xor64[] = { 0x48, 0x31, 0xed },
			     loader[] = { 0x48, 0x89, 0xe7, 0xe8 };
	const struct x86_insn *first = x86_decode(c->bytes, c->len);
	const uint8_t *at = c->bytes + (first && first == &x86_insns[0] ? 4 : 0);

	if (c->len < 8)
		return false;
	return !memcmp(at, xor32, sizeof(xor32)) || !memcmp(at, xor64, sizeof(xor64)) ||
	       !memcmp(at, loader, sizeof(loader));
}

/* Up to and with the call that does not return; behind it stands another function. */
static uint64_t x86_start_bytes(const struct start_code *c)
{
	static const uint8_t musl[] = { 0x48, 0x31, 0xed, 0x48, 0x89, 0xe7, 0x48, 0x8d, 0x35 };
	const struct x86_insn *insn;

	if (c->len >= MUSL_START_BYTES && !memcmp(c->bytes, musl, sizeof(musl)))
		return MUSL_START_BYTES;
	for (size_t at = 0; (insn = x86_decode(c->bytes + at, c->len - at)); at += insn->len)
		if (insn->kind == X86_CALL)
			return at + insn->len +
			       (at + insn->len < c->len && c->bytes[at + insn->len] == 0xf4);
	return 0;
}

static uint64_t x86_main(const struct start_code *c)
{
	uint64_t found = 0;
	const struct x86_insn *insn;

	for (size_t at = 0; (insn = x86_decode(c->bytes + at, c->len - at)); at += insn->len) {
		uint64_t next = c->addr + at + insn->len;
		int32_t operand = 0;

		if (insn->kind == X86_CALL) /* with hlt behind: it does not return */
			return at + insn->len < c->len && c->bytes[at + insn->len] == 0xf4 ? found
											   : 0;
		if (insn->kind == X86_OTHER)
			continue;
		memcpy(&operand, c->bytes + at + 3, sizeof(operand));
		found = insn->kind == X86_MAIN ? (uint64_t)operand
			: insn->kind == X86_MAIN_NEAR
				? next + (uint64_t)operand
				: slot_value(c->img, next + (uint64_t)operand);
	}
	return 0;
}

/* ---- arm64 -------------------------------------------------------------------------------- */

#define A64_BTI_C	0xd503245fu
#define A64_NOP		0xd503201fu
#define A64_B		0x14000000u
#define A64_BL		0x94000000u
#define A64_CALL_MASK	0xfc000000u
#define A64_ADRP_X0	0x90000000u
#define A64_ADR_X0	0x10000000u
#define A64_ADR_MASK	0x9f00001fu
#define A64_ADD_X0_X0	0x91000000u
#define A64_LDR_X0_X0	0xf9400000u
#define A64_OFFSET_MASK 0xffc003ffu

/* mov x29,#0; mov x30,#0; mov x5,x0; ldr x1,[sp]; add x2,sp,#8; mov x6,sp; mov x3,#0; mov x4,#0 */
static const uint32_t arm64_others[] = { 0xd280001d, 0xd280001e, 0xaa0003e5, 0xf94003e1, 0x910023e2,
					 0x910003e6, 0xd2800003, 0xd2800004, A64_BTI_C,	 A64_NOP };

static uint32_t arm64_insn(const struct start_code *c, size_t at)
{
	uint32_t insn = 0;

	if (at + sizeof(insn) <= c->len)
		memcpy(&insn, c->bytes + at, sizeof(insn));
	return insn;
}

static uint64_t sign_extend(uint64_t value, unsigned int bits)
{
	uint64_t sign = 1ull << (bits - 1);

	return (value ^ sign) - sign;
}

static bool arm64_is_start(const struct start_code *c)
{
	size_t at = arm64_insn(c, 0) == A64_BTI_C ? 4 : 0;
	uint32_t first = arm64_insn(c, at), second = arm64_insn(c, at + 4);

	/* x29 and x30 are set to 0; ld.so: mov x0,sp; bl */
	return (first == arm64_others[0] && second == arm64_others[1]) ||
	       (first == 0x910003e0 && (second & A64_CALL_MASK) == A64_BL);
}

/* Non-PIE programs pass a stub that jumps to main. */
static uint64_t arm64_behind_jump(const struct elf_image *img, uint64_t addr)
{
	struct start_code c;
	size_t at;
	uint32_t insn;

	if (!read_code(&c, img, addr))
		return addr;
	at = arm64_insn(&c, 0) == A64_BTI_C ? 4 : 0;
	insn = arm64_insn(&c, at);
	if ((insn & A64_CALL_MASK) != A64_B)
		return addr;
	return addr + at + sign_extend((uint64_t)(insn & ~A64_CALL_MASK) << 2, 28);
}

/* x0 behind one more instruction of those that make an address; false: it is none of them. */
static bool arm64_step(const struct start_code *c, size_t at, uint64_t *x0)
{
	uint32_t insn = arm64_insn(c, at);
	uint64_t low = insn >> 29 & 3, high = insn >> 5 & 0x7ffff, near;

	near = sign_extend(high << 2 | low, 21);
	if ((insn & A64_ADR_MASK) == A64_ADRP_X0)
		*x0 = ((c->addr + at) & ~0xfffull) + (near << 12);
	else if ((insn & A64_ADR_MASK) == A64_ADR_X0)
		*x0 = c->addr + at + near;
	else if ((insn & A64_OFFSET_MASK) == A64_ADD_X0_X0)
		*x0 += insn >> 10 & 0xfff;
	else if ((insn & A64_OFFSET_MASK) == A64_LDR_X0_X0)
		*x0 = slot_value(c->img, *x0 + (uint64_t)(insn >> 10 & 0xfff) * 8);
	else
		return false;
	return true;
}

static uint64_t arm64_main(const struct start_code *c)
{
	uint64_t x0 = 0;

	for (size_t at = 0; at + 4 <= c->len; at += 4) {
		uint32_t insn = arm64_insn(c, at);
		bool is_known = false;

		if ((insn & A64_CALL_MASK) == A64_BL)
			return x0 ? arm64_behind_jump(c->img, x0) : 0;
		for (size_t i = 0; i < ARRAY_SIZE(arm64_others); i++)
			is_known |= insn == arm64_others[i];
		if (!is_known && !arm64_step(c, at, &x0))
			return 0;
	}
	return 0;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static uint64_t code_section(const struct elf_image *img, const char *name)
{
	const struct elf_section *s = elf_image_section_by_name(img, name);

	return s && s->flags & SHF_EXECINSTR && is_code(img, s->addr) ? s->addr : 0;
}

void elf_roots_find(const struct elf_image *img, struct elf_roots *ret_roots)
{
	bool is_arm64 = img->machine == EM_AARCH64;
	struct start_code c;

	*ret_roots = (struct elf_roots){ .init = code_section(img, ".init"),
					 .fini = code_section(img, ".fini") };
	if (!img->is64 || (!is_arm64 && img->machine != EM_X86_64) || !is_code(img, img->entry) ||
	    !read_code(&c, img, img->entry))
		return;
	if (!(is_arm64 ? arm64_is_start(&c) : x86_is_start(&c)))
		return;
	ret_roots->start = img->entry;
	ret_roots->start_bytes = is_arm64 ? 0 : x86_start_bytes(&c);
	ret_roots->main = is_arm64 ? arm64_main(&c) : x86_main(&c);
	if (!is_code(img, ret_roots->main))
		ret_roots->main = 0;
}
