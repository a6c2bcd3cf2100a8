/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data in the form that goes through a pipe, as `perf report -i`, `perf script -i` and what
 * builds on them read it: attribute, build ids, the kernel's mappings, then for each task a COMM
 * and its MMAP2s, and one SAMPLE a stack, whose period is all of the stack's weight.
 *
 *	addresses	those of the kernel are its own.  A file is mapped once, at a place that is
 *			made up, the same for all tasks: where it was differs by process; perf makes
 *			offsets in the file of them, which are right
 *	tasks		what the base frame says; where it has no PID it is one that no task has,
 *			above 4194304
 *	time		0: identical stacks are one sample
 *	names		perf finds them by itself.  What is in no file (JITs' code, functions of
 *			text) has a mapping of its own that is called like it, in brackets
 *	inlined		not there: perf looks for them itself (--inline)
 */
#ifndef EDDY_OUTPUT_PERF_DATA_H
#define EDDY_OUTPUT_PERF_DATA_H

#include "output/writer.h"

extern const struct writer perf_data_writer;

#endif
