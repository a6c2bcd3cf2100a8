/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views of `eddy top` as data: rows of numbers and names, and the columns that say what they
 * are.  Nothing here knows of a terminal.  The numbers are those of `eddy report`, from the same
 * call graph, call tree and rows of interrupts.
 */
#ifndef EDDY_LIVE_LIVE_TABLE_H
#define EDDY_LIVE_LIVE_TABLE_H

#include "analysis/calltree.h"
#include "live/live_folds.h"
#include "live/live_window.h"
#include "util/strbuf.h"

enum live_view {
	LIVE_FUNCTIONS, /* what `report --view flat` shows */
	LIVE_TREE,	/* --view tree */
	LIVE_CALLS,	/* the callers of one function, itself, its callees: --view arcs */
	LIVE_CYCLES,	/* --view cycles */
	LIVE_IRQ,	/* --view irq */
	LIVE_PROCESSES, /* the base frames */
	LIVE_FLAME,	/* boxes of a flame graph: live/live_flame.h */
	LIVE_MODULES,	/* what the functions are in */
	LIVE_THREADS,	/* base frames of threads, where there are */
	NR_LIVE_VIEWS
};
extern const char *const live_view_names[NR_LIVE_VIEWS]; /* "functions", ... */

enum { LIVE_MAX_VALUES = 6, LIVE_MAX_TEXTS = 3 };
#define LIVE_NO_VALUE UINT64_MAX
#define LIVE_MAX_ZOOM 512 /* frames */

enum live_kind {
	LIVE_COUNT,   /* as it is */
	LIVE_NUMBER,  /* the same, a name rather than an amount: the smallest first */
	LIVE_SAMPLES, /* weights of samples: in parts of one, as the table says */
	LIVE_PERCENT, /* samples, shown as a share of the table's total */
	LIVE_CENTI,   /* hundredths of a percent */
};

/* A column of numbers, or (the texts, behind them) of words; the name stands behind all. */
struct live_column {
	const char *title;
	uint8_t width;
	uint8_t kind; /* enum live_kind */
	/* Columns that a narrow screen can do without go first, the largest number first. */
	uint8_t spare;
};

struct live_row {
	uint64_t key; /* the same row has it in the next table of this view and generation */
	uint64_t values[LIVE_MAX_VALUES];
	size_t texts[LIVE_MAX_TEXTS], name; /* in the table's text; 0: see live_table_name() */
	uint32_t level;			    /* of a tree: how far the name is indented */
	frame_id frame;			    /* the function; FRAME_NONE: the row is about none */
	uint64_t at;			    /* of a box: samples to the left of it */
	uint8_t paint;			    /* of a box: enum flame_paint */
	bool is_head;			    /* the rows behind it are about this one */
	bool is_folded;			    /* rows below it are not shown */
	bool is_noise; /* no more samples than the row above, but for chance (95 %) */
};

struct live_table {
	enum live_view view;
	const struct live_column *columns, *texts;
	size_t nr_columns, nr_texts;
	const char *name_title;
	struct live_row *rows;
	size_t nr, cap;
	size_t nr_all;	     /* rows before --limit, filters and minimum */
	uint64_t generation; /* of the window: keys of rows are of one */
	uint64_t total;	     /* samples: 100 % */
	uint64_t across;     /* of a flame graph: those that are as wide as the screen */
	size_t sorted;	     /* what rows are sorted by: live_table_nr_sorts() */
	uint32_t parts;	     /* what a weight of 1 is of a sample: 1, or LIVE_DECAY_PARTS */
	bool is_inverted;    /* the other way round */
	struct frame_table *frames;
	char *title; /* what the table is about, beyond the view's name; NULL: nothing */
	struct strbuf text;
};

struct live_choice {
	enum live_view view;
	const char *of;	   /* of LIVE_CALLS: the function, a name or glob; NULL: of_frame */
	frame_id of_frame; /* FRAME_NONE: the hottest by self */
	size_t sort;	   /* so many steps from what the view is sorted by of itself */
	enum collapse_degree degree; /* of the tree */
	double min_percent;	     /* of the tree: rows below are summed up */
	size_t limit;		     /* rows; 0: all */
	const char *filter;	     /* names must hold it; NULL, "": all */
	const char *module;	     /* functions of this one alone; NULL: all */
	bool hide_kernel, hide_user, is_inverted;
	const struct live_folds *tasks; /* of LIVE_PROCESSES; NULL: nothing is folded */
	const struct live_folds *folds; /* of LIVE_TREE; NULL: nothing is folded */
	const frame_id *zoom; /* of LIVE_FLAME: what is under these frames alone, outermost first */
	size_t nr_zoom;
	size_t columns; /* of LIVE_FLAME: boxes that are narrower are left out; 0: 200 */
};

/* What is kept from one table to the next, so that only what is new is work. */
struct live_analysis;
struct live_analysis *live_analysis_new(void);
void live_analysis_free(struct live_analysis *a); /* NULL is fine */
DEFINE_FREE(live_analysis, struct live_analysis *, live_analysis_free)
#define _cleanup_live_analysis_ _cleanup_(live_analysis_freep)

/*
 * The table of what the window looks at.  0, or -errno with a diag: no such function (-ENOENT,
 * -ENOTUNIQ), numbers beyond 64 bits.  ret_table is overwritten; live_table_deinit() it.
 */
int live_table_make(struct live_analysis *a, const struct live_window *w,
		    const struct live_choice *choice, struct live_table *ret_table,
		    struct diag *ret_diag);
void live_table_deinit(struct live_table *t); /* zero-filled is fine */
#define _cleanup_live_table_ _cleanup_(live_table_deinit)

/* Must the passes leave recursion in the stacks for this view? */
unsigned int live_view_pipeline_flags(enum live_view view);
/* Is it about tasks?  Then the passes must leave their PIDs in the base frames. */
bool live_view_is_of_tasks(enum live_view view);
/* Are the views made of stacks after the same passes? */
bool live_views_share_passes(enum live_view a, enum live_view b);

/*
 * What rows can be sorted by: the columns of numbers, of texts, and the name; 0: by nothing, the
 * order is what is shown.  Only siblings are, each below its parent.
 */
size_t live_table_nr_sorts(const struct live_table *t);
/* What it is called that they are sorted by. */
const char *live_table_sorted_by(const struct live_table *t);

/*
 * Adds the name of a row, or one of its texts, escaped for a terminal.  Those of functions are made
 * here: there may be many of which few are looked at.
 */
void live_table_name(const struct live_table *t, const struct live_row *row, struct strbuf *to);
void live_table_text(const struct live_table *t, const struct live_row *row, size_t text,
		     struct strbuf *to);
/* Adds a number of a row as its column shows it; nothing where there is none. */
void live_table_value(const struct live_table *t, const struct live_row *row, size_t column,
		      struct strbuf *to);

#endif
