// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as a table of places that a parser hands over: what is taken can be walked. */
#include <stdint.h>
#include <string.h>

#include "symbol/source_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct source_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		for (uint32_t n = 0; n < t->places[i].nr; n++) {
			const struct source_frame *f = &t->frames[t->places[i].first + n];

			if (strlen(source_table_string(t, f->name)) > SOURCE_NAME_BYTES ||
			    strlen(source_table_string(t, f->file)) > SOURCE_NAME_BYTES)
				__builtin_trap();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t nr = 0;
	struct source_table *t;

	if (size >= 2 * sizeof(nr))
		memcpy(&nr, data + sizeof(nr), sizeof(nr));
	t = source_table_unpack((const char *)data, size, nr);
	if (t)
		walk(t);
	source_table_free(t);
	return 0;
}
