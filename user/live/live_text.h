/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables and what is known of their samples as lines of text, for a screen of some width or for a
 * file.  Columns that a narrow screen can do without are left out, and names are cut to fit.
 */
#ifndef EDDY_LIVE_LIVE_TEXT_H
#define EDDY_LIVE_LIVE_TEXT_H

#include "live/live_table.h"

/* How busy a CPU was: samples that were not of the idle task. */
struct live_cpu {
	uint32_t cpu;
	double busy_percent; /* negative: not known, none was taken */
};

/* What stands above a table. */
struct live_status {
	const char *source; /* "cpu-clock, 99 Hz", or the file; escaped here */
	const char *unit;   /* what a count is, where it is not a sample; NULL */
	struct live_account sum;
	uint64_t samples;    /* 100 %; whole ones, rounded */
	double half_life_s;  /* older samples count half after so long; 0: all count whole */
	uint64_t left_out;   /* by the passes */
	size_t at, nr;	     /* the window is the at-th of nr; nr 0: it is the last of a run */
	uint64_t nr_dropped; /* intervals that memory had no room for */
	bool is_live;
	const struct live_cpu *cpus; /* of the last interval; nr_cpus 0: not known */
	size_t nr_cpus;
	const char *blind; /* what the event cannot see; NULL: nobody knows */
};

/* Those that every table has, and those that there is more room for on a screen. */
enum { LIVE_STATUS_LINES = 3, LIVE_MORE_STATUS_LINES = 5 };
/* Line i of them, at most `width` columns (0: any); nothing but spaces and text; "": none. */
void live_status_line(const struct live_status *s, size_t i, size_t width, struct strbuf *to);

struct live_layout {
	bool columns[LIVE_MAX_VALUES], texts[LIVE_MAX_TEXTS]; /* those that are shown */
	int widths[LIVE_MAX_VALUES], text_widths[LIVE_MAX_TEXTS];
	size_t name_at; /* the column of the screen that names begin at */
	size_t width;	/* of the screen; 0: any */
};

/* How the table fits into a width; 0: all columns, no name is cut. */
void live_layout_find(const struct live_table *t, size_t width, struct live_layout *ret_layout);
/* Titles of the columns, and of a row: what stands before the name, and the name. */
void live_layout_titles(const struct live_table *t, const struct live_layout *l,
			struct strbuf *before, struct strbuf *name);
void live_layout_row(const struct live_table *t, const struct live_layout *l, size_t row,
		     struct strbuf *before, struct strbuf *name);

/* All of it as lines, with a line about rows that are not there; is_ascii: "~" for the ellipsis. */
void live_text_write(FILE *out, const struct live_status *s, const struct live_table *t,
		     size_t width, bool is_ascii);

#endif
