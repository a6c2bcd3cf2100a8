/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and the strings they are named by, each interned once in a frame table.  A frame table
 * is append-only and shared by all profiles that passes derive from one another, so a frame_id
 * means the same function before and after a pass, and comparing functions is comparing numbers.
 *
 * A frame's identity is (origin, module, start, name):
 *   symbolised     module = the file's name, start = the symbol's address in it, name = the symbol;
 *                  two static functions of one name differ in start and stay two functions
 *   unsymbolised   module, start = the offset (or address), name = "[module+0xOFFSET]"
 *   from text      module = 0, start = 0: the text is the identity
 * The printed name alone is never the identity of a live frame.
 */
#ifndef EDDY_PROFILE_FRAME_H
#define EDDY_PROFILE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

typedef uint32_t str_id;   /* 0 is the empty string */
typedef uint32_t frame_id; /* 0 is FRAME_NONE, the frame of a profile's root node */

#define FRAME_NONE ((frame_id)0)

/* Where a frame's code comes from; also the suffix it is printed with in folded text. */
enum frame_origin {
	FRAME_USER,    /* no suffix; also every frame of a file that is not annotated */
	FRAME_KERNEL,  /* _[k] */
	FRAME_JIT,     /* _[j] */
	FRAME_INLINED, /* _[i] */
	FRAME_BASE,    /* no suffix: comm, [hardirq], [truncated], [lost:...]; not a function */
};

struct frame {
	str_id name;   /* demangled, without suffix; raw bytes, escaped only when printed */
	str_id module; /* 0: not known */
	uint64_t start;
	uint8_t origin; /* enum frame_origin */
	uint8_t role;	/* enum frame_role (profile/frame_role.h); not part of the identity */
	bool unnamed;	/* no symbol: name is made of module and offset; not part of the identity */
};

struct frame_table;

/* A new table with one reference. */
struct frame_table *frame_table_new(void);
struct frame_table *frame_table_ref(struct frame_table *t); /* returns t */
void frame_table_unref(struct frame_table *t);		    /* NULL is fine */
DEFINE_FREE(frame_table, struct frame_table *, frame_table_unref)
#define _cleanup_frame_table_ _cleanup_(frame_table_freep)

/* Interns len bytes (any bytes, but the table NUL-terminates its copy). */
str_id frame_table_intern(struct frame_table *t, const char *bytes, size_t len);
str_id frame_table_intern0(struct frame_table *t, const char *s);
/* The interned string; it lives as long as the table does and never moves.  ret_len may be NULL. */
const char *frame_table_str(const struct frame_table *t, str_id id, size_t *ret_len);

/* Interns a frame; role and unnamed are taken from the first caller that names the identity. */
frame_id frame_table_add(struct frame_table *t, const struct frame *f);
/*
 * The frame that a text frame of a folded file means: a known suffix sets the origin and is taken
 * off the name; "[...]" marks and everything else are FRAME_USER.
 */
frame_id frame_table_add_text(struct frame_table *t, const char *bytes, size_t len);
/* A base frame (comm, mark) of that text. */
frame_id frame_table_add_base(struct frame_table *t, const char *s);

/* The frame; the pointer is valid until the next frame is added. id < frame_table_nr(). */
const struct frame *frame_table_get(const struct frame_table *t, frame_id id);
/* Its name (NUL-terminated, stable). */
const char *frame_table_name(const struct frame_table *t, frame_id id, size_t *ret_len);
/* Number of frames, FRAME_NONE included; ids are dense below it. */
size_t frame_table_nr(const struct frame_table *t);
/* Bytes of memory held. */
size_t frame_table_bytes(const struct frame_table *t);

/* "_[k]", "_[j]", "_[i]" or "". */
const char *frame_origin_suffix(enum frame_origin origin);

#endif
