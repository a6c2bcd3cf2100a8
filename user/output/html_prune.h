/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees that are too large for a page: the lightest subtrees become frames [left out]. */
#ifndef EDDY_OUTPUT_HTML_PRUNE_H
#define EDDY_OUTPUT_HTML_PRUNE_H

#include "profile/profile.h"

/* What did not fit. */
struct html_left_out {
	size_t nodes;
	uint64_t samples;   /* that end in one of these */
	uint64_t threshold; /* nodes with as many samples are all there */
};

/*
 * The same stacks in at most max_nodes nodes: subtrees of few samples become one frame [left out]
 * under their caller, so that counts add up.  NULL when all have room.
 */
struct profile *html_prune(const struct profile *p, size_t max_nodes,
			   struct html_left_out *ret_left_out);
/*
 * Where the nodes of `p` went in what html_prune() made of it: to[n], with profile_nr_nodes(p)
 * elements, of nodes with samples.
 */
void html_prune_nodes(const struct profile *p, const struct profile *pruned,
		      const struct html_left_out *left_out, node_id *to);
/* Is it the frame that stands for them? */
bool html_is_left_out(const struct frame_table *frames, frame_id frame);

#endif
