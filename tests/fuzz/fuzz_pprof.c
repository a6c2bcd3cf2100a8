// SPDX-License-Identifier: GPL-2.0-or-later
/* pprof, whether it would be recognised as such or not; the first byte is options. */
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
	const uint32_t pid = 1;
	struct input_unit unit = { .is_count = true };

	if (!f || source_new(f, "in", 1 << 24, &source, &diag) < 0)
		return 0;
	r.source = source;
	r.max_memory_bytes = 1 << 24;
	r.opts = (struct input_opts){ .max_input_bytes = 1 << 24,
				      .max_nodes = 1 << 18,
				      .root = BASE_FRAMES_OF((bytes[0] >> 2) % NR_BASE_FRAMES),
				      .event = bytes[0] & 1 ? "cpu" : NULL,
				      .pids = &pid,
				      .nr_pids = bytes[0] & 2 ? 1 : 0,
				      .ret_remark = &remark,
				      .ret_unit = &unit };
	if (pprof_reader.read(&r) < 0 && !*diag.text)
		abort();
	return 0;
}
