/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's file format, which its importer and those of Firefox Profiler and others read: the
 * frames once, then each stack as their numbers, root first, with its weight.
 *
 * One "sampled" profile.  Its unit is nanoseconds of CPU time where it is known what a sample
 * stands for, else there is none and weights are the counts.  A frame's "file" is its module, where
 * that is known: two functions of one name in different files stay two.
 */
#ifndef EDDY_OUTPUT_SPEEDSCOPE_H
#define EDDY_OUTPUT_SPEEDSCOPE_H

#include "output/writer.h"

extern const struct writer speedscope_writer;

#endif
