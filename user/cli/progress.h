/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of a terminal that says how far something is, and is gone when it is done.  Nothing at
 * all where standard error is no terminal, or a dumb one, or with NO_COLOR.
 */
#ifndef EDDY_CLI_PROGRESS_H
#define EDDY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is there anybody to see it? */
bool progress_is_on(void);
/* The columns that a line may have. */
size_t progress_width(void);
/* Shows this line in the place of the one before; cut to the width of the terminal. */
void progress_show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "reading 17 of 60480 files (0 %)": from the second second on, a few times a second. */
void progress_step(const char *what, size_t done, size_t nr);
/* "reading big.folded: 120 of 480 MB (25 %)": the same; all 0: that is not known. */
void progress_part(const char *what, const char *name, uint64_t done, uint64_t all);
/* Takes the line away; to be called before anything else is written to the terminal. */
void progress_clear(void);

#endif
