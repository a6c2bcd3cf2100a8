/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal, by ncurses: keys in, lines out.  The only file that touches it. */
#ifndef EDDY_LIVE_LIVE_TERMINAL_H
#define EDDY_LIVE_LIVE_TERMINAL_H

#include <stdbool.h>

#include "live/live_screen.h"

struct live_terminal;

/*
 * Takes standard input and output, which are a terminal.  Once a process.  0; -ENOTTY with a diag
 * when the terminal is of no known kind.
 */
struct live_terminal_opts {
	bool is_ascii;	 /* it shows no UTF-8 */
	bool has_colour; /* colours are welcome */
	/*
	 * Asked from a signal handler while the terminal takes nothing (it is stopped, or nobody
	 * reads it): are we to end?  Then it goes on, or what it does not take is thrown away.
	 */
	bool (*is_to_end)(void);
};
int live_terminal_open(const struct live_terminal_opts *opts, struct live_terminal **ret_terminal,
		       struct diag *ret_diag);
/* Gives it back as it was, also when it is stopped or nobody reads it. */
void live_terminal_free(struct live_terminal *t); /* NULL is fine */
DEFINE_FREE(live_terminal, struct live_terminal *, live_terminal_free)

/* The next key, LIVE_KEY_NONE: there is none yet. */
uint32_t live_terminal_key(struct live_terminal *t);
/* Where the mouse was when the last LIVE_KEY_CLICK came. */
void live_terminal_mouse(const struct live_terminal *t, size_t *ret_x, size_t *ret_y);
void live_terminal_size(const struct live_terminal *t, size_t *ret_width, size_t *ret_height);
/* Would it take something now? One that is stopped (Ctrl-S) does not. */
bool live_terminal_is_ready(const struct live_terminal *t);
/* Shows the screen; what did not change is not sent. */
void live_terminal_show(struct live_terminal *t, const struct live_screen *screen);

/*
 * For a process that is about to die, from a signal handler too: gives the terminal back if it was
 * taken, by system calls alone.
 */
void live_terminal_rescue(void);

#endif
