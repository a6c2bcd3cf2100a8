// SPDX-License-Identifier: GPL-2.0-or-later
/* An annotation for people. */
#include <inttypes.h>
#include <string.h>

#include "output/annotation.h"
#include "output/jump_lines.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/strbuf.h"
#include "util/text_escape.h"

#define TEXT_COLUMNS 44 /* of an instruction, before its source */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_escaped(struct strbuf *to, const char *text)
{
	text_escape(to, text, strlen(text));
}

static void write_head(FILE *out, const struct annotation *a)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT;
	const uint64_t late = annotation_late(a);

	add_escaped(&head, a->name);
	strbuf_addstr(&head, " in ");
	add_escaped(&head, a->module);
	fprintf(out, "%s: %" PRIu64 " samples, %.1f %% of all\n", head.bytes, a->samples,
		percent(a->samples, a->total));
	if (a->why)
		fprintf(out, "no code: %s\n", a->why);
	if (late)
		fprintf(out,
			"%" PRIu64 " of them, %.1f %%, are late: code that ran without interrupts "
			"before these instructions\n",
			late, percent(late, a->samples));
	if (a->placeless)
		fprintf(out, "%" PRIu64 " of them, %.1f %%, at no known instruction\n",
			a->placeless, percent(a->placeless, a->samples));
	putc('\n', out);
}

static void find_jumps(const struct annotation *a, struct jump_lines *ret)
{
	_cleanup_free_ struct jump *jumps = xcalloc(a->nr, sizeof(*jumps));
	size_t nr = 0;

	for (size_t i = 0; i < a->nr; i++) {
		size_t low = 0, high = a->nr;

		if (!a->rows[i].jump)
			continue;
		while (low < high) {
			const size_t middle = low + (high - low) / 2;

			if (a->rows[middle].address < a->rows[i].jump)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < a->nr && a->rows[low].address == a->rows[i].jump)
			jumps[nr++] = (struct jump){ i, low };
	}
	jump_lines_draw(jumps, nr, a->nr, ret);
}

/* Of the file its last component. */
static const char *short_file(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash && slash[1] ? slash + 1 : file;
}

static void write_row(FILE *out, const struct annotation *a, const struct annotation_row *row,
		      const char *jumps)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	size_t code;

	if (row->samples)
		strbuf_addf(&line, "%8" PRIu64 " %5.1f ", row->samples,
			    percent(row->samples, a->samples));
	else
		strbuf_addf(&line, "%15s", "");
	strbuf_addf(&line, "%5s %12" PRIx64 " %s ",
		    row->samples && a->is_timer && row->is_landing ? "late" : "", row->address,
		    jumps);
	code = line.len;
	add_escaped(&line, row->text ? row->text : "?");
	if (row->target) {
		strbuf_addstr(&line, " <");
		add_escaped(&line, row->target);
		strbuf_addch(&line, '>');
	}
	if (row->line) {
		do
			strbuf_addch(&line, ' ');
		while (line.len < code + TEXT_COLUMNS);
		add_escaped(&line, short_file(row->file));
		strbuf_addf(&line, ":%" PRIu32, row->line);
	}
	fprintf(out, "%s\n", line.bytes);
}

void annotation_text_write(FILE *out, const struct annotation *a,
			   const struct annotation_opts *opts)
{
	_cleanup_free_ size_t *rows = NULL;
	__attribute__((cleanup(jump_lines_deinit))) struct jump_lines jumps = { 0 };
	size_t nr;

	write_head(out, a);
	rows = annotation_order(a, opts, &nr);
	if (!opts->hottest_first)
		find_jumps(a, &jumps);
	if (nr)
		fprintf(out, " samples     %%            address %*s instruction\n",
			(int)jumps.width, "");
	for (size_t i = 0; i < nr; i++)
		write_row(out, a, &a->rows[rows[i]], jumps.rows ? jumps.rows[rows[i]] : "");
}
