/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the samples of a page were taken, for its heat map; page/timeline.js reads it back. */
#ifndef EDDY_OUTPUT_HTML_TIMELINE_H
#define EDDY_OUTPUT_HTML_TIMELINE_H

#include "output/html_data.h"
#include "output/html_fit.h"
#include "profile/timeline.h"
#include "util/json.h"

/*
 * Into the section of the tree that was made of `fit`, and what is known of all slots to the META
 * object.  t: of the nodes that are followed in p, which `fit` was made of.  Of more than
 * HTML_MAX_CELLS the slots become longer.
 */
void html_timeline_write(const struct timeline *t, const struct profile *p,
			 const struct html_fit *fit, struct html_tree *tree, struct json *meta);

#endif
