/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The `.json` of files that were merged, from theirs.  It works on whatever stands in them, so that
 * a member that is added one day is carried as well:
 *
 *	integers, seconds	add up		start, end	the earliest, the latest
 *	cpus			the most of a host, added up over hosts
 *	(max_)rss_bytes		the largest	bpf_ns_per_sample	mean by samples delivered
 *	host, event, ...	each text once	version		as in the first
 *	freq_hz, period		when all have the same; else left out, and a note says so
 *	notes			each sentence once
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
