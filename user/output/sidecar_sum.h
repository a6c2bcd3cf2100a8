/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sidecar of a window that is kept for a while, and into which other windows may be merged: it
 * owns all that it points to but for the names of losses and of broken stacks, which are constants
 * of the program.  How numbers are merged stands in output/sidecar_rule.h; why files are merged by
 * other code, in output/sidecar_merge.h.
 */
#ifndef EDDY_OUTPUT_SIDECAR_SUM_H
#define EDDY_OUTPUT_SIDECAR_SUM_H

#include "output/sidecar.h"
#include "util/cleanup.h"

struct sidecar_sum;

/* Begins with one. */
struct sidecar_sum *sidecar_sum_new(const struct sidecar *first);
void sidecar_sum_free(struct sidecar_sum *s);
DEFINE_FREE(sidecar_sum, struct sidecar_sum *, sidecar_sum_free)
#define _cleanup_sidecar_sum_ _cleanup_(sidecar_sum_freep)

/*
 * Adds the next window of the same host by the rules of output/sidecar_rule.h; notes stand once
 * each.  distinct_stacks and bytes_written are left to the functions below.
 */
void sidecar_sum_add(struct sidecar_sum *s, const struct sidecar *next);
/* Adds a sentence, unless it is there. */
void sidecar_sum_note(struct sidecar_sum *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Samples that were kept (at most so many) are lost for a reason, a constant string. */
void sidecar_sum_lose(struct sidecar_sum *s, const char *reason, uint64_t samples);
/* What is known when the file is written. */
void sidecar_sum_set_stacks(struct sidecar_sum *s, uint64_t distinct_stacks, uint64_t dropped);
void sidecar_sum_set_bytes_written(struct sidecar_sum *s, uint64_t bytes);

/* To be written; valid until the next call of a function above. */
const struct sidecar *sidecar_sum_get(const struct sidecar_sum *s);
/* Memory held. */
size_t sidecar_sum_bytes(const struct sidecar_sum *s);

#endif
