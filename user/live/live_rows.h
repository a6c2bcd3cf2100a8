/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makers of tables, one a view (live_table.c calls them), and what they share (live_order.c). */
#ifndef EDDY_LIVE_LIVE_ROWS_H
#define EDDY_LIVE_LIVE_ROWS_H

#include "analysis/callgraph.h"
#include "live/live_table.h"

struct live_analysis {
	uint64_t generation; /* of the window that the rest is made of */
	struct callgraph *callgraph;
	struct calltree *tree; /* NULL: not asked for yet */
	enum collapse_degree degree;
};

/* A row without values; valid until the next one is added. */
struct live_row *live_row_add(struct live_table *t, uint64_t key);
/* A text, escaped; where it stands. */
size_t live_text_add(struct live_table *t, const char *bytes, size_t len);
/* A function's name behind its mark: "[k] vfs_read". */
size_t live_name_add(struct live_table *t, frame_id id);

/* Does the choice hide this function's row? */
bool live_row_is_hidden(const struct live_choice *c, const struct frame_table *frames, frame_id id);
/* The larger or the smallest value stands first; what is none, last. */
int live_value_compare(uint64_t x, uint64_t y, bool smallest_first);
/* Most in the column first; of equal ones by another number, then by name. */
void live_rows_sort(struct live_table *t, struct live_row *rows, size_t nr, const struct graph *g,
		    size_t column);
/* The column of the flat table's choice where that is one of numbers; else its first one. */
size_t live_rows_number_column(const struct live_table *t, const struct live_choice *c);
/*
 * Sorts a table that its maker has sorted by t->sorted as the choice says, each row below the one
 * that it is below; equal ones stay as they were.
 */
void live_table_sort(struct live_table *t, const struct live_choice *c);
/* Marks the rows that differ from the one above by no more than chance, in t->sorted. */
void live_rows_mark_noise(struct live_table *t);
/* Only so many rows, the first ones; 0: all.  nr_all stays. */
void live_rows_cut(struct live_table *t, size_t limit);

/*
 * A maker fills a table that live_table_make() has begun with the columns and rows of its view, but
 * for those that the choice hides or filters out; none where there is nothing to show.  raw: stacks
 * before the passes, shown: behind them.  Those with a result: 0, or -errno with a diag; the table
 * is the caller's to release either way.
 */
void live_functions_rows(const struct live_analysis *a, const struct frame_table *frames,
			 const struct live_choice *c, struct live_table *t);
int live_calls_rows(const struct live_analysis *a, const struct profile *shown,
		    const struct live_choice *c, struct live_table *t, struct diag *ret_diag);
void live_cycles_rows(const struct live_analysis *a, struct live_table *t);
void live_processes_rows(const struct live_analysis *a, const struct frame_table *frames,
			 const struct live_choice *c, struct live_table *t);
int live_modules_rows(const struct profile *shown, const struct live_choice *c,
		      struct live_table *t, struct diag *ret_diag);
/* A function's module, or what it is in where that is not known; it lives as long as the table. */
const char *live_module_of(const struct frame_table *frames, frame_id id, size_t *ret_len);
void live_tree_rows(struct live_analysis *a, const struct profile *shown,
		    const struct live_choice *c, struct live_table *t);
void live_irq_rows(const struct profile *raw, struct live_table *t);

#endif
