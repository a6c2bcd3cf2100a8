/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of the frames that a profile uses, in order: for outputs that show stacks by their text
 * alone, so that the same stacks give the same bytes, live or from a file.
 */
#ifndef EDDY_OUTPUT_FRAME_TEXTS_H
#define EDDY_OUTPUT_FRAME_TEXTS_H

#include <stdbool.h>

#include "profile/profile.h"
#include "util/strbuf.h"

struct frame_texts {
	struct strbuf bytes;
	size_t *at; /* where a frame's text begins in bytes; SIZE_MAX: not used */
	uint32_t *len;
	frame_id *by_rank; /* used frames, sorted by text */
	size_t nr_used;
	frame_id *same;	  /* the first frame by rank that has the same text */
	bool *has_prefix; /* by frame: another text is a proper prefix of this one */
	bool has_equal;	  /* some frames have one text */
};

void frame_texts_init(struct frame_texts *t, const struct profile *p, bool no_annotate);
void frame_texts_deinit(struct frame_texts *t);

/* Is prefix's text a proper prefix of x's? */
bool frame_texts_begins_with(const struct frame_texts *t, frame_id x, frame_id prefix);
/* The profile with one frame a text: to be made where has_equal.  profile_free() it. */
struct profile *frame_texts_merge(const struct profile *p, const struct frame_texts *t);
/*
 * By node, its first child and its next sibling in the order of texts; 0: there is none.  free()
 * both.
 */
void frame_texts_link(const struct profile *p, const struct frame_texts *t, node_id **ret_first,
		      node_id **ret_next);

#endif
