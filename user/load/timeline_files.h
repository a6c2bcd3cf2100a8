/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FILE.timeline: the times of a file of folded text, written by `record`, read by `report`. */
#ifndef EDDY_LOAD_TIMELINE_FILES_H
#define EDDY_LOAD_TIMELINE_FILES_H

#include "input/input.h"
#include "output/writer.h"
#include "profile/timeline.h"
#include "util/diag.h"

/* --timeline-slot: is it a length that slots can have, and given with --timeline? */
int timeline_slot_check(uint64_t slot_ns, bool has_timeline, struct diag *ret_diag);
/* Beside the folded text at path, which was written with these lines. */
int timeline_file_write(const char *path, const struct timeline *t,
			const struct writer_lines *lines, struct diag *ret_diag);
/*
 * That of the folded text at path, which was read to p with these lines; *ret_timeline is of p's
 * nodes and the caller's.  0; -ENOENT without a diag: there is none; -errno with a diag.
 */
int timeline_file_read(const char *path, const struct input_lines *lines, const struct profile *p,
		       struct timeline **ret_timeline, struct diag *ret_diag);

#endif
