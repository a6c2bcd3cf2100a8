/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The member `modules` of the `.json`: whose the functions of the stacks beside it are, which
 * folded text does not say.  One text for each module, of functions as folded text has them, sorted
 * bytewise and joined by ';': "modules": {"libc.so.6": "free;malloc", "nf_nat": "nf_nat_fn_[k]"}.
 */
#ifndef EDDY_ARCHIVE_SIDECAR_MODULES_H
#define EDDY_ARCHIVE_SIDECAR_MODULES_H

#include "util/json.h"

#define SIDECAR_MODULES		  "modules"
#define SIDECAR_MODULES_MAX	  512		      /* modules */
#define SIDECAR_MODULES_MAX_BYTES ((size_t)128 << 10) /* of all names and functions together */

/*
 * Adds what another one says to that of sum, each function once in a module.  What is beyond the
 * bounds is left out; what is of another form, too.
 */
void sidecar_modules_join(struct json *sum, const struct json *from);

#endif
