// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as an ELF file with DWARF: what is said of addresses is a table of places. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz_source.h"
#include "symbol/dwarf_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	fuzz_source(dwarf_source_read, fd, 0x1000);
	return 0;
}
