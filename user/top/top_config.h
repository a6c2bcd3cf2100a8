/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of choices that `eddy top` begins with: $XDG_CONFIG_HOME/eddy/top. */
#ifndef EDDY_TOP_TOP_CONFIG_H
#define EDDY_TOP_TOP_CONFIG_H

#include <stdbool.h>

#include "live/live_state.h"
#include "util/diag.h"

/*
 * Its text (free() it).  -ENOENT: there is none; else -errno with a diag: it, or the directory that
 * it is in, is another's, who would choose for us.
 */
int top_config_read(char **ret_text, struct diag *ret_diag);
/* Writes it, with the directories on the way; what is another's is refused.  0 or -errno. */
int top_config_write(const char *text, char **ret_path, struct diag *ret_diag);

/* Writes what was chosen; the state's message says where, or why not. */
void top_config_remember(struct live_state *state);
/* What was remembered, but for what the options say: a bit of `given` for each choice of those. */
void top_config_recall(struct live_state *state, unsigned int given);

#endif
