// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as the answer of a parser of perf maps, and of one of jitdumps: head | file.  What is
 * taken stands inside, is sorted, and is no more than was asked for.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/perf_map_lines.h"
#include "util/mem.h"

#define HEAD_BYTES 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct worker_answer *answer, const char *bytes, size_t len, bool is_dump)
{
	const struct perf_map_ask ask = {
		.from = 4096, .stamp = 1, .max_bytes = 8192, .is_dump = is_dump
	};
	struct perf_map_lines l;
	uint64_t sum = 0, last = 0, moved_from;

	if (perf_map_lines_check(answer, bytes, len, &ask, &l) < 0)
		return;
	for (size_t i = 0; i < l.nr; i++) {
		const struct jit_symbol *s = &l.symbols[i];
		char name[PERF_MAP_MAX_NAME];

		memcpy(name, l.names + s->name, s->len);
		if (s->is_move)
			memcpy(&moved_from, l.names + s->name, sizeof(moved_from));
		if (s->start < last || s->start + s->size < s->start ||
		    (s->is_move && s->len != sizeof(moved_from)))
			abort();
		last = s->start;
		sum += sizeof(*s);
	}
	if (sum + l.names_len > ask.max_bytes || l.to < l.from || (l.from && l.from != 4096))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t head = size < HEAD_BYTES ? size : HEAD_BYTES;
	char *bytes = xmemdup0(data + head, size - head);
	const struct worker_answer answer = { .bytes = (char *)data, .len = head, .fd = -1 };

	check(&answer, bytes, size - head, false);
	check(&answer, bytes, size - head, true);
	free(bytes);
	return 0;
}
