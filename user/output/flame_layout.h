/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph without its picture: what stands where.  Siblings stand in the order of their
 * texts, a box begins where its caller's does or where the sibling before it ends, and what a
 * function has for itself is to the right of what it calls.
 */
#ifndef EDDY_OUTPUT_FLAME_LAYOUT_H
#define EDDY_OUTPUT_FLAME_LAYOUT_H

#include "output/frame_texts.h"
#include "output/writer.h"

enum flame_paint {
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_INTERRUPT, /* the kernel's, in an interrupt */
	FLAME_JIT,
	FLAME_INLINED,
	FLAME_BASE, /* a process or a mark: no function */
	NR_FLAME_PAINTS
};

struct flame_layout {
	const struct profile *p; /* that of the caller or, with equal texts merged, its own */
	struct profile *merged;
	struct frame_texts texts;
	uint64_t *at, *sum; /* by node: where it begins and how wide it is, in samples */
	uint32_t *depth;
	uint8_t *paint; /* enum flame_paint */
};

/* keeps_nodes: frames of one text stay apart, so that node numbers are those of p. */
void flame_layout_init(struct flame_layout *l, const struct profile *p,
		       const struct writer_opts *opts, bool keeps_nodes);
void flame_layout_deinit(struct flame_layout *l);
#define _cleanup_flame_layout_ __attribute__((cleanup(flame_layout_deinit)))

/* A node's text, not NUL-terminated; the root's is "all". */
const char *flame_layout_text(const struct flame_layout *l, node_id node, size_t *ret_len);

#endif
