// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a perf map that is written in two steps and cut in a third. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct perf_map *m, const uint8_t *data, size_t size)
{
	struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i + 16 <= size && i < 2048; i++) {
		char hex[17];

		memcpy(hex, data + i, 16);
		hex[16] = '\0';
		strbuf_reset(&name);
		if (perf_map_name(m, strtoull(hex, NULL, 16), 0, &name) == 0 &&
		    memchr(name.bytes, '\n', name.len))
			abort();
	}
	strbuf_deinit(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct perf_map *m = perf_map_new(fd);
	size_t half = size / 2;

	if (fd < 0 || write(fd, data, half) != (ssize_t)half)
		abort();
	perf_map_refresh(m, 24000);
	ask(m, data, size);
	if (write(fd, data + half, size - half) != (ssize_t)(size - half))
		abort();
	perf_map_refresh(m, 24000);
	ask(m, data, size);
	if (ftruncate(fd, half / 2) < 0)
		abort();
	ask(m, data, size);
	perf_map_refresh(m, 24000);
	ask(m, data, size);
	perf_map_free(m);
	return 0;
}
