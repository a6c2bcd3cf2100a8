/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this kernel and these privileges offer, and what each missing thing costs. */
#ifndef EDDY_RUN_MACHINE_CHECKS_H
#define EDDY_RUN_MACHINE_CHECKS_H

#include <stdbool.h>

enum machine_mark {
	MACHINE_OK,    /* it is there */
	MACHINE_COSTS, /* sampling works, but something is missing */
	MACHINE_FAILS, /* sampling does not work */
};

/* One finding; the texts are valid until this returns.  cost: "" where there is nothing to say. */
typedef void (*machine_check_fn)(void *ctx, enum machine_mark mark, const char *what,
				 const char *cost);

/*
 * Makes all checks, in an order that people read: the kernel, privileges, settings, events, and at
 * last a capture of 0.2 s and one of waits of 0.1 s.  False: sampling does not work.
 */
bool machine_checks_run(machine_check_fn fn, void *ctx);

#endif
