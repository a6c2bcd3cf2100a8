/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading inputs from memory and asking for stacks by their text. */
#ifndef EDDY_TESTS_INPUT_READ_H
#define EDDY_TESTS_INPUT_READ_H

#include "unit/unit.h"

#include <stdio.h>

#include "input/input.h"
#include "util/strbuf.h"

static inline int read_bytes(const void *bytes, size_t len, const struct input_opts *opts,
			     struct profile *into, struct diag *diag)
{
	FILE *f = fmemopen((void *)(len ? bytes : "x"), len ? len : 1, "r");
	int r;

	assert_non_null(f);
	if (!len)
		fgetc(f);
	r = input_read(f, "in", opts, into, diag);
	fclose(f);
	return r;
}

/* What a person would call the node: its frames with suffixes, joined by ';'. */
static inline void node_text(const struct profile *p, node_id n, struct strbuf *sb)
{
	node_id path[64];
	size_t depth = 0;

	for (; n; n = profile_parent(p, n))
		path[depth++] = n;
	strbuf_reset(sb);
	while (depth--) {
		const struct frame *f =
			frame_table_get(profile_frames(p), profile_frame(p, path[depth]));

		strbuf_addf(sb, "%s%s%s", frame_table_str(profile_frames(p), f->name, NULL),
			    frame_origin_suffix(f->origin), depth ? ";" : "");
	}
}

/* The sum over all nodes with that text; their number is in *ret_nr when that is not NULL. */
static inline uint64_t weight_of(const struct profile *p, const char *stack, size_t *ret_nr)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	uint64_t sum = 0;
	size_t nr = 0;

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		node_text(p, n, &sb);
		if (strcmp(sb.bytes, stack))
			continue;
		sum += profile_self(p, n);
		nr++;
	}
	if (ret_nr)
		*ret_nr = nr;
	return sum;
}

#endif
