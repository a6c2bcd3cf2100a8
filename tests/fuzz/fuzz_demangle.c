// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a mangled name: bounded in time and in size. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"
#include "util/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = xmemdup0(data, size);
	struct strbuf to = STRBUF_INIT;

	strbuf_addstr(&to, "kept");
	if (demangle(name, &to) ? to.len <= 4 : to.len != 4)
		abort();
	if (to.len > 4 + 16384 || memcmp(to.bytes, "kept", 4))
		abort();
	strbuf_deinit(&to);
	free(name);
	return 0;
}
