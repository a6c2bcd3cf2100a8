/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions that frames stand at, where they are wanted: their file, its build id and their
 * address in it, or the kernel's.
 */
#ifndef EDDY_SYMBOL_FRAME_PLACES_H
#define EDDY_SYMBOL_FRAME_PLACES_H

#include "elf/elf_image.h"
#include "profile/frame.h"
#include "symbol/kernel_names.h"
#include "symbol/mapped_file.h"

struct frame_places;

/* Reads the kernel's build id under root, and modules' when they are met. */
struct frame_places *frame_places_new(const char *root);
void frame_places_free(struct frame_places *p); /* NULL is fine */

/* Is that the build id of a part of this kernel's: of a module, of itself ("")? */
bool frame_places_is_build_id(const struct frame_places *p, const char *module, const char *id,
			      size_t len);

/* The frame of an ELF address in that function, of the file of which the image is. */
frame_id frame_places_file(struct frame_table *frames, const struct mapped_file *f,
			   const struct elf_image *image, const struct frame_place *at);
/*
 * The frame of an address in that function of the kernel's, which that symbol covers: where
 * profile/kernel_place.h says.  Of a module with the build id that it has under /sys/module.  All
 * calls are of one frame table.
 */
frame_id frame_places_kernel(struct frame_places *p, struct frame_table *frames,
			     const struct frame_place *at, const struct kernel_symbol *symbol);

#endif
