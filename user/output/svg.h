/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph for documents: SVG 1.1 without scripts, fonts or anything from elsewhere; callers
 * below, what they call above.  It is as wide as the names of its larger boxes need, within
 * bounds, and as high as its stacks are deep.  What is too small to be seen is left out, and that
 * is said in the picture.  Names that do not fit are cut; whole they stand in the title of their
 * box, which browsers show on hover, with the numbers.
 */
#ifndef EDDY_OUTPUT_SVG_H
#define EDDY_OUTPUT_SVG_H

#include "output/flame_layout.h"
#include "output/writer.h"

#define SVG_MAX_ROWS  1000
#define SVG_MAX_BOXES 50000

#define SVG_MAX_PAINTS 8

extern const struct writer svg_writer;

struct svg_paint {
	const char *name, *fill; /* for the legend; a colour of SVG */
};

/* What a picture says besides where boxes are. */
struct svg_style {
	const struct svg_paint *paints;
	size_t nr_paints; /* at most SVG_MAX_PAINTS */
	/* Index of a node's paint; the node is the profile's own where keeps_nodes. */
	size_t (*paint_of)(const void *ctx, const struct flame_layout *l, node_id node);
	/* The line below a box's name, on hover. */
	void (*put_facts)(FILE *to, const void *ctx, const struct flame_layout *l, node_id node);
	const void *ctx;
	const char *title;   /* "12 samples": UTF-8 without control characters */
	const char *counted; /* what the widths are of: "samples" */
	bool keeps_nodes;    /* frames of one text stay apart */
};

/* Boxes are as wide as the sums of `p`. */
void svg_picture_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
		       const struct svg_style *style);

#endif
