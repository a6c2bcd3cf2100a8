/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass `--irq`: interrupts leave the stacks they landed on.  Each mode is one place function
 * of profile_remap over the classified tree, so the total is kept by construction.
 *
 *	in      app;main;f;asm_sysvec_x;sysvec_x;__irq_exit_rcu;handle_softirqs;net_rx_action
 *	split   [softirq];net_rx_action
 *	charge  app;main;f
 *
 *	in      app;main;f;asm_sysvec_x;irqentry_exit_to_user_mode;schedule
 *	both    app;main;f;irqentry_exit_to_user_mode;schedule
 */
#ifndef EDDY_ANALYSIS_IRQ_PASS_H
#define EDDY_ANALYSIS_IRQ_PASS_H

#include "analysis/irq.h"

enum irq_mode {
	IRQ_MODE_SPLIT,	 /* interrupts under [hardirq], [softirq], [nmi] */
	IRQ_MODE_KEEP,	 /* as the kernel gave it */
	IRQ_MODE_CHARGE, /* the interrupt's frames go, its samples are the victim's */
	IRQ_MODE_DROP,	 /* left out, and counted */
};

struct irq_opts {
	enum irq_mode mode;
	bool split_inline; /* --softirq split: softirqs that a task ran itself are cut as well */
	bool has_host;	   /* the first frame of each stack is a host: interrupts stay under it */
};

/*
 * May the profile hold anything that irq_separate() would change?  False when no function of its
 * frame table has a part in interrupts and no frame is a mark: then the pass, and the memory that
 * it needs, can be spared.
 */
bool irq_may_separate(const struct profile *in);

/*
 * A new profile (profile_free() it) over the same frame table.  Samples that IRQ_MODE_DROP leaves
 * out are added to *ret_dropped (may be NULL); in every other mode the total is that of `in`.
 * In IRQ_MODE_CHARGE an interrupt that hit nobody, or nobody known (it stands under a mark
 * already), stands under its mark.
 */
struct profile *irq_separate(const struct profile *in, const struct irq_opts *opts,
			     uint64_t *ret_dropped);
/* The same where the classes of `in` are known already; map is only read. */
struct profile *irq_separate_mapped(const struct profile *in, const struct irq_map *map,
				    const struct irq_opts *opts, uint64_t *ret_dropped);

#endif
