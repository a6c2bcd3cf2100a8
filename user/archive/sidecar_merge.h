/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The `.json` of what was merged: of files, and of windows that wait in memory.  It works on
 * whatever stands in them, so that a member that is added one day is carried as well: numbers and
 * times by the rules of archive/sidecar_rule.h, of other texts (host, event) and of notes each
 * once.  Files may have been written by another version, or be hostile: of what they disagree
 * about the kind of (a number here, a text there) the first holds.
 */
#ifndef EDDY_ARCHIVE_SIDECAR_MERGE_H
#define EDDY_ARCHIVE_SIDECAR_MERGE_H

#include "util/json.h"

struct sidecar_merge;

/* Of files: empty. */
struct sidecar_merge *sidecar_merge_new(void);
/* Of windows of one capture, added one after the other: begins with one, which it takes. */
struct sidecar_merge *sidecar_merge_new_windows(struct json *first);
void sidecar_merge_free(struct sidecar_merge *m);
DEFINE_FREE(sidecar_merge, struct sidecar_merge *, sidecar_merge_free)
#define _cleanup_sidecar_merge_ _cleanup_(sidecar_merge_freep)

/*
 * Adds an object as archive/sidecar_read.h gives it, or run/account_sidecar.h.  -EOVERFLOW: a sum
 * exceeds 64 bits.
 */
int sidecar_merge_add(struct sidecar_merge *m, const struct json *sidecar, struct diag *ret_diag);
/* Of files: counts one of `samples` that had none: a note says what the numbers leave out. */
void sidecar_merge_add_missing(struct sidecar_merge *m, uint64_t samples);

/* Of files: how many were added, and how many were missing. */
uint64_t sidecar_merge_nr(const struct sidecar_merge *m);
uint64_t sidecar_merge_nr_missing(const struct sidecar_merge *m);

/* Of windows, the merged object so far; distinct_stacks is the caller's to set. */
struct json *sidecar_merge_json(struct sidecar_merge *m);
/* Memory held. */
size_t sidecar_merge_bytes(const struct sidecar_merge *m);

/* Of files: what the stacks begin with now, whatever the files said; before writing. */
void sidecar_merge_set_root(struct sidecar_merge *m, const char *root);
/* Of files: of some nothing said what their stacks begin with, so "unknown" joins the list. */
void sidecar_merge_doubt_root(struct sidecar_merge *m);
/* Of files: writes the merged object; to be called once, at the end. */
void sidecar_merge_write(FILE *to, struct sidecar_merge *m, uint64_t distinct_stacks);

#endif
