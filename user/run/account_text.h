/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of a capture in words. */
#ifndef EDDY_RUN_ACCOUNT_TEXT_H
#define EDDY_RUN_ACCOUNT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "run/account_sidecar.h"
#include "run/capture_account.h"

/* One line that accounts for every sample, notes; all the rest, line by line, when verbose. */
void account_text_write(FILE *to, const struct capture_account *a,
			const struct account_extra *extra, bool verbose);
/* A line that says what parsers of foreign files are shut in by, as it is tried now. */
void account_text_parsers(FILE *to);
/* Why expected samples were not taken, in a line; free() it. */
char *account_text_not_taken(const struct not_taken *n);
/*
 * The lines about interrupts: counts, how two methods agree on them, and the disagreements
 * (run/account_text_irq.c).
 */
void account_text_irq(FILE *to, const struct irq_account *account);

#endif
