/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the one who reads can see: width, colours, characters; and where there is a terminal. */
#ifndef EDDY_UTIL_TERMINAL_H
#define EDDY_UTIL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Columns of the terminal that a descriptor is: those of COLUMNS where it is set, else what the
 * terminal says, else 80; 0 when it is no terminal.
 */
size_t terminal_width(int fd);
/* Escape sequences are welcome: a terminal that is not dumb, and no NO_COLOR. */
bool terminal_has_colour(int fd);
/* The locale (LC_ALL, LC_CTYPE, LANG) has no UTF-8. */
bool terminal_is_ascii(void);

/* This thread does not take the signal of another size (SIGWINCH). */
void terminal_block_resizes(void);

#endif
