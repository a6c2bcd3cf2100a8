/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes frames of what was found: names as they are shown, modules, and why an address has no name.
 * Names of programs are cut, escaped where they look like forms of eddy's own, and demangled.
 */
#ifndef EDDY_SYMBOL_FRAME_MAKER_H
#define EDDY_SYMBOL_FRAME_MAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/frame.h"
#include "symbol/kernel_names.h"
#include "symbol/symbolizer.h"
#include "util/limit.h"
#include "util/strbuf.h"

struct demangle_queue;

struct frame_maker {
	struct frame_table *frames;
	bool no_demangle;
	struct demangle_queue *mangled;	  /* NULL: names are demangled here, at once */
	str_id kernel_module, jit_module; /* "[kernel]", "[jit]" */
	uint64_t misses[NR_SYMBOL_MISSES];
	struct limit_counts limits; /* of names, see frame_maker_add_limits() */
	struct strbuf text, raw;    /* scratch */
};

/* Takes a reference to `frames`. */
void frame_maker_init(struct frame_maker *m, struct frame_table *frames, bool no_demangle);
/* Names are demangled by parsers of that pool from now on, see frame_maker_settle(). */
void frame_maker_use_pool(struct frame_maker *m, struct worker_pool *pool);
void frame_maker_deinit(struct frame_maker *m);
/* Frames go into that table from now on. */
void frame_maker_use_frames(struct frame_maker *m, struct frame_table *frames);

/*
 * "[module+0xADDRESS]", or "[module]" where that is an address of this run; the brackets of
 * "[kernel]" and "[anon]" are not doubled; module 0 is "unknown".  The cause is counted when such a
 * frame is made.
 */
frame_id frame_maker_unnamed(struct frame_maker *m, str_id module, uint64_t offset,
			     enum frame_origin origin, enum symbol_miss miss);
/*
 * The frame of a symbol of that name, on whose owner's account it is demangled; f has all else.
 * With a pool it may be called by its mangled name until frame_maker_settle().  raw may be cut in
 * place.
 */
frame_id frame_maker_named(struct frame_maker *m, struct frame *f, struct strbuf *raw,
			   owner_id owner);
/* Waits until all frames are called what they are called, see demangle_queue_run(). */
void frame_maker_settle(struct frame_maker *m);
/* Adds the bounds that were met. */
void frame_maker_add_limits(const struct frame_maker *m, struct limit_counts *to);
frame_id frame_maker_kernel(struct frame_maker *m, const struct kernel_symbol *k);

#endif
