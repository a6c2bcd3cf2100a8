// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as the list of parts that a parser says are to be copied, behind two bytes that say how
 * long the file is.  What is copied stands where it stood, nothing else does, and of a list that is
 * refused nothing is.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/elf_copy.h"
#include "util/mem.h"

#define MAX_FILE_BYTES 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* No byte of the file is zero, so that each is known from one that was not copied. */
static uint8_t byte_at(size_t at)
{
	return 1 + at * 31 % 251;
}

/* What the copy should be. */
static void expect(const struct elf_part *list, size_t nr, uint8_t *to)
{
	for (size_t i = 0; i < nr; i++)
		for (uint64_t at = 0; at < list[i].bytes; at++)
			to[list[i].offset + at] = byte_at(list[i].offset + at);
}

static int make_file(size_t len, bool is_empty)
{
	static uint8_t bytes[MAX_FILE_BYTES];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	require(fd >= 0 && !ftruncate(fd, len));
	for (size_t i = 0; i < len; i++)
		bytes[i] = byte_at(i);
	require(is_empty || write(fd, bytes, len) == (ssize_t)len);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t got[MAX_FILE_BYTES + 1], want[MAX_FILE_BYTES];
	size_t file_bytes = size < 2 ? 0 : data[0] | data[1] << 8, len = size < 2 ? 0 : size - 2;
	char *list = xmemdup0(data + (size < 2 ? 0 : 2), len);
	int from = make_file(file_bytes, false), to = make_file(file_bytes, true);
	uint64_t sum = 0;
	int r;

	/* Copying is bounded, but half a GiB is too much for each of many runs. */
	for (size_t i = 0; i < len / sizeof(struct elf_part); i++)
		sum += ((struct elf_part *)list)[i].bytes % (2 * ELF_PARTS_MAX_BYTES);
	if (sum <= 64 * MAX_FILE_BYTES || sum > ELF_PARTS_MAX_BYTES) {
		memset(want, 0, sizeof(want));
		r = elf_copy_parts(from, to, file_bytes, list, len);
		require(r == 0 || r == -EPIPE);
		if (!r)
			expect((struct elf_part *)list, len / sizeof(struct elf_part), want);
		require(pread(to, got, sizeof(got), 0) == (ssize_t)file_bytes);
		require(!memcmp(got, want, file_bytes));
	}
	close(from);
	close(to);
	free(list);
	return 0;
}
