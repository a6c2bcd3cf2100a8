// SPDX-License-Identifier: GPL-2.0-or-later
/* What is added here has been read from a hostile file, and is bounded here. */
#include "symbol/jit_reader.h"

#include <errno.h>
#include <unistd.h>

#include "util/mem.h"

bool jit_reader_add(struct jit_reader *r, struct jit_symbol symbol, const char *name, size_t len)
{
	symbol.len = len < PERF_MAP_MAX_NAME ? len : PERF_MAP_MAX_NAME;
	if (!len || !symbol.size || symbol.start > UINT64_MAX - symbol.size)
		return true;
	if (perf_map_line_bytes(symbol.len) > r->ask->max_bytes - r->bytes) {
		r->head.is_full = true;
		return false;
	}
	r->bytes += perf_map_line_bytes(symbol.len);
	symbol.name = r->names.len;
	strbuf_add(&r->names, name, symbol.len);
	array_reserve(r->symbols, r->cap, r->head.nr + 1);
	r->symbols[r->head.nr++] = symbol;
	return true;
}

ssize_t jit_read_at(int fd, void *buf, size_t len, uint64_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)buf + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return (ssize_t)done;
}
