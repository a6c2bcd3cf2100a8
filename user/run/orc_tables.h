/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the kernel keeps the tables by which it walks its own stacks (ORC, x86-64). */
#ifndef EDDY_RUN_ORC_TABLES_H
#define EDDY_RUN_ORC_TABLES_H

#include <stdbool.h>

#include "sampler_abi.h"
#include "symbol/symbolizer.h"

/*
 * Looked up by name, for a kernel of that version.  False: it has none, or does not tell, or they
 * may be of a form that is not known; *ret_orc is untouched.
 */
bool orc_tables_find(struct symbolizer *s, unsigned int major, unsigned int minor,
		     struct eddy_orc *ret_orc);

#endif
