/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call trees in which recursion is collapsed, in one of four degrees. */
#ifndef EDDY_ANALYSIS_CALLTREE_H
#define EDDY_ANALYSIS_CALLTREE_H

/* How much recursion is folded: each degree's chains are no longer than those of the one before. */
enum collapse_degree {
	COLLAPSE_NONE,	       /* nothing: the trie of the stacks */
	COLLAPSE_DIRECT,       /* a function calling itself */
	COLLAPSE_CONSERVATIVE, /* every return to a function that loses no name of the chain */
	COLLAPSE_FULL,	       /* every return to a function that stands in the chain */
	NR_COLLAPSE_DEGREES
};

#endif
