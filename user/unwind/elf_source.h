/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the bytes of a file come from.  Files of other people are never mapped: they may be
 * truncated while we read, and that must be an error and not a SIGBUS.
 */
#ifndef EDDY_UNWIND_ELF_SOURCE_H
#define EDDY_UNWIND_ELF_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct elf_source {
	/* All `len` bytes at `offset`, or a negative errno. */
	int (*read)(const struct elf_source *source, void *dst, size_t len, uint64_t offset);
	uint64_t len; /* bytes that exist; nothing beyond is asked for */
	int fd;
	const uint8_t *bytes;
};

/* Reads from a descriptor, which stays the caller's.  -EINVAL when it is not a regular file. */
int elf_source_from_fd(int fd, struct elf_source *ret_source);
/* Reads from memory, which stays the caller's: a vdso, a test. */
struct elf_source elf_source_from_bytes(const void *bytes, size_t len);

/* Reads `len` bytes at `offset`, or -ENODATA when the source does not have them, or -errno. */
int elf_source_read(const struct elf_source *source, void *dst, uint64_t len, uint64_t offset);

#endif
