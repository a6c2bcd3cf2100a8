/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function by instruction while somebody looks at it.  Of stacks that come in its places alone
 * are kept, so memory is bounded by the function's length.
 */
#ifndef EDDY_TOP_TOP_ANNOTATE_H
#define EDDY_TOP_TOP_ANNOTATE_H

#include "analysis/pipeline.h"
#include "profile/profile.h"
#include "util/cleanup.h"
#include "util/diag.h"

struct top_annotation;

/* Of a function of that table; nothing is known of it yet. */
struct top_annotation *top_annotation_new(struct frame_table *frames, frame_id function,
					  bool is_clock);
void top_annotation_free(struct top_annotation *a); /* NULL is fine */
DEFINE_FREE(top_annotation, struct top_annotation *, top_annotation_free)

/* Adds what stacks with places say, after the passes.  0, or -errno with a diag of a pass. */
int top_annotation_add(struct top_annotation *a, const struct profile *stacks,
		       const struct pipeline_request *request, struct diag *ret_diag);

/* As lines for people, made anew by each call; *ret_nr of them. */
const char *const *top_annotation_lines(struct top_annotation *a, size_t *ret_nr);

#endif
