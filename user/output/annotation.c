// SPDX-License-Identifier: GPL-2.0-or-later
/* What both forms of an annotation share, and that for programs. */
#include "output/annotation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"
#include "util/strbuf.h"
#include "util/text_escape.h"

static int compare_samples(const void *va, const void *vb, void *rows)
{
	const struct annotation_row *a = (struct annotation_row *)rows + *(const size_t *)va,
				    *b = (struct annotation_row *)rows + *(const size_t *)vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	/* qsort() is not stable, and the same samples have to give the same text. */
	return (a->address > b->address) - (a->address < b->address);
}

size_t *annotation_order(const struct annotation *a, const struct annotation_opts *opts,
			 size_t *ret_nr)
{
	size_t *rows = xcalloc(a->nr, sizeof(*rows));
	size_t nr = 0;

	for (size_t i = 0; i < a->nr; i++)
		if (a->rows[i].samples || !opts->hottest_first)
			rows[nr++] = i;
	if (opts->hottest_first && nr)
		qsort_r(rows, nr, sizeof(*rows), compare_samples, a->rows);
	*ret_nr = opts->limit && opts->limit < nr ? opts->limit : nr;
	return rows;
}

/* None but a timer's: an event of hardware interrupts by NMI, also where interrupts are off. */
uint64_t annotation_late(const struct annotation *a)
{
	uint64_t late = 0;

	for (size_t i = 0; i < a->nr && a->is_timer; i++)
		late += a->rows[i].is_landing ? a->rows[i].samples : 0;
	return late;
}

void annotation_tsv_header(FILE *out)
{
	fputs("samples\taddress\toffset\tinstruction\ttarget\tfile\tline\tmark\tmodule\tname\n",
	      out);
}

static void add_cell(struct strbuf *line, const char *text)
{
	strbuf_addch(line, '\t');
	text_escape(line, text, strlen(text));
}

static void add_target(struct strbuf *line, const struct annotation_row *row)
{
	if (row->jump)
		strbuf_addf(line, "\t0x%" PRIx64, row->jump);
	else
		add_cell(line, row->target ? row->target : "");
}

static void tsv_row(FILE *out, const struct annotation *a, const struct annotation_row *row)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%" PRIu64 "\t0x%" PRIx64 "\t", row->samples, row->address);
	if (a->start && row->address >= a->start)
		strbuf_addf(&line, "0x%" PRIx64, row->address - a->start);
	add_cell(&line, row->text ? row->text : "");
	add_target(&line, row);
	add_cell(&line, row->file);
	strbuf_addch(&line, '\t');
	if (row->line)
		strbuf_addf(&line, "%" PRIu32, row->line);
	add_cell(&line, a->is_timer && row->is_landing ? "late" : "");
	add_cell(&line, a->module);
	add_cell(&line, a->name);
	fprintf(out, "%s\n", line.bytes);
}

void annotation_tsv_write(FILE *out, const struct annotation *a, const struct annotation_opts *opts)
{
	_cleanup_free_ size_t *rows = NULL;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	size_t nr;

	rows = annotation_order(a, opts, &nr);
	for (size_t i = 0; i < nr; i++)
		tsv_row(out, a, &a->rows[rows[i]]);
	if (!a->placeless)
		return;
	strbuf_addf(&line, "%" PRIu64 "\t\t\t\t\t\t\t", a->placeless);
	add_cell(&line, a->module);
	add_cell(&line, a->name);
	fprintf(out, "%s\n", line.bytes);
}
