/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who was hit by interrupts, and what separating them changes: for programs and for people. */
#ifndef EDDY_OUTPUT_IRQ_VIEW_H
#define EDDY_OUTPUT_IRQ_VIEW_H

#include <stdio.h>

#include "analysis/irq.h"
#include "analysis/irq_effect.h"
#include "analysis/masked_rows.h"

/* Columns `class entry handler victim samples`; limit rows, 0: all. */
void irq_tsv_write(FILE *out, const struct irq_map *map, size_t limit);

/*
 * Totals per class with their share of all samples, then by handler, by entry and by victim; of
 * each list `limit` rows (0: all).
 */
void irq_text_write(FILE *out, const struct irq_map *map, size_t limit);

/*
 * For people: functions that ran with interrupts masked, whose samples came late; `limit` of them
 * (0: all).  Nothing where there are none.  For a terminal of so many columns, 0: any.
 */
void irq_masked_write(FILE *out, const struct profile *p, const struct masked_rows *rows,
		      size_t limit, size_t width);

/*
 * Columns `kind keep split name`, in this order: one row `cycles` (their number), a row `cycle` for
 * each (functions in the largest, the next, ...; name empty), rows `function` (inclusive samples),
 * largest change first.  limit is for functions.
 */
void irq_effect_tsv_write(FILE *out, const struct frame_table *frames,
			  const struct irq_effect *effect, size_t limit);
void irq_effect_text_write(FILE *out, const struct frame_table *frames,
			   const struct irq_effect *effect, size_t limit);

#endif
