// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PLT stubs have no symbols.  Each one jumps through its own slot of the GOT, and the relocation
 * of that slot names the function: so decode the jump and look the slot up.  That holds for every
 * layout (.plt, .plt.sec of CET, .plt.got of -z now), whichever linker wrote it and in whichever
 * order.
 */
#include "symbol/elf_plt.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define MAX_RELOCATIONS (1u << 20)
#define MAX_STUB_BYTES	(16u << 20)
#define STUB_BYTES	16

struct slot {
	uint64_t addr, resolver;
	uint32_t symbol;
};

struct slots {
	struct slot *items;
	size_t nr, cap;
};

static bool is_function_slot(uint16_t machine, uint32_t type)
{
	if (machine == EM_AARCH64)
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

static bool is_resolved_slot(uint16_t machine, uint32_t type)
{
	return type == (machine == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE);
}

static void add_slot(uint16_t machine, const Elf64_Rela *r, struct slots *to)
{
	uint32_t type = ELF64_R_TYPE(r->r_info);
	struct slot slot = { .addr = r->r_offset };

	if (is_function_slot(machine, type))
		slot.symbol = ELF64_R_SYM(r->r_info);
	else if (is_resolved_slot(machine, type))
		slot.resolver = (uint64_t)r->r_addend;
	else
		return;
	array_reserve(to->items, to->cap, to->nr + 1);
	to->items[to->nr++] = slot;
}

/* Slots of the GOT that hold a function's address.  Most relocations are others. */
static void add_slots(const struct elf_image *img, const char *section, struct slots *to)
{
	const struct elf_section *s = elf_image_section_by_name(img, section);
	_cleanup_free_ uint8_t *copy = NULL;
	const uint8_t *table;
	Elf64_Rela relocation;
	size_t nr, len;

	if (!s || s->type != SHT_RELA || s->entry_bytes != sizeof(relocation))
		return;
	nr = s->bytes / sizeof(relocation);
	if (!nr || nr > MAX_RELOCATIONS)
		return;
	len = nr * sizeof(relocation);
	table = elf_source_view(&img->source, len, s->offset);
	if (!table) {
		table = copy = xmalloc(len);
		if (elf_image_read(img, s->offset, copy, len) < 0)
			return;
	}
	for (size_t i = 0; i < nr; i++) {
		memcpy(&relocation, table + i * sizeof(relocation), sizeof(relocation));
		add_slot(img->machine, &relocation, to);
	}
}

static int slot_compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	return (x->resolver > y->resolver) - (x->resolver < y->resolver);
}

static const struct slot *slot_find(const struct slots *slots, uint64_t addr)
{
	size_t lo = 0, hi = slots->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (slots->items[mid].addr == addr)
			return &slots->items[mid];
		if (slots->items[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* The offset of the name of a .dynsym entry; 0 when there is none. */
static uint32_t name_of(const struct elf_image *img, const struct elf_section *dynsym,
			uint32_t symbol)
{
	Elf64_Sym s;

	if (!dynsym || symbol >= dynsym->bytes / sizeof(s) ||
	    elf_image_read(img, dynsym->offset + symbol * sizeof(s), &s, sizeof(s)) < 0)
		return 0;
	return s.st_name;
}

/* The slot that the stub at vaddr jumps through: "jmp *disp32(%rip)" somewhere in it. */
static bool stub_slot(const unsigned char *code, size_t len, uint64_t vaddr, uint64_t *ret_slot)
{
	for (size_t i = 0; i + 6 <= len; i++) {
		int32_t disp;

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&disp, code + i + 2, sizeof(disp));
		*ret_slot = vaddr + i + 6 + (int64_t)disp;
		return true;
	}
	return false;
}

struct walk {
	const struct elf_image *img;
	const struct elf_section *dynsym; /* NULL: none */
	struct slots slots;
	void (*add)(void *ctx, const struct elf_plt_stub *stub);
	void *ctx;
	size_t nr;
};

static void add_stub(struct walk *w, uint64_t addr, uint64_t bytes, const struct slot *slot)
{
	struct elf_plt_stub stub = { .addr = addr, .bytes = bytes };

	if (slot && slot->symbol)
		stub.name = name_of(w->img, w->dynsym, slot->symbol);
	else if (slot)
		stub.resolver = slot->resolver;
	w->add(w->ctx, &stub);
	w->nr++;
}

/*
 * The slot of a stub that only says which relocation is to be done, as those of .plt do where the
 * jumps stand in .plt.sec: endbr64; push $N.
 */
static const struct slot *pushed_slot(const struct walk *w, const unsigned char *code, size_t len)
{
	static const unsigned char head[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x68 };
	const struct elf_section *s = elf_image_section_by_name(w->img, ".rela.plt");
	uint32_t nr;
	Elf64_Rela rela;

	if (!s || s->entry_bytes != sizeof(rela) || len < STUB_BYTES ||
	    memcmp(code, head, sizeof(head)) != 0)
		return NULL;
	memcpy(&nr, code + sizeof(head), sizeof(nr));
	if (nr >= s->bytes / sizeof(rela) ||
	    elf_image_read(w->img, s->offset + nr * sizeof(rela), &rela, sizeof(rela)) < 0)
		return NULL;
	return slot_find(&w->slots, rela.r_offset);
}

static void walk_stubs_x86_64(struct walk *w, const struct elf_section *s,
			      const unsigned char *code)
{
	/* .plt.got has 8 bytes a stub without CET; everything else 16. */
	size_t stub = s->entry_bytes == 8 ? 8 : STUB_BYTES;

	for (size_t at = 0; at + stub <= s->bytes; at += stub) {
		const struct slot *slot;
		uint64_t addr;

		if (stub_slot(code + at, stub, s->addr + at, &addr))
			slot = slot_find(&w->slots, addr);
		else
			slot = pushed_slot(w, code + at, stub);
		add_stub(w, s->addr + at, stub, slot);
	}
}

/*
 * arm64: stubs are of different length, with bti c in front or autia1716 before the jump, and fill
 * up with a nop.
 *	adrp x16, PAGE; ldr x17, [x16, #OFFSET]; add x16, x16, #OFFSET; br x17
 */
#define A64_ADRP_X16	  0x90000010u
#define A64_ADRP_X16_MASK 0x9f00001fu
#define A64_LDR_X17	  0xf9400211u
#define A64_LDR_X17_MASK  0xffc003ffu
#define A64_BTI_C	  0xd503245fu
#define A64_BR_X17	  0xd61f0220u
#define A64_NOP		  0xd503201fu
#define A64_MAX_STUB	  6 /* instructions */

static uint64_t stub_slot_arm64(uint32_t adrp, uint32_t ldr, uint64_t vaddr)
{
	uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

	pages = (pages ^ 1 << 20) - (1 << 20); /* 21 bits, signed */
	return (vaddr & ~0xfffull) + (pages << 12) + (ldr >> 10 & 0xfff) * 8;
}

static void walk_stubs_arm64(struct walk *w, const struct elf_section *s, const unsigned char *code)
{
	size_t nr = s->bytes / sizeof(uint32_t);
	_cleanup_free_ uint32_t *insn = xcalloc(nr + 1, sizeof(*insn));

	memcpy(insn, code, nr * sizeof(*insn));
	for (size_t i = 0; i + 1 < nr; i++) {
		size_t begin = i && insn[i - 1] == A64_BTI_C ? i - 1 : i, end = i + 2;
		uint64_t slot;

		if ((insn[i] & A64_ADRP_X16_MASK) != A64_ADRP_X16 ||
		    (insn[i + 1] & A64_LDR_X17_MASK) != A64_LDR_X17)
			continue;
		while (end < nr && end - begin < A64_MAX_STUB && insn[end - 1] != A64_BR_X17)
			end++;
		if (insn[end] == A64_NOP && end < nr)
			end++;
		slot = stub_slot_arm64(insn[i], insn[i + 1], s->addr + i * 4);
		add_stub(w, s->addr + begin * 4, (end - begin) * 4, slot_find(&w->slots, slot));
	}
}

static void walk_section(struct walk *w, const char *section)
{
	const struct elf_section *s = elf_image_section_by_name(w->img, section);
	_cleanup_free_ unsigned char *code = NULL;

	if (!s || s->bytes > MAX_STUB_BYTES)
		return;
	code = xmalloc(s->bytes);
	if (elf_image_read(w->img, s->offset, code, s->bytes) < 0)
		return;
	if (w->img->machine == EM_AARCH64)
		walk_stubs_arm64(w, s, code);
	else
		walk_stubs_x86_64(w, s, code);
}

size_t elf_plt_walk(const struct elf_image *img,
		    void (*add)(void *ctx, const struct elf_plt_stub *stub), void *ctx,
		    uint64_t *ret_offset, uint64_t *ret_bytes)
{
	struct walk w = { .img = img, .add = add, .ctx = ctx };
	const struct elf_section *strings;

	*ret_offset = *ret_bytes = 0;
	if (!img->is64 || (img->machine != EM_X86_64 && img->machine != EM_AARCH64))
		return 0;
	w.dynsym = elf_image_section_by_type(img, SHT_DYNSYM);
	strings = w.dynsym ? elf_image_section_link(img, w.dynsym) : NULL;
	if (!strings || strings->type != SHT_STRTAB)
		w.dynsym = NULL;
	add_slots(img, ".rela.plt", &w.slots);
	add_slots(img, ".rela.dyn", &w.slots);
	if (w.slots.nr)
		qsort(w.slots.items, w.slots.nr, sizeof(*w.slots.items), slot_compare);
	walk_section(&w, ".plt");
	walk_section(&w, ".plt.sec");
	walk_section(&w, ".plt.got");
	free(w.slots.items);
	if (w.dynsym && strings) {
		*ret_offset = strings->offset;
		*ret_bytes = strings->bytes;
	}
	return w.nr;
}
