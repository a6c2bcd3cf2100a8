/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who interrupts, what they do, whom they hit: the rows of `--view irq`, from the stacks before
 * any pass, because a pass takes the victim away.
 */
#ifndef EDDY_ANALYSIS_IRQ_ROWS_H
#define EDDY_ANALYSIS_IRQ_ROWS_H

#include <stdbool.h>

#include "analysis/irq.h"

/* Names are of the profile's frame table, without suffix; 0 where there is none. */
struct irq_row {
	uint8_t class;	/* IRQ_HARDIRQ, IRQ_SOFTIRQ (inline ones too) or IRQ_NMI */
	str_id entry;	/* entry symbol; of an inline softirq the function that enabled softirqs */
	str_id handler; /* first function of the work itself */
	str_id victim;	/* base frame of the stack that was hit */
	uint64_t samples;
};

struct irq_rows {
	struct irq_row *rows;
	size_t nr, cap;
};

/* What tells two rows apart; the rest is 0 in the rows of a group. */
enum irq_row_key {
	IRQ_BY_CLASS = 1 << 0,
	IRQ_BY_ENTRY = 1 << 1,
	IRQ_BY_HANDLER = 1 << 2,
	IRQ_BY_VICTIM = 1 << 3,
	IRQ_BY_ALL = (1 << 4) - 1,
	IRQ_INLINE_APART = 1 << 4, /* inline softirqs keep their class */
};

/*
 * The interrupts of a classified profile, grouped by `keys`: most samples first, then class,
 * entry, handler, victim bytewise.  ret_rows is overwritten; irq_rows_deinit() it.
 */
void irq_rows_collect(const struct irq_map *map, unsigned int keys, struct irq_rows *ret_rows);

/*
 * A split takes the victim away from its interrupts; it may have been written down. `known` are
 * rows of a profile's marked interrupts, their names of its frame table: what is marked and not
 * among them is added, with nobody as victim.  False: they are of other stacks, for there is less
 * of a class than they say.  Else the map may have them as `known`, and they stand in the place of
 * what is marked.
 */
bool irq_rows_complete(const struct irq_map *map, struct irq_rows *known);
void irq_rows_deinit(struct irq_rows *rows);
#define _cleanup_irq_rows_ _cleanup_(irq_rows_deinit)

#endif
