/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of values that a pprof profile has. */
#ifndef EDDY_INPUT_PPROF_TYPES_H
#define EDDY_INPUT_PPROF_TYPES_H

#include "input/pprof_tables.h"

/*
 * Which values count: those that were asked for (opts.event), or else the profile's default.
 * -EINVAL: they have no names, -ENODATA: what was asked for is not there; with words.
 */
int pprof_choose_type(const struct pprof_tables *t, size_t *ret_type);
/* Fills opts.ret_unit, ret_is_clock and ret_remark: what a count is, where it is no sample. */
void pprof_tell_unit(const struct pprof_tables *t, size_t type);

#endif
