// SPDX-License-Identifier: GPL-2.0-or-later
/* The view `modules`. */
#include "output/module_view.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/strbuf.h"
#include "util/text_escape.h"
#include "util/text_wrap.h"

#define NARROW	      60 /* columns below which there are shares and names alone */
#define USUAL_COLUMNS 80 /* of sentences, where there is no terminal */

static size_t rows_shown(const struct module_rows *rows, size_t limit)
{
	return limit && limit < rows->nr ? limit : rows->nr;
}

static void print_name(FILE *out, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	text_escape(&text, name, strlen(name));
	fputs(text.bytes, out);
}

void module_tsv_write(FILE *out, const struct module_rows *rows, size_t limit)
{
	fputs("inclusive\tself\tmodule\tkind\n", out);
	for (size_t i = 0; i < rows_shown(rows, limit); i++) {
		const struct module_row *row = &rows->rows[i];

		fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t", row->inclusive, row->self);
		print_name(out, row->name);
		fprintf(out, "\t%s\n", module_kind_name(row->kind));
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_row(FILE *out, const struct module_row *row, uint64_t all, bool is_narrow)
{
	fprintf(out, "%7.2f %7.2f  ", percent(row->self, all), percent(row->inclusive, all));
	if (!is_narrow)
		fprintf(out, "%9" PRIu64 "  %-7s  ", row->self, module_kind_name(row->kind));
	print_name(out, row->name);
	putc('\n', out);
}

/* For people: callers of which it is not known whose they are, main of all programs among them. */
static bool says_nothing(const struct module_row *row)
{
	return row->kind == MODULE_UNKNOWN && !row->self;
}

/* Why there is code that is nobody's. */
static void print_unknown(FILE *out, const struct module_rows *rows, size_t width)
{
	static const char several[] = "[several]: functions of names that several modules have, "
				      "such as main; pprof tells them apart.\n";
	static const char unknown[] =
		"[unknown]: functions of which nothing says whose they are. Folded text does not; "
		"what 'eddy record' keeps in the .json beside it does, and so do pprof and perf "
		"script text.\n";
	bool has_several = false, has_unknown = false;

	for (size_t i = 0; i < rows->nr; i++) {
		bool is_several = !strcmp(rows->rows[i].name, MODULE_SEVERAL);

		if (rows->rows[i].kind != MODULE_UNKNOWN || says_nothing(&rows->rows[i]))
			continue;
		has_several |= is_several;
		has_unknown |= !is_several;
	}
	if (has_several || has_unknown)
		putc('\n', out);
	if (has_several)
		text_wrap_write(out, several, strlen(several), width ? width : USUAL_COLUMNS);
	if (has_unknown)
		text_wrap_write(out, unknown, strlen(unknown), width ? width : USUAL_COLUMNS);
}

void module_text_write(FILE *out, const struct module_rows *rows, uint64_t all, size_t limit,
		       size_t width)
{
	size_t left = limit ? limit : SIZE_MAX, nr_more = 0;
	bool is_narrow = width && width < NARROW;

	fputs(is_narrow ? " self %  incl %  module\n"
			: " self %  incl %       self  kind     module\n",
	      out);
	for (size_t i = 0; i < rows->nr; i++) {
		if (says_nothing(&rows->rows[i]))
			continue;
		if (left)
			print_row(out, &rows->rows[i], all, is_narrow);
		else
			nr_more++;
		left -= !!left;
	}
	if (nr_more)
		fprintf(out, "%*s+ %zu more\n", is_narrow ? 17 : 37, "", nr_more);
	print_unknown(out, rows, width);
}
