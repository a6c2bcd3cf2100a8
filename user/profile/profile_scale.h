/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile in another unit. */
#ifndef EDDY_PROFILE_PROFILE_SCALE_H
#define EDDY_PROFILE_PROFILE_SCALE_H

#include "profile/profile.h"

/*
 * The same stacks over the same frame table, weights times factor (0 to 1).  Rounded so that the
 * sums from the first node to any other are right to one: a stack far below one is there or not.
 */
struct profile *profile_scale(const struct profile *p, double factor);

#endif
