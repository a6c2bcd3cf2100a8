// SPDX-License-Identifier: GPL-2.0-or-later
/* The view `irq`: one table for programs; for people the same rows grouped four ways. */
#include "output/irq_view.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/irq_rows.h"
#include "profile/frame_text.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/strbuf.h"
#include "util/text_escape.h"
#include "util/text_wrap.h"

#define USUAL_COLUMNS 80 /* of sentences, where there is no terminal */

#define NO_VICTIM "(not known: of a file that was split; record with --irq keep)"

static void print_name(FILE *out, const struct frame_table *table, str_id name)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	size_t len;
	const char *s = frame_table_str(table, name, &len);

	text_escape(&sb, s, len);
	fwrite(sb.bytes, 1, sb.len, out);
}

static size_t rows_shown(const struct irq_rows *rows, size_t limit)
{
	return limit && limit < rows->nr ? limit : rows->nr;
}

void irq_tsv_write(FILE *out, const struct irq_map *map, size_t limit)
{
	const struct frame_table *table = profile_frames(map->profile);
	_cleanup_irq_rows_ struct irq_rows rows = { 0 };

	irq_rows_collect(map, IRQ_BY_ALL, &rows);
	fputs("class\tentry\thandler\tvictim\tsamples\n", out);
	for (size_t i = 0; i < rows_shown(&rows, limit); i++) {
		const struct irq_row *row = &rows.rows[i];

		fprintf(out, "%s\t", irq_class_name(row->class));
		print_name(out, table, row->entry);
		putc('\t', out);
		print_name(out, table, row->handler);
		putc('\t', out);
		print_name(out, table, row->victim);
		fprintf(out, "\t%" PRIu64 "\n", row->samples);
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_class(FILE *out, const char *name, const char *remark, uint64_t samples,
			uint64_t total)
{
	fprintf(out, "%10" PRIu64 "  %5.1f %%  %s%s\n", samples, percent(samples, total), name,
		remark);
}

static void print_classes(FILE *out, const struct irq_counts *c)
{
	/* Work that a task is hit by: return-to-user work and ksoftirqd are a task's own. */
	uint64_t all = c->samples[IRQ_HARDIRQ] + irq_counts_softirq(c) + c->samples[IRQ_NMI];

	fputs("   samples  of all  class\n", out);
	print_class(out, "all interrupts", "", all, c->total);
	print_class(out, "hardirq", "", c->samples[IRQ_HARDIRQ], c->total);
	print_class(out, "softirq", " on the way out of an interrupt", c->samples[IRQ_SOFTIRQ],
		    c->total);
	print_class(out, "softirq", " inline: run by a task that enabled bottom halves",
		    c->samples[IRQ_SOFTIRQ_INLINE], c->total);
	print_class(out, "nmi", "", c->samples[IRQ_NMI], c->total);
	fputs("not interrupts, but near them:\n", out);
	print_class(out, "return-to-user work", " behind an interrupt, the task's own",
		    c->samples[IRQ_EXIT_WORK], c->total);
	print_class(out, "ksoftirqd", " softirqs run by that task", c->samples[IRQ_KSOFTIRQD],
		    c->total);
	print_class(out, "exception", " page faults and the like", c->samples[IRQ_EXCEPTION],
		    c->total);
}

/* One of the lists: rows that differ in `key` (and in class where `keys` says so). */
static void print_group(FILE *out, const struct irq_map *map, unsigned int keys, const char *title,
			size_t limit)
{
	const struct frame_table *table = profile_frames(map->profile);
	uint64_t total = profile_total(map->profile);
	_cleanup_irq_rows_ struct irq_rows rows = { 0 };
	size_t shown;

	irq_rows_collect(map, keys, &rows);
	shown = rows_shown(&rows, limit);
	fprintf(out, "\n   samples  of all  %s\n", title);
	for (size_t i = 0; i < shown; i++) {
		const struct irq_row *row = &rows.rows[i];
		str_id name = row->entry ? row->entry : row->handler ? row->handler : row->victim;

		fprintf(out, "%10" PRIu64 "  %5.1f %%  ", row->samples,
			percent(row->samples, total));
		if (keys & IRQ_BY_CLASS)
			fprintf(out, "%-7s  ", irq_class_name(row->class));
		if (name)
			print_name(out, table, name);
		else
			fputs(keys & IRQ_BY_VICTIM ? NO_VICTIM : "(none)", out);
		putc('\n', out);
	}
	if (shown < rows.nr)
		fprintf(out, "            + %zu more\n", rows.nr - shown);
}

void irq_text_write(FILE *out, const struct irq_map *map, size_t limit)
{
	struct irq_counts counts;

	irq_count(map, &counts);
	print_classes(out, &counts);
	print_group(out, map, IRQ_BY_CLASS | IRQ_BY_HANDLER, "class    handler", limit);
	print_group(out, map, IRQ_BY_CLASS | IRQ_BY_ENTRY, "class    entry", limit);
	print_group(out, map, IRQ_BY_VICTIM, "victim", limit);
}

/* "late" is the word of the manual, and of the marks of `eddy annotate`. */
void irq_masked_write(FILE *out, const struct profile *p, const struct masked_rows *rows,
		      size_t limit, size_t width)
{
	_cleanup_free_ char *head =
		xasprintf("late: %" PRIu64 " samples (%.1f %%) end where interrupts are let in "
			  "again: a timer's samples of what ran without them before, by the "
			  "function that did; 'eddy annotate' has instructions\n",
			  rows->masked, percent(rows->masked, profile_total(p)));
	size_t shown = limit && limit < rows->nr ? limit : rows->nr;

	if (!rows->nr)
		return;
	putc('\n', out);
	text_wrap_write(out, head, strlen(head), width ? width : USUAL_COLUMNS);
	fputs("   samples  of all  of its own and what it calls\n", out);
	for (size_t i = 0; i < shown; i++) {
		const struct masked_row *row = &rows->rows[i];
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

		frame_text_add_function(&name, profile_frames(p), row->function, false);
		fprintf(out, "%10" PRIu64 "  %5.1f %%  %5.1f %%  %s\n", row->masked,
			percent(row->masked, profile_total(p)),
			percent(row->masked, row->inclusive), name.bytes);
	}
	if (shown < rows->nr)
		fprintf(out, "            + %zu more\n", rows->nr - shown);
}
