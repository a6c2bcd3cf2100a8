/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of every function of a profile, each stack counted once, however often it holds it. */
#ifndef EDDY_ANALYSIS_FUNCTION_WEIGHTS_H
#define EDDY_ANALYSIS_FUNCTION_WEIGHTS_H

#include "profile/profile.h"

/*
 * inclusive[f] and self[f] of every frame f of the profile's table; both have
 * frame_table_nr() elements and are overwritten.  One walk over the tree: O(nodes), however deep.
 */
void function_weights(const struct profile *p, uint64_t *ret_inclusive, uint64_t *ret_self);

#endif
