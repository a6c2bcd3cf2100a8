/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an idle CPU halts, as address ranges for the sampler. */
#ifndef EDDY_RUN_IDLE_FUNCTIONS_H
#define EDDY_RUN_IDLE_FUNCTIONS_H

#include <stddef.h>

#include "sampler_abi.h"
#include "symbol/symbolizer.h"

/* Fills ranges of EDDY_MAX_IDLE_RANGES; how many. */
size_t idle_functions_find(struct symbolizer *s, struct eddy_range *ranges);

#endif
