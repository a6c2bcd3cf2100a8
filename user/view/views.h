/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views: what `eddy report --view NAME` can show, and in which formats.  A view is one file
 * view_NAME.c with a `const struct view view_NAME`, and one row in views.c.
 *
 *	static int render_text(const struct view_args *args, FILE *out, struct diag *ret_diag) ...
 *	static const struct view_format formats[] = { { "text", render_text }, ..., { 0 } };
 *	const struct view view_flat = { .name = "flat", .summary = "...", .formats = formats };
 */
#ifndef EDDY_VIEW_VIEWS_H
#define EDDY_VIEW_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/passes.h"
#include "profile/profile.h"
#include "util/diag.h"
#include "util/listener.h"

/* Options that only some views know; the others refuse them. */
enum view_option {
	VIEW_OF = 1 << 0,		/* --of FUNCTION (and must have it) */
	VIEW_TIME = 1 << 1,		/* --time total|self */
	VIEW_SORT = 1 << 2,		/* --sort self|inclusive */
	VIEW_PERCENT = 1 << 3,		/* --percent total|parent */
	VIEW_DEPTH = 1 << 4,		/* --depth N */
	VIEW_MIN_PERCENT = 1 << 5,	/* --min-percent X */
	VIEW_LIMIT = 1 << 6,		/* --limit N */
	VIEW_MIN_EDGE_PERCENT = 1 << 7, /* --min-edge-percent X */
	VIEW_GPROF_BLANK = 1 << 8,	/* --gprof-blank */
	VIEW_EFFECT = 1 << 9,		/* --effect */
	VIEW_SORT_BY_FIRST = 1 << 10,	/* --sort first */
	VIEW_VERBOSE = 1 << 11,		/* --verbose */
	VIEW_WINDOWS = 1 << 12,		/* no option: it is of files, each by itself */
};

enum view_sort {
	VIEW_SORT_DEFAULT,
	VIEW_SORT_SELF,
	VIEW_SORT_INCLUSIVE,
	VIEW_SORT_TOTAL, /* the same, as trees call it */
	VIEW_SORT_FIRST, /* as first seen: trees only */
};
/* What --sort calls them, from VIEW_SORT_SELF on. */
extern const char *const view_sort_names[4];

struct view;
struct windows;
struct irq_rows;
struct modules_known;

struct view_args {
	const struct view *view;       /* the one that is asked for */
	const struct profile *profile; /* after the passes */
	const struct passes *passes;
	const struct windows *windows; /* for views that have VIEW_WINDOWS; else NULL */
	enum collapse_degree collapse; /* the degree in force, for views that collapse themselves */
	const char *of;		       /* --of, as typed; NULL */
	bool time_self;		       /* --time self */
	enum view_sort sort;	       /* --sort */
	bool percent;		       /* --percent was given: percents in place of counts */
	bool percent_parent;	       /* of the parent, not of the whole */
	size_t depth;		       /* --depth; 0: no limit */
	double min_percent;	       /* --min-percent; negative: the view's own default */
	double min_edge_percent;       /* --min-edge-percent; the same */
	bool gprof_blank;	       /* --gprof-blank: blanks where gprof has them */
	bool effect;		       /* --effect: what the pass changes */
	struct irq_rows *known;	       /* of files, whom their interrupts hit; NULL */
	const struct listener *listener; /* NULL: nobody */
	const char *event;		 /* what was sampled, as far as known; NULL or "": not */
	const struct modules_known *modules; /* of files, whose their functions are; NULL */
	bool verbose;			     /* --verbose: all columns, and chains opened */
	uint8_t nr_bases; /* so many first frames of each stack say whose it is */
	bool is_short;	  /* the end of a capture: the answer on one screen */
	size_t limit;	  /* --limit; 0: no limit */
	size_t width;	  /* columns of the terminal; 0: not a terminal */
	bool colour;	  /* escape sequences are welcome */
	bool ascii;	  /* the terminal knows no UTF-8 */
	bool no_annotate; /* --no-annotate: folded frames without _[k], _[j], _[i] */
};

struct view_format {
	const char *name; /* "text", "tsv", "dot", ... */
	/* Writes the view; 0 or -errno with a diag.  Errors of `out` itself are the caller's. */
	int (*render)(const struct view_args *args, FILE *out, struct diag *ret_diag);
	const char *suffixes; /* that mean it and no other format (format_suits_path()); NULL */
	unsigned int unused;  /* enum view_option: those of the view that change nothing here */
};

struct view {
	const char *name;
	const char *summary;		   /* one line for --help */
	const struct view_format *formats; /* the first is the default; ends with { 0 } */
	unsigned int options;		   /* enum view_option */
	unsigned int pipeline_flags;   /* enum pipeline_flags: passes that the view does itself */
	enum collapse_degree collapse; /* when --collapse is not given */
};

extern const struct view view_flat, view_arcs, view_graph, view_cycles;
extern const struct view view_tree, view_callees, view_callers;
extern const struct view view_irq, view_modules, view_syscalls, view_windows;

/* The view of that name, NULL when there is none; name NULL: the default view. */
const struct view *view_find(const char *name);
/* The same for --view: 0, or -EINVAL with a diag that lists them. */
int view_choose(const char *option, const char *name, const struct view **ret_view,
		struct diag *ret_diag);
/* The format of a view; NULL when the view has no such format; name NULL: the default. */
const struct view_format *view_find_format(const struct view *view, const char *name);
/* The format of a view whose suffix the path has; NULL: it is not a view's own. */
const struct view_format *view_format_of_path(const struct view *view, const char *path);
/* "flat, tree, ...", and "text, tsv, ..." of a view, into a buffer of at least VIEW_LIST_BYTES. */
#define VIEW_LIST_BYTES 256
void view_list_names(char *buf);
void view_list_formats(const struct view *view, char *buf);
/* The table for --help. */
void views_help(FILE *to);

#endif
