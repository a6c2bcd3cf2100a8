/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signals that end a capture in order, as a descriptor for poll().  A job that a
 * non-interactive shell starts with `&` has SIGINT ignored, and ignored signals reach no
 * descriptor: so handlers are installed first, whatever was inherited.
 */
#ifndef EDDY_RUN_SIGNALS_H
#define EDDY_RUN_SIGNALS_H

#include <stdbool.h>

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGCHLD and returns a non-blocking descriptor that
 * tells them; ignores SIGPIPE.  -errno.  Once a process.
 */
int signals_open(void);
/* The next signal that came, 0 when there is none. */
int signals_read(int fd);
/* Did one come that ends a capture, and was not read yet? */
bool signals_are_pending(void);
/* In a child, before exec: everything as it was inherited. */
void signals_restore(void);

#endif
