/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks as a page has them: one without frames stands as "[empty]", as in folded text, and of
 * more than HTML_MAX_NODES nodes the lightest are left out.
 */
#ifndef EDDY_OUTPUT_HTML_FIT_H
#define EDDY_OUTPUT_HTML_FIT_H

#include "output/html_data.h"
#include "output/html_prune.h"

struct html_fit {
	const struct profile *p; /* the caller's own, where all of it stays as it is */
	struct profile *owned;	 /* else: the same */
	node_id *to;		 /* by node of the caller's, where it went; NULL: nowhere else */
	uint64_t *sums;		 /* by node of p */
	struct html_left_out left_out;
};

/* max_nodes: HTML_MAX_NODES, less in tests.  The caller's profile must outlive it. */
void html_fit_init(struct html_fit *f, const struct profile *p, size_t max_nodes);
void html_fit_deinit(struct html_fit *f);
#define _cleanup_html_fit_ __attribute__((cleanup(html_fit_deinit)))

/* Where a node of the caller's with samples went. */
node_id html_fit_node(const struct html_fit *f, node_id node);
/* Adds up values of nodes of the caller's: a new column by node of p; free() it. */
uint64_t *html_fit_column(const struct html_fit *f, const uint64_t *values, size_t nr);

#endif
