/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of functions that samples are in, wherever it is: files by build id, the kernel. */
#ifndef EDDY_ANNOTATE_ANNOTATE_CODE_H
#define EDDY_ANNOTATE_ANNOTATE_CODE_H

#include "analysis/hot_code.h"
#include "output/annotation.h"
#include "symbol/function_code.h"
#include "util/strbuf.h"
#include "util/worker_pool.h"

struct code_finder;

struct code_finder *code_finder_new(struct worker_pool *pool);
void code_finder_free(struct code_finder *c);
DEFINE_FREE(code_finder, struct code_finder *, code_finder_free)

/* One function of those that a hot_code is: its own places, of those that are left. */
struct found_code {
	struct function_code code; /* code.code NULL: there is none, `why` says it */
	struct diag why;
	bool is_kernel;
	uint64_t shift; /* of the kernel: an address as it is shown + this: where it is in memory */
	uint64_t *addresses; /* of all places of the hot_code */
	size_t nr;	     /* how many places, from `first` on, are in it */
};

/* Of the places from `first` on. */
void code_finder_find(struct code_finder *c, const struct frame_table *frames,
		      const struct hot_code *hot, size_t first, struct found_code *ret);
void found_code_deinit(struct found_code *found);
#define _cleanup_found_code_ __attribute__((cleanup(found_code_deinit)))

/* Adds the name of what is at an address of the code that was found last. */
void code_finder_name(struct code_finder *c, const struct found_code *found, uint64_t address,
		      struct strbuf *to);

struct annotate_write_opts {
	struct annotation_opts rows;
	bool is_tsv;   /* else text */
	bool is_clock; /* the samples are a timer's */
};

/* Writes all of them, samples of that profile (annotate/annotate_write.c). */
void annotate_write(FILE *out, struct code_finder *finder, const struct profile *p,
		    const struct hot_codes *codes, const struct annotate_write_opts *opts);

#endif
