/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help is written for wide pages; it is wrapped to the terminal, or to 80 columns of a file. */
#ifndef EDDY_CLI_HELP_H
#define EDDY_CLI_HELP_H

/* What is printed to standard output from now on is help. */
void help_begin(void);
/* It is all there; nothing where it was not begun. */
void help_end(void);

#endif
