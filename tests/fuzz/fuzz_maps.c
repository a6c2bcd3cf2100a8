// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as /proc/PID/maps. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool see(void *ctx, const struct maps_line *line)
{
	size_t newlines = 0;

	if (line->start >= line->end)
		abort();
	for (size_t i = 0; i < line->path_len; i++)
		newlines += line->path[i] == '\n';
	if (newlines)
		abort();
	++*(int *)ctx;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), seen = 0, lines;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	lines = maps_read(fd, see, &seen);
	if (lines < seen)
		abort();
	close(fd);
	return 0;
}
