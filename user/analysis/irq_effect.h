/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What separating interrupts changes: the same samples with `keep` and with `split`, compared by
 * the cycles of their call graphs and by the inclusive share of every function.
 */
#ifndef EDDY_ANALYSIS_IRQ_EFFECT_H
#define EDDY_ANALYSIS_IRQ_EFFECT_H

#include "analysis/irq_pass.h"
#include "util/diag.h"

struct irq_effect_cycles {
	uint32_t *sizes; /* functions in each, largest first */
	uint32_t nr;
};

struct irq_effect_row {
	frame_id function;
	uint64_t keep, split; /* inclusive samples */
};

struct irq_effect {
	uint64_t total; /* samples: the same in both */
	struct irq_effect_cycles keep, split;
	struct irq_effect_row *rows; /* those that differ, largest change first, then by name */
	size_t nr_rows;
};

/*
 * in: stacks before any pass.  opts->mode is not looked at.  Base frames and marks are no
 * functions.  -EOVERFLOW with a diag when the call graph's sums exceed 64 bits.
 */
int irq_effect_find(const struct profile *in, const struct irq_opts *opts,
		    struct irq_effect *ret_effect, struct diag *ret_diag);
void irq_effect_deinit(struct irq_effect *effect);
#define _cleanup_irq_effect_ _cleanup_(irq_effect_deinit)

#endif
