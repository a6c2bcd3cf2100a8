/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two times compared, for people, for programs and for flame graphs: one order of rows, three ways
 * to write them.
 */
#ifndef EDDY_OUTPUT_DIFF_VIEW_H
#define EDDY_OUTPUT_DIFF_VIEW_H

#include <stdio.h>

#include "analysis/diff.h"
#include "util/diag.h"
#include "util/strbuf.h"

#define DIFF_CONFIDENCE	      0.95 /* of the intervals */
#define DIFF_TEXT_MIN_PERCENT 0.5

/* By what rates are taken. */
enum diff_per {
	DIFF_PER_DUE, /* samples that were due: the machine's time */
	DIFF_PER_CPU, /* nothing but the work that was done: CPU time of one side by the other's */
	DIFF_PER_SHARE, /* all samples of the side */
};
#define NR_DIFF_PERS 3
extern const char *const diff_per_names[NR_DIFF_PERS];

/* What samples stand for. */
enum diff_unit { DIFF_SAMPLES, DIFF_EVENTS, DIFF_SECONDS };

struct diff_base {
	enum diff_per per;
	bool is_asked;		    /* for; else it was chosen by how the sides were captured */
	bool has_work;		    /* work was given */
	bool is_due_known;	    /* of both sides */
	double work[NR_DIFF_SIDES]; /* that was done; 1 and 1 */
	enum diff_unit unit;	    /* that both sides have, */
	double of_sample[NR_DIFF_SIDES]; /* and how much of it is a sample */
	double due_units[NR_DIFF_SIDES];
	bool has_command[NR_DIFF_SIDES]; /* captured while a command ran */
};

struct diff_opts {
	bool is_stacks;	    /* a row a stack; else a function */
	bool by_inclusive;  /* functions sorted by their inclusive change; else by self */
	double level;	    /* of false discoveries */
	double min_percent; /* rows below it on both sides are left out; negative: the default */
	size_t limit;	    /* rows; 0: all */
	size_t width;	    /* of the terminal; 0: names are not cut */
	bool colour;
	bool ascii;	    /* the terminal knows no UTF-8 */
	bool no_annotate;   /* folded frames without their suffix */
	bool is_normalized; /* folded: counts before as if as much had been due as after */
	struct diff_base base;
	const char *names[NR_DIFF_SIDES]; /* what was compared, for people */
};

struct diff_view {
	const struct diff *diff;
	const struct diff_opts *opts;
	struct diff_rows rows;
	size_t *order;	    /* of rows: marked ones first, then by how much they changed */
	struct strbuf name; /* scratch of diff_view_name() */
};

/*
 * Tests and sorts all rows.  Overwrites *v; d and opts must outlive it.  diff_view_deinit() it,
 * which leaves nothing that can be used.
 */
void diff_view_init(struct diff_view *v, const struct diff *d, const struct diff_opts *opts);
void diff_view_deinit(struct diff_view *v);
#define _cleanup_diff_view_ __attribute__((cleanup(diff_view_deinit)))

/* The number that rows are sorted by, and the other one (NULL for stacks). */
const struct diff_number *diff_view_main(const struct diff_view *v, const struct diff_row *row);
const struct diff_number *diff_view_other(const struct diff_view *v, const struct diff_row *row);
/* May it be believed at the level? */
bool diff_view_is_marked(const struct diff_view *v, const struct diff_number *n);
/*
 * A rate as a percentage: of what was due, of all samples of the side, or, by CPU time, of all that
 * was used before (after, when that was nothing): then those of both sides are of one thing.
 */
double diff_view_percent(const struct diff_view *v, const struct diff_number *n,
			 enum diff_side side);
double diff_view_change(const struct diff_view *v, const struct diff_number *n);
/* The rate that is 100 %. */
double diff_view_whole(const struct diff_view *v);
/* All of a side by its exposure. */
double diff_view_total(const struct diff_view *v, enum diff_side side);
/* Function or stack as in folded text; valid until the next call. */
const char *diff_view_name(struct diff_view *v, const struct diff_row *row);

/* How CPU time is written: in which unit, times what, with how many decimals. */
struct diff_scale {
	const char *unit;
	double by;
	int decimals;
};
struct diff_scale diff_scale_of(const struct diff_view *v);

/* Parts of the text: the totals, what rates are taken by, how they were tested. */
void diff_totals_write(FILE *out, const struct diff_view *v);
void diff_base_write(FILE *out, const struct diff_view *v);
void diff_test_write(FILE *out, const struct diff_view *v);
void diff_level_write(FILE *out, const struct diff_view *v);

/* A table, the largest believed change first, and below it what the numbers mean. */
void diff_text_write(FILE *out, struct diff_view *v);
/*
 * before after percent_before percent_after change ratio low high dispersion p q mark kind name
 * per seconds_before seconds_after: two rows a function (kind inclusive and self), one a stack
 * (kind stack).
 */
void diff_tsv_write(FILE *out, struct diff_view *v);
/*
 * "stack before after", a line a stack, sorted bytewise: what FlameGraph's difffolded.pl writes and
 * its flamegraph.pl draws.
 */
int diff_folded_write(FILE *out, const struct diff *d, const struct diff_opts *opts,
		      struct diag *ret_diag);

#endif
