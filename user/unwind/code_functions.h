/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the functions that were proved are functions of the source, and how far each goes. */
#ifndef EDDY_UNWIND_CODE_FUNCTIONS_H
#define EDDY_UNWIND_CODE_FUNCTIONS_H

#include "unwind/code_guess.h"

/*
 * Fills out->functions, rising and apart.  A function begins where one is called, or its address is
 * taken, and else only where one is aligned, with nothing before it that may go there.  It ends
 * before code that is not proved.  Code of which this cannot be told is no function's.
 */
void code_functions_find(struct code_finder *f);

#endif
