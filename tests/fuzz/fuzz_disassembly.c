// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as code, behind one that says of which machine: whatever it is, all of it becomes
 * instructions, and what is packed of them is believed.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/disassembly.h"
#include "util/mem.h"

#define AT 0xffffffff81000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64, EM_386, EM_RISCV };
	struct strbuf packed = STRBUF_INIT;
	struct disassembly *d = NULL;
	uint16_t machine;
	char *code;
	int r;

	if (!size)
		return 0;
	machine = machines[data[0] % ARRAY_SIZE(machines)];
	size--;
	code = xmemdup0(data + 1, size);
	r = disassembly_pack(machine, AT, code, size, &packed);
	if (r < 0) {
		if (r != -ENOTSUP || machine != EM_RISCV || packed.len)
			abort();
	} else {
		d = disassembly_unpack(packed.bytes, packed.len, AT, size);
		if (!d || (size && !d->nr))
			abort();
	}
	disassembly_free(d);
	strbuf_deinit(&packed);
	free(code);
	return 0;
}
