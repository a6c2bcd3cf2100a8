// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as /proc/PID/maps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
	const char *bytes;
	size_t len;
	size_t nr_left; /* lines that there may be */
};

static bool see(void *ctx, const struct maps_line *line)
{
	struct text *text = ctx;
	const char *end = text->bytes + text->len;

	if (line->start >= line->end || !line->is_executable || !text->nr_left)
		abort();
	if (line->path < text->bytes || line->path > end ||
	    line->path_len > (size_t)(end - line->path) || memchr(line->path, '\n', line->path_len))
		abort();
	text->nr_left--;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = { .bytes = (const char *)data, .len = size, .nr_left = 1 };
	struct maps_line line;

	for (size_t i = 0; i < size; i++)
		text.nr_left += data[i] == '\n';
	maps_read(text.bytes, size, see, &text);
	if (!maps_line_parse(text.bytes, size, &line) &&
	    line.is_executable != maps_line_is_executable(text.bytes, size))
		abort();
	return 0;
}
