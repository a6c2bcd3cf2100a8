/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a symbolizer is made of, for the files that are one: symbolizer*.c. */
#ifndef EDDY_SYMBOL_SYMBOLIZER_TABLE_H
#define EDDY_SYMBOL_SYMBOLIZER_TABLE_H

#include <time.h>

#include "symbol/call_sites.h"
#include "symbol/frame_cache.h"
#include "symbol/frame_maker.h"
#include "symbol/frame_places.h"
#include "symbol/kernel_names.h"
#include "symbol/kernel_source.h"
#include "symbol/mapped_file.h"
#include "symbol/numbered_files.h"
#include "symbol/process_table.h"
#include "symbol/symbolizer.h"
#include "util/strbuf.h"

#define SYMBOLIZER_SPACE_KERNEL 1
#define SYMBOLIZER_SPACE_FIRST	2

struct symbolizer {
	struct frame_maker maker;
	char *root;
	struct kernel_names *kernel;
	struct file_table *files;
	struct frame_cache *cache;
	struct call_sites *sites;    /* NULL: neither inlined functions nor lines are wanted */
	struct frame_places *places; /* NULL: functions are all that is wanted */
	struct kernel_source *kernel_source; /* NULL: no lines */
	uint64_t kernel_start, kernel_end;   /* the kernel's own text */
	uint32_t next_space;

	struct process_table *processes;
	struct numbered_files *numbers;

	struct strbuf name; /* scratch */
	uint64_t now_ms;    /* when the clock was last asked */
};

/* Asks the clock. */
static inline uint64_t symbolizer_now_ms(struct symbolizer *s)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return s->now_ms = (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* The frame of what stands at an offset of a file. */
frame_id symbolizer_offset_frame(struct symbolizer *s, struct mapped_file *f, uint64_t offset,
				 uint64_t now);

#endif
