/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sample of `perf script` text on its way into a profile: the base frame, then its frames. */
#ifndef EDDY_INPUT_PERF_STACK_H
#define EDDY_INPUT_PERF_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/perf_line.h"
#include "input/reader.h"
#include "util/strbuf.h"

struct perf_stack {
	struct reading *r;
	frame_id bases[BASE_FRAMES_MAX];
	size_t nr_bases;
	frame_id *frames; /* innermost first */
	size_t nr, cap;
	bool has_user;	/* of these one is user code */
	frame_id *path; /* scratch: outermost first */
	node_id *nodes;
	size_t cap_path;
	struct strbuf name;  /* scratch */
	uint64_t nr_unknown; /* samples that do not say what the base frame is made of */
};

void perf_stack_init(struct perf_stack *s, struct reading *r);
void perf_stack_deinit(struct perf_stack *s);

/* A sample begins: the base frames that the options ask for. */
void perf_stack_begin(struct perf_stack *s, const struct perf_header *h);
/* The same for one that has frames already. */
void perf_stack_set_base(struct perf_stack *s, const struct perf_header *h);
/*
 * The first thing that the base frames are made of which the options ask for, and that not every
 * sample says: "pid", "tid" or "cpu", as perf and pprof call it.  NULL: there is none.
 */
const char *perf_stack_need(const struct perf_stack *s);
void perf_stack_push(struct perf_stack *s, const struct perf_frame *frame);
/* Frames that are interned already, innermost first. */
void perf_stack_push_ids(struct perf_stack *s, const frame_id *frames, size_t nr);
/* Takes all frames off again. */
void perf_stack_drop_frames(struct perf_stack *s);
/* The sample is added; -EOVERFLOW when the counts add up to too much. */
int perf_stack_add(struct perf_stack *s, uint64_t weight);

#endif
