// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as an ELF file whose parts are looked for, as all of it and of a file that ends somewhere
 * before: they are inside and bounded, and the same when they are looked for again.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check(const struct elf_parts *p, size_t file_bytes)
{
	uint64_t sum = 0;

	require(p->nr <= ELF_PARTS_MAX);
	for (size_t i = 0; i < p->nr; i++) {
		require(p->list[i].bytes && p->list[i].offset < file_bytes);
		require(p->list[i].bytes <= file_bytes - p->list[i].offset);
		sum += p->list[i].bytes;
	}
	require(sum == p->bytes && sum <= ELF_PARTS_MAX_BYTES);
}

static void look(const uint8_t *data, size_t size, enum elf_parts_for use)
{
	struct elf_source source = elf_source_from_bytes(data, size);
	struct elf_parts parts, again;
	int r = elf_parts_find_source(&source, use, &parts);

	require(elf_parts_find_source(&source, use, &again) == r);
	check(&parts, size);
	require(parts.nr == again.nr);
	require(!parts.nr || !memcmp(parts.list, again.list, parts.nr * sizeof(*parts.list)));
	elf_parts_deinit(&again);
	elf_parts_deinit(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int use = ELF_PARTS_UNWIND; use <= ELF_PARTS_FUNCTIONS; use++) {
		look(data, size, use);
		look(data, size / 2, use);
	}
	return 0;
}
