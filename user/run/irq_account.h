/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a capture says of interrupts: samples by class, and how two methods agree on them. */
#ifndef EDDY_RUN_IRQ_ACCOUNT_H
#define EDDY_RUN_IRQ_ACCOUNT_H

#include "analysis/irq_agreement.h"
#include "collect/collector.h"

struct irq_account {
	struct irq_counts counts; /* before any pass */
	struct irq_agreement agreement;
	char **disagreements; /* sentences, most samples first; no more than a screenful */
	size_t nr_disagreements;
	size_t nr_disagreeing_stacks; /* all there are */
	/* Who was interrupted, by what: the most frequent, before any pass. */
	struct irq_account_row {
		uint8_t class;
		char *text; /* "class;entry;handler;victim", in which no name has a ';' */
		uint64_t weight;
	} * rows;
	size_t nr_rows;
};

/* Of everything collected so far; *account is zeroed or from an earlier call. */
void irq_account_take(struct irq_account *account, const struct collector *collector);
void irq_account_deinit(struct irq_account *account);

#endif
