// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as instructions that a parser hands over, behind two that say how long the code is: what is
 * taken covers the code, one instruction behind the other, and can be looked up and printed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/disassembly.h"
#include "util/mem.h"

#define AT 0x1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct disassembly *d, size_t code_bytes)
{
	uint64_t at = AT;

	for (size_t i = 0; i < d->nr; i++) {
		const struct code_insn *insn = &d->insns[i];

		if (insn->address != at || !insn->bytes || insn->kind >= NR_CODE_KINDS ||
		    disassembly_at(d, at) != insn || strlen(disassembly_text(d, insn)) > 255)
			abort();
		if (insn->bytes > 1 && disassembly_at(d, at + 1))
			abort();
		at += insn->bytes;
	}
	if (at != AT + code_bytes)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct disassembly *d;
	size_t code_bytes;
	char *bytes;

	if (size < 2)
		return 0;
	code_bytes = data[0] | data[1] << 8;
	bytes = xmemdup0(data + 2, size - 2);
	d = disassembly_unpack(bytes, size - 2, AT, code_bytes);
	if (d)
		walk(d, code_bytes);
	disassembly_free(d);
	free(bytes);
	return 0;
}
