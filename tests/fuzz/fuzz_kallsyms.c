// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as /proc/kallsyms; what is found must hold the address asked for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct kallsyms *k, uint64_t addr)
{
	struct kernel_symbol s;
	uint64_t end;

	if (kallsyms_find(k, addr, &s) < 0)
		return;
	if (addr < s.start || addr >= s.end || !*s.name)
		abort();
	if (!kallsyms_address(k, s.name, &end))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct kallsyms *k;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	if (kallsyms_read(fd, &k) == 0) {
		/* Addresses that stand in the input, and those around them. */
		for (size_t i = 0; i + 16 <= size && i < 4096; i++) {
			char hex[17];
			uint64_t addr;

			memcpy(hex, data + i, 16);
			hex[16] = '\0';
			addr = strtoull(hex, NULL, 16);
			ask(k, addr);
			ask(k, addr - 1);
			ask(k, addr + 7);
		}
		ask(k, UINT64_MAX);
		kallsyms_free(k);
	}
	close(fd);
	return 0;
}
