/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the bytes of an ELF file come from.  Files of other people may be truncated while we read,
 * and that must be an error and not a SIGBUS: they are mapped only by who may die of it.
 */
#ifndef EDDY_ELF_ELF_SOURCE_H
#define EDDY_ELF_ELF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

struct elf_source {
	/* All `len` bytes at `offset`, or a negative errno. */
	int (*read)(const struct elf_source *source, void *dst, size_t len, uint64_t offset);
	uint64_t len; /* bytes that exist; nothing beyond is asked for */
	int fd;
	const uint8_t *bytes; /* of memory; NULL: it is read */
	bool is_mapped;
};

/* Reads from a descriptor, which stays the caller's.  -EINVAL when it is not a regular file. */
int elf_source_from_fd(int fd, struct elf_source *ret_source);
/*
 * The same by a mapping where there can be one, until it is unmapped: for a process that may die of
 * SIGBUS.  What others write to the file is seen at once, so that two looks may differ.
 */
int elf_source_map(int fd, struct elf_source *ret_source);
void elf_source_unmap(struct elf_source *source); /* one of any kind */
#define _cleanup_elf_source_ _cleanup_(elf_source_unmap)
/* Reads from memory, which stays the caller's: a vdso, a test. */
struct elf_source elf_source_from_bytes(const void *bytes, size_t len);

/* Reads `len` bytes at `offset`, or -ENODATA when the source does not have them, or -errno. */
int elf_source_read(const struct elf_source *source, void *dst, uint64_t len, uint64_t offset);
/* Those bytes where they are, or NULL: they are not in memory, or the source has fewer. */
const uint8_t *elf_source_view(const struct elf_source *source, uint64_t len, uint64_t offset);

#endif
