/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a fuzzer of a reader of places in the source does with a file: what is said is a table. */
#ifndef EDDY_TESTS_FUZZ_SOURCE_H
#define EDDY_TESTS_FUZZ_SOURCE_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbol/dwarf_source.h"

#define NR_ADDRESSES 64

typedef int (*source_read_fn)(const struct dwarf_source *source, struct source_builder *b);

/*
 * The file is asked for NR_ADDRESSES addresses from `first` on, and closed.  A further file that it
 * names is the file itself.
 */
static inline void fuzz_source(source_read_fn read, int fd, uint64_t first)
{
	struct source_builder *b = source_builder_new(NR_ADDRESSES);
	uint64_t addresses[NR_ADDRESSES];
	struct dwarf_source source = { .fd = fd,
				       .alt_fd = -1,
				       .with_lines = true,
				       .addresses = addresses,
				       .nr = NR_ADDRESSES };
	struct strbuf bytes = STRBUF_INIT;
	int r;

	for (size_t i = 0; i < NR_ADDRESSES; i++)
		addresses[i] = first + 5 * i;
	r = read(&source, b);
	if (r == -EREMOTE) {
		source.alt_fd = fd;
		r = read(&source, b);
	}
	if (r >= 0) {
		struct source_table *t;

		source_builder_pack(b, &bytes);
		t = source_table_unpack(bytes.bytes, bytes.len, NR_ADDRESSES);
		if (!t)
			abort();
		source_table_free(t);
	}
	strbuf_deinit(&bytes);
	source_builder_free(b);
	close(fd);
}

#endif
