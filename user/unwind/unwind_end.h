/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the ways in which a user stack can end; they stand in sidecars and summaries. */
#ifndef EDDY_UNWIND_UNWIND_END_H
#define EDDY_UNWIND_UNWIND_END_H

#include "unwind_abi.h"

/* "root", "pending", "no-table", ...; "invalid" for a number that is none. */
const char *unwind_end_name(enum eddy_unwind_end end);

#endif
