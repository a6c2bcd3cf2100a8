/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a page is about, as columns that pack well and that a script reads without a parser: the
 * nodes of a tree in preorder, siblings by their text.  page/data.js reads it back.
 *
 *	4 bytes, little endian, for each of HTML_NR_SECTIONS: its length; then the sections
 */
#ifndef EDDY_OUTPUT_HTML_DATA_H
#define EDDY_OUTPUT_HTML_DATA_H

#include "profile/profile.h"
#include "util/strbuf.h"

/* Numbers are LEB128, least significant seven bits first. */
enum html_section {
	HTML_META,	   /* a JSON object: what is known besides the account */
	HTML_ACCOUNT,	   /* the `.json` of the capture; empty: there is none */
	HTML_NAMES,	   /* texts of the functions by rank, a newline behind each */
	HTML_KINDS,	   /* of each function a byte, enum html_kind */
	HTML_NAME_MODULES, /* of each function the number of its module from 1; 0: not known */
	HTML_MODULES,	   /* texts, a newline behind each */
	HTML_LEVELS,	   /* of each node: level of the node before + 1 - its own level */
	HTML_FUNCTIONS,	   /* of each node: number of its function from 0 */
	HTML_SELVES,	   /* of each node: samples that end there */
	/* Of two sides, which SELVES has the second of; else empty: */
	HTML_BEFORE,	     /* of each node: samples before */
	HTML_TESTS,	     /* of node 0 and each node a byte, enum html_test */
	HTML_FUNCTION_TESTS, /* of each function two bytes, of its inclusive and own samples */
	HTML_ACCOUNT_BEFORE, /* the `.json` of that side */
	/* Of windows, by slot (output/html_windows.c); else empty: */
	HTML_WINDOWS, /* 11 numbers, see add_window() */
	HTML_CELLS,   /* for each stack in it: number of its node less the one before, samples */
	/* Of a timeline (output/html_timeline.c); else empty: */
	HTML_TIMES, /* of each slot that has stacks: its number less the one before, see there */
	HTML_NR_SECTIONS
};

/* What the test of a change said (analysis/diff.h). */
enum html_test {
	HTML_UNTESTED, /* too few samples */
	HTML_UNMARKED, /* it may be chance */
	HTML_MARKED,
};

enum html_kind {
	HTML_USER,
	HTML_KERNEL,
	HTML_JIT,
	HTML_INLINED,
	HTML_BASE,     /* whose stack it is, or a mark */
	HTML_LEFT_OUT, /* stands for nodes that the page has no room for */
};

/* Of a larger tree the lightest nodes are left out, so that a browser can hold it. */
#define HTML_MAX_NODES ((size_t)1000000)

/* The functions of a page, by rank: their texts rise bytewise. */
struct html_functions {
	frame_id *by_rank;
	size_t nr;
	uint32_t *rank; /* by frame_id; UINT32_MAX: not used */
};

struct html_tree {
	const struct profile *profile;
	node_id *order; /* the nodes with a sum, in preorder; siblings by rank */
	size_t nr;
	struct html_functions functions;
	struct strbuf sections[HTML_NR_SECTIONS];
};

/*
 * The nodes of `p` whose sums (by node) are not 0 become a tree with all its sections but META,
 * ACCOUNT and SELVES.  The profile must outlive it.
 */
void html_tree_init(struct html_tree *t, const struct profile *p, const uint64_t *sums,
		    bool no_annotate);
void html_tree_deinit(struct html_tree *t);
#define _cleanup_html_tree_ __attribute__((cleanup(html_tree_deinit)))

/* Adds a column: values by node. */
void html_tree_add_values(struct html_tree *t, enum html_section to, const uint64_t *values);
/* The same of bytes. */
void html_tree_add_bytes(struct html_tree *t, enum html_section to, const uint8_t *values);
void html_number_add(struct strbuf *sb, uint64_t value);

#endif
