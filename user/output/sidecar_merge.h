/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The `.json` of files that were merged, from theirs.  It works on whatever stands in them, so that
 * a member that is added one day is carried as well: numbers and times by the rules of
 * output/sidecar_rule.h, of other texts (host, event) and of notes each once.
 *
 * Windows in memory are merged by the same rules but not by this code: they are structs with
 * pointers and no json yet, and what is said of them when they are written (stacks, reasons of
 * loss, bytes) is set in fields.  Here the members are not known beforehand, and whoever wrote the
 * file may have been another version, or hostile.
 *
 * Of what the files disagree about the kind of (a number here, a text there) the first holds.
 */
#ifndef EDDY_OUTPUT_SIDECAR_MERGE_H
#define EDDY_OUTPUT_SIDECAR_MERGE_H

#include "util/json.h"

struct sidecar_merge;

struct sidecar_merge *sidecar_merge_new(void);
void sidecar_merge_free(struct sidecar_merge *m);
DEFINE_FREE(sidecar_merge, struct sidecar_merge *, sidecar_merge_free)
#define _cleanup_sidecar_merge_ _cleanup_(sidecar_merge_freep)

/* Adds one, an object as input/sidecar_read.h gives it.  -EOVERFLOW when a sum exceeds 64 bits. */
int sidecar_merge_add(struct sidecar_merge *m, const struct json *sidecar, struct diag *ret_diag);
/* Counts a file of `samples` that had none: a note says what the numbers leave out. */
void sidecar_merge_add_missing(struct sidecar_merge *m, uint64_t samples);

/* How many were added, and how many were missing. */
uint64_t sidecar_merge_nr(const struct sidecar_merge *m);
uint64_t sidecar_merge_nr_missing(const struct sidecar_merge *m);

/* Writes the merged object; to be called once, at the end. */
void sidecar_merge_write(FILE *to, struct sidecar_merge *m, uint64_t distinct_stacks);

#endif
