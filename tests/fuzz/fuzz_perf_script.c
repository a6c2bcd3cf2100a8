// SPDX-License-Identifier: GPL-2.0-or-later
/* `perf script` text, whether it would be recognised as such or not; the first byte is options. */
#include <stdio.h>
#include <stdlib.h>

#include "input/reader.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_(source_freep) struct source *source = NULL;
	_cleanup_fclose_ FILE *f = len > 1 ? fmemopen((void *)(bytes + 1), len - 1, "r") : NULL;
	struct diag diag = { "" }, remark = { "" };
	struct reading r = { .name = "in", .into = p, .ret_diag = &diag };

	if (!f || source_new(f, "in", 1 << 24, &source, &diag) < 0)
		return 0;
	r.source = source;
	r.opts = (struct input_opts){ .max_input_bytes = 1 << 24,
				      .max_nodes = 1 << 20,
				      .by_period = bytes[0] & 1,
				      .root = BASE_FRAMES_OF(bytes[0] >> 2 & 3),
				      .event = bytes[0] & 2 ? "cycles" : NULL,
				      .ret_remark = &remark };
	if (perf_script_reader.read(&r) < 0 && !*diag.text)
		abort();
	return 0;
}
