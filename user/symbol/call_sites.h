/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses whose inlined functions or lines are wanted.  To ask for one at a time would read its
 * file each time; so the frame of such an address is one that stands for it (FRAME_SITE), and
 * becomes what is there when somebody wants to see it: then all addresses of a file are asked for
 * together.  What was told of an address is kept.
 */
#ifndef EDDY_SYMBOL_CALL_SITES_H
#define EDDY_SYMBOL_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/frame.h"
#include "symbol/frame_maker.h"
#include "symbol/mapped_file.h"

#define CALL_SITES_MAX_FRAMES SYMBOLIZER_MAX_FRAMES

struct call_sites;
struct kernel_source;

/* Uses both, which are not owned; inlines, lines: which of them are wanted, one at least. */
struct call_sites *call_sites_new(struct file_table *files, struct frame_maker *maker, bool inlines,
				  bool lines);
void call_sites_free(struct call_sites *c); /* NULL is fine */

/*
 * The frame of an ELF address of that file, in the function of that frame: one that stands for it,
 * or `function` where there are too many.
 */
frame_id call_sites_frame(struct call_sites *c, struct mapped_file *f, uint64_t vaddr,
			  frame_id function);

/*
 * The same of an address of the kernel's own text, which is asked for its line alone: kernel code
 * that was inlined stays a part of its function.
 */
frame_id call_sites_kernel_frame(struct call_sites *c, uint64_t addr, frame_id function);
/* Where those are asked for, and the space that they are in; not owned. */
void call_sites_use_kernel(struct call_sites *c, struct kernel_source *kernel, uint32_t space);

/* Asks about all that were not asked about, and makes the frames of functions that are inlined. */
void call_sites_settle(struct call_sites *c, uint64_t now_ms);
/* Asks about those of files that no process maps any more, which cannot be had for long. */
void call_sites_age(struct call_sites *c, uint64_t now_ms);

/* Are there frames that stand for addresses? */
bool call_sites_any(const struct call_sites *c);
/*
 * The frames that one stands for, outermost first, at most CALL_SITES_MAX_FRAMES; of another frame
 * itself.  To be asked after call_sites_settle() and frame_maker_settle().
 */
size_t call_sites_expand(struct call_sites *c, frame_id frame, frame_id *ret_frames);

/* The maker's frames go into another table from now on: those that stand for addresses are void. */
void call_sites_use_frames(struct call_sites *c);
/* All spaces are numbered anew: what is known is forgotten. */
void call_sites_forget(struct call_sites *c);

size_t call_sites_bytes(const struct call_sites *c);

#endif
