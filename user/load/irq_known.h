/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom interrupts hit that stand under marks in files, as their `.json` says. */
#ifndef EDDY_LOAD_IRQ_KNOWN_H
#define EDDY_LOAD_IRQ_KNOWN_H

#include "analysis/irq_rows.h"
#include "load/stack_files.h"

/* Of all files that say it, names interned; ret_rows is overwritten, irq_rows_deinit() it. */
void irq_known_find(const struct stack_files *files, struct frame_table *frames,
		    struct irq_rows *ret_rows);

#endif
