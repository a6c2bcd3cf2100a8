// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as an ELF file: skeleton, symbols, PLT, packed symbols, unwind entries, names. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/demangle.h"
#include "symbol/elf_symbols_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct elf_symbols *t, uint64_t addr, struct strbuf *name)
{
	uint64_t start;

	if (elf_symbols_find(t, addr, &start) < 0)
		return;
	if (start > addr)
		abort();
	strbuf_reset(name);
	if (elf_symbols_name(t, start, name) == 0) {
		if (!name->len)
			abort();
		demangle(name->bytes, name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_source source = { .fd = -1 };
	struct elf_symbols_input in = { .fd = fd, .debug_fd = -1, .max_unpacked_bytes = 64 << 20 };
	struct elf_symbols *t, *functions;
	struct strbuf name = STRBUF_INIT;
	const struct elf_image *img;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (size % 2 && elf_source_map(fd, &source) >= 0) /* as parsers do */
		in.source = &source;
	if (elf_symbols_read(&in, &t) < 0) {
		elf_source_unmap(&source);
		close(fd);
		return 0;
	}
	if (elf_symbols_wants_functions(t) && elf_symbols_read_functions(&in, &functions) >= 0) {
		elf_symbols_add_functions(t, functions);
		elf_symbols_unref(functions);
	}
	elf_source_unmap(&source);
	close(fd); /* nothing of it is needed any more */
	img = elf_symbols_image(t);
	for (size_t i = 0; i < img->nr_segments && i < 8; i++)
		for (uint64_t at = 0; at < 512; at += 3) {
			uint64_t vaddr, offset;

			ask(t, img->segments[i].vaddr + at, &name);
			if (elf_image_vaddr(img, img->segments[i].offset + at, &vaddr))
				elf_image_offset(img, vaddr, &offset);
		}
	strbuf_deinit(&name);
	elf_symbols_unref(t);
	return 0;
}
