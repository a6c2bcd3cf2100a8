/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times of the samples of folded text, for a file beside it (FILE.timeline):
 *
 *	eddy timeline 1
 *	slot_ns 10000000	of a slot; of a second it is a part, or a multiple
 *	asked_ns 10000000	as long as slots were to be
 *	start_ms 1763635200000	when slot 0 began, since 1970
 *	slots 3000		to the capture's end
 *	lines 812		of the folded text
 *	total 5941		of its counts
 *	timed 5940		of the counts below
 *	untimed 0		of its counts, kept but without a time
 *	3 17 40*2 41		in slot 3: line 17 once, line 40 twice, line 41 once
 *
 * Slots rise, and lines within a slot.  input/timeline_read.h reads it.
 */
#ifndef EDDY_OUTPUT_TIMELINE_TEXT_H
#define EDDY_OUTPUT_TIMELINE_TEXT_H

#include <stdio.h>

#include "output/writer.h"
#include "profile/timeline.h"

/* t: of the nodes that are followed in what was written; lines: what writing it told of them. */
void timeline_text_write(FILE *to, const struct timeline *t, const struct writer_lines *lines);

#endif
