// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as symbols that a parser hands over: what is taken can be asked, and packed again. */
#include <stdint.h>

#include "symbol/elf_symbols_pack.h"
#include "symbol/elf_symbols_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct elf_symbols *t, uint64_t addr, struct strbuf *name)
{
	uint64_t start;

	if (elf_symbols_find(t, addr, &start) < 0)
		return;
	if (start > addr)
		__builtin_trap();
	strbuf_reset(name);
	if (elf_symbols_name(t, start, name) == 0 &&
	    (!name->len || name->len > ELF_NAME_MAX_BYTES + 4))
		__builtin_trap();
}

static void ask_all(const struct elf_symbols *t)
{
	const struct elf_image *img = elf_symbols_image(t);
	struct strbuf name = STRBUF_INIT;
	uint64_t vaddr, offset;

	for (size_t i = 0; i < t->index.nr && i < 64; i++)
		for (int by = -1; by <= 1; by++)
			ask(t, t->index.base + t->index.entries[i].value + by, &name);
	for (size_t i = 0; i < t->functions.nr && i < 64; i++)
		for (int by = -1; by <= 1; by++)
			ask(t, t->functions.base + t->functions.ranges[i].start + by, &name);
	for (size_t i = 0; i < img->nr_segments && i < 8; i++)
		if (elf_image_vaddr(img, img->segments[i].offset, &vaddr))
			elf_image_offset(img, vaddr, &offset);
	ask(t, 0, &name);
	ask(t, UINT64_MAX, &name);
	strbuf_deinit(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf again = STRBUF_INIT;
	struct elf_symbols *t = elf_symbols_unpack((const char *)data, size), *same;

	if (!t)
		return 0;
	ask_all(t);
	elf_symbols_pack(t, &again);
	same = elf_symbols_unpack(again.bytes, again.len);
	if (!same || !elf_symbols_are_equal(t, same) ||
	    elf_symbols_hash(t) != elf_symbols_hash(same))
		__builtin_trap();
	elf_symbols_add_functions(same, t);
	ask_all(same);
	elf_symbols_unref(same);
	elf_symbols_unref(t);
	strbuf_deinit(&again);
	return 0;
}
