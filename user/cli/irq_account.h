/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a capture says of interrupts: samples by class, and how two methods agree on them. */
#ifndef EDDY_CLI_IRQ_ACCOUNT_H
#define EDDY_CLI_IRQ_ACCOUNT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/irq_agreement.h"
#include "collect/collector.h"

struct irq_account {
	struct irq_counts counts; /* before any pass */
	struct irq_agreement agreement;
	char **disagreements; /* sentences, most samples first; no more than a screenful */
	size_t nr_disagreements;
	size_t nr_disagreeing_stacks; /* all there are */
};

/* Of everything collected so far; *account is zeroed or from an earlier call. */
void irq_account_take(struct irq_account *account, const struct collector *collector);
void irq_account_deinit(struct irq_account *account);

/* The lines of the summary; verbose: the whole matrix, and the disagreements. */
void irq_account_print(FILE *to, const struct irq_account *account, bool verbose);

#endif
