/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The windows that a page's stacks come from, so that it can show any range of them: of each what
 * it has of every stack.  There is room for HTML_MAX_CELLS such numbers in HTML_MAX_SLOTS slots;
 * of more, neighbouring windows share a slot, twice as many each time the room is full.
 */
#ifndef EDDY_OUTPUT_HTML_WINDOWS_H
#define EDDY_OUTPUT_HTML_WINDOWS_H

#include "output/html_data.h"
#include "output/html_fit.h"

#define HTML_MAX_CELLS ((size_t)2000000)
#define HTML_MAX_SLOTS ((size_t)2000)

/* What is known of a window, or of those in a slot together. */
struct html_slot {
	int64_t start_s; /* since 1970 */
	uint64_t seconds;
	uint64_t nr_windows;
	uint64_t nr_untold;		/* of them: what follows is not known of these */
	uint64_t due, busy, kept, lost; /* busy: taken while something ran */
	size_t nr_cells;
};

struct html_cell {
	node_id node;
	uint64_t count;
};

struct html_windows {
	struct profile *stacks; /* all of them; its frame table is that of what is added */
	bool *is_base;		/* by node: no function */
	size_t cap_bases;
	struct html_slot *slots;
	size_t nr, cap;
	struct html_cell *cells; /* slot by slot */
	size_t nr_cells, cap_cells;
	size_t per_slot; /* windows */
	size_t max_cells, max_slots;
};

struct html_windows *html_windows_new(size_t max_cells, size_t max_slots);
void html_windows_free(struct html_windows *w); /* NULL is fine */
DEFINE_FREE(html_windows, struct html_windows *, html_windows_free)
#define _cleanup_html_windows_ _cleanup_(html_windows_freep)

/*
 * The next window in the order of time: its stacks after the passes; is_base: by node.  -EOVERFLOW
 * when counts add up to more than a profile holds.
 */
int html_windows_add(struct html_windows *w, const struct html_slot *about, const struct profile *p,
		     const bool *is_base);
/* Into the sections of the tree that was made of `fit`, which was made of w->stacks. */
void html_windows_write(const struct html_windows *w, const struct html_fit *fit,
			struct html_tree *t);

#endif
