/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of pprof's samples: what the first frames of a stack say of whose it is. */
#ifndef EDDY_OUTPUT_PPROF_LABELS_H
#define EDDY_OUTPUT_PPROF_LABELS_H

#include "output/writer.h"
#include "util/strbuf.h"

/* Writes a string to the file; its number. */
typedef uint64_t (*pprof_put_text_fn)(void *ctx, const struct strbuf *text);

enum pprof_label_key {
	PPROF_COMM,
	PPROF_PID,
	PPROF_TID,
	PPROF_CPU,
	PPROF_CGROUP,
	PPROF_UNIT,
	PPROF_CONTAINER,
	PPROF_PROGRAM,
	PPROF_HOST,
	PPROF_CTX,
	PPROF_BASE,
	PPROF_TRUE, /* a value */
	NR_PPROF_LABEL_STRINGS
};

struct pprof_labels {
	unsigned int field; /* of a sample that labels are */
	struct base_frames root;
	uint8_t nr_bases; /* as in struct writer_opts */
	bool is_split;
	pprof_put_text_fn put;
	void *ctx;
	uint64_t strings[NR_PPROF_LABEL_STRINGS]; /* their numbers; 0: not written yet */
	struct strbuf *of_frame;		  /* by frame; bytes NULL: not asked for yet */
	size_t cap_frames;
	struct strbuf text, inner, of_stack;
};

/* opts are read here only. */
void pprof_labels_init(struct pprof_labels *l, const struct writer_opts *opts, unsigned int field,
		       pprof_put_text_fn put, void *ctx);
void pprof_labels_deinit(struct pprof_labels *l); /* zero-filled is fine */

/*
 * The fields of a sample whose stack begins with those frames, the outermost first: at most
 * BASE_FRAMES_MAX, at least one.  Strings that are needed first are written; valid until the next
 * call.
 */
const struct strbuf *pprof_labels_of(struct pprof_labels *l, const struct frame_table *frames,
				     const frame_id *first, size_t nr);
/* Adds the label of what a difference takes away. */
void pprof_labels_add_base(struct pprof_labels *l, struct strbuf *sb);

#endif
