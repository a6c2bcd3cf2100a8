/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose the functions in files are, as their `.json` says. */
#ifndef EDDY_LOAD_MODULES_KNOWN_H
#define EDDY_LOAD_MODULES_KNOWN_H

#include "analysis/frame_module.h"
#include "load/stack_files.h"

/*
 * Of all files that say it, frames added as folded text adds them; ret_known is overwritten,
 * modules_known_deinit() it.
 */
void modules_known_find(const struct stack_files *files, struct frame_table *frames,
			struct modules_known *ret_known);
void modules_known_deinit(struct modules_known *known); /* zero-filled is fine */

#endif
