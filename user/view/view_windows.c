// SPDX-License-Identifier: GPL-2.0-or-later
/* The view `windows`: a line a window, so that "what was it at 03:12" is one command. */
#include <inttypes.h>
#include <string.h>

#include "view/views.h"
#include "load/windows.h"
#include "util/strbuf.h"
#include "util/text_width.h"
#include "util/time_point.h"

#define START_COLUMNS 20 /* of a time */
#define HOST_COLUMNS  12
#define NARROW	      60 /* columns below which a line has its time, busy share and functions */
#define WIDE	      100

static size_t rows_shown(const struct view_args *args)
{
	const size_t nr = args->windows->nr;

	return args->limit && args->limit < nr ? args->limit : nr;
}

static bool is_narrow(const struct view_args *args)
{
	return args->width && args->width < NARROW;
}

static void write_fitting(FILE *out, const struct strbuf *line, const struct view_args *args)
{
	_cleanup_strbuf_ struct strbuf cut = STRBUF_INIT;

	/* Below that a line would have too little left: it goes on in the next one. */
	text_fit_add(&cut, line->bytes, line->len,
		     args->width && !is_narrow(args) ? args->width : SIZE_MAX, args->ascii);
	fprintf(out, "%s\n", cut.bytes);
}

static void print_tsv_row(FILE *out, const struct window_row *row)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (row->start_s)
		time_point_print(&text, row->start_s);
	strbuf_addf(&text, "\t%" PRIu64 "\t", row->seconds);
	if (row->has_json)
		strbuf_addf(&text, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", row->due, row->kept,
			    row->lost);
	else
		strbuf_addstr(&text, "\t\t\t");
	if (row->busy_percent >= 0)
		strbuf_addf(&text, "%.2f", row->busy_percent);
	strbuf_addch(&text, '\t');
	if (row->hottest[0].name)
		strbuf_addf(&text, "%s\t%" PRIu64, row->hottest[0].name, row->hottest[0].self);
	else
		strbuf_addch(&text, '\t');
	fprintf(out, "%s\n", text.bytes);
}

static int render_tsv(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	(void)ret_diag;
	fputs("start\tseconds\tdue\tkept\tlost\tbusy_percent\thottest\thottest_self\n", out);
	for (size_t i = 0; i < rows_shown(args); i++)
		print_tsv_row(out, &args->windows->rows[i]);
	return 0;
}

static void add_host(struct strbuf *line, const char *host, bool ascii)
{
	const size_t from = line->len;

	strbuf_addstr(line, "  ");
	text_fit_add(line, host, strlen(host), HOST_COLUMNS, ascii);
	strbuf_addf(line, "%*s",
		    2 + HOST_COLUMNS - (int)text_width(line->bytes + from, line->len - from), "");
}

/* With hosts beside them, the lengths of windows and what was kept leave no room for functions. */
static bool is_short(const struct view_args *args)
{
	return is_narrow(args) ||
	       (args->width && args->width < WIDE && args->windows->nr_hosts > 1);
}

/* One line, whatever functions are called. */
static void print_text_row(FILE *out, const struct window_row *row, const struct view_args *args)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	if (row->start_s)
		time_point_print(&line, row->start_s);
	strbuf_addf(&line, "%*s", START_COLUMNS - (int)line.len, "");
	if (args->windows->nr_hosts > 1)
		add_host(&line, row->host ? row->host : "", args->ascii);
	if (!is_short(args))
		strbuf_addf(&line, " %6" PRIu64, row->seconds);
	if (row->busy_percent >= 0)
		strbuf_addf(&line, " %7.2f", row->busy_percent);
	else
		strbuf_addf(&line, " %7s", "?");
	if (!is_short(args) && row->has_json)
		strbuf_addf(&line, " %9" PRIu64, row->kept);
	else if (!is_short(args))
		strbuf_addf(&line, " %9s", "?");
	if (!is_narrow(args) && row->has_json)
		strbuf_addf(&line, " %9" PRIu64, row->lost);
	else if (!is_narrow(args))
		strbuf_addf(&line, " %9s", "?");
	strbuf_addch(&line, ' ');
	for (size_t k = 0; k < WINDOW_HOTTEST && row->hottest[k].name; k++)
		strbuf_addf(&line, "%s %s %.1f %%", k ? "," : "", row->hottest[k].name,
			    100.0 * (double)row->hottest[k].self / (double)row->total);
	write_fitting(out, &line, args);
}

static int render_text(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT;

	(void)ret_diag;
	strbuf_addf(&head, "%-*s", START_COLUMNS, "start");
	if (args->windows->nr_hosts > 1)
		strbuf_addf(&head, "  %-*s", HOST_COLUMNS, "host");
	if (is_narrow(args))
		strbuf_addf(&head, " %7s  hottest", "busy %");
	else if (is_short(args))
		strbuf_addf(&head, " %7s %9s  hottest functions", "busy %", "lost");
	else
		strbuf_addf(&head, " %6s %7s %9s %9s  hottest functions by self", "sec", "busy %",
			    "kept", "lost");
	write_fitting(out, &head, args);
	for (size_t i = 0; i < rows_shown(args); i++)
		print_text_row(out, &args->windows->rows[i], args);
	return 0;
}

static const struct view_format formats[] = {
	{ "text", render_text, .unused = 0 },
	{ "tsv", render_tsv, ".tsv", .unused = 0 },
	{ 0 },
};

const struct view view_windows = {
	.name = "windows",
	.summary = "of snapshots: each window, how busy and with what",
	.formats = formats,
	.options = VIEW_LIMIT | VIEW_WINDOWS,
	.collapse = COLLAPSE_NONE,
};
