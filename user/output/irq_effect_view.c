// SPDX-License-Identifier: GPL-2.0-or-later
/* What separating interrupts changes, in the words of the call graph. */
#include <inttypes.h>

#include "profile/frame_text.h"
#include "output/irq_view.h"

static size_t functions_shown(const struct irq_effect *effect, size_t limit)
{
	return limit && limit < effect->nr_rows ? limit : effect->nr_rows;
}

static void print_function(FILE *out, const struct frame_table *frames, frame_id f)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	frame_text_add(&sb, frames, f, false);
	fprintf(out, "%s\n", sb.bytes);
}

void irq_effect_tsv_write(FILE *out, const struct frame_table *frames,
			  const struct irq_effect *effect, size_t limit)
{
	const struct irq_effect_cycles *keep = &effect->keep, *split = &effect->split;

	fputs("kind\tkeep\tsplit\tname\n", out);
	fprintf(out, "cycles\t%" PRIu32 "\t%" PRIu32 "\t\n", keep->nr, split->nr);
	for (uint32_t i = 0; i < keep->nr || i < split->nr; i++) {
		fputs("cycle\t", out);
		if (i < keep->nr)
			fprintf(out, "%" PRIu32, keep->sizes[i]);
		putc('\t', out);
		if (i < split->nr)
			fprintf(out, "%" PRIu32, split->sizes[i]);
		fputs("\t\n", out);
	}
	for (size_t i = 0; i < functions_shown(effect, limit); i++) {
		const struct irq_effect_row *row = &effect->rows[i];

		fprintf(out, "function\t%" PRIu64 "\t%" PRIu64 "\t", row->keep, row->split);
		print_function(out, frames, row->function);
	}
}

static void print_cycles(FILE *out, const char *mode, const struct irq_effect_cycles *cycles)
{
	enum { SHOWN = 8 };

	fprintf(out, "  %-5s  %" PRIu32 " cycle%s", mode, cycles->nr, cycles->nr == 1 ? "" : "s");
	for (uint32_t i = 0; i < cycles->nr && i < SHOWN; i++)
		fprintf(out, "%s%" PRIu32, i ? ", " : " of ", cycles->sizes[i]);
	if (cycles->nr > SHOWN)
		fputs(", ...", out);
	fputs(cycles->nr ? " functions\n" : "\n", out);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void irq_effect_text_write(FILE *out, const struct frame_table *frames,
			   const struct irq_effect *effect, size_t limit)
{
	size_t shown = functions_shown(effect, limit);

	fputs("cycles of the call graph:\n", out);
	print_cycles(out, "keep", &effect->keep);
	print_cycles(out, "split", &effect->split);
	fprintf(out,
		"\ninclusive share of %" PRIu64 " samples, largest change first:\n"
		"     keep    split   change  function\n",
		effect->total);
	for (size_t i = 0; i < shown; i++) {
		const struct irq_effect_row *row = &effect->rows[i];
		double keep = percent(row->keep, effect->total);
		double split = percent(row->split, effect->total);

		fprintf(out, "  %5.1f %%  %5.1f %%  %+7.1f  ", keep, split, split - keep);
		print_function(out, frames, row->function);
	}
	if (shown < effect->nr_rows)
		fprintf(out, "                             + %zu more\n", effect->nr_rows - shown);
}
