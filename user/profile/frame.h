/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and the strings they are named by, each interned once in a frame table.  A frame table
 * is append-only and shared by all profiles that passes derive from one another, so a frame_id
 * means the same function before and after a pass, and comparing functions is comparing numbers.
 *
 * A frame's identity is (origin, module, start, name):
 *   symbolised     module = the file's name, start = the symbol's address in it, name = the symbol;
 *                  two static functions of one name differ in start and stay two functions
 *   unsymbolised   module, start = where its unwind entry begins, or the address where there is
 *                  none, name = "[module+0xSTART]"; or, where there is only an address that is
 *                  another one each time, start = that, name = "[module]"
 *   inlined        start = 0: a function is what its name is, wherever it was inlined
 *   from text      module = 0, start = 0: the text is the identity
 * and, where lines were asked for, (file, line): the place in its source that it is at; where
 * addresses were, `place`: the instruction.  profile/frame_place.h takes those away again.
 * The printed name alone is never the identity of a live frame.
 */
#ifndef EDDY_PROFILE_FRAME_H
#define EDDY_PROFILE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/kernel_place.h"
#include "util/cleanup.h"

typedef uint32_t str_id;   /* 0 is the empty string */
typedef uint32_t frame_id; /* 0 is FRAME_NONE, the frame of a profile's root node */

#define FRAME_NONE ((frame_id)0)
#define FRAME_AT   " at " /* stands between a frame's name and its FILE:LINE in folded text */

/* Where a frame's code comes from; also the suffix it is printed with in folded text. */
enum frame_origin {
	FRAME_USER,    /* no suffix; also every frame of a file that is not annotated */
	FRAME_KERNEL,  /* _[k] */
	FRAME_JIT,     /* _[j] */
	FRAME_INLINED, /* _[i] */
	FRAME_BASE,    /* no suffix: comm, [hardirq], [truncated], [lost:...]; not a function */
	FRAME_SITE,    /* an address, before anybody looks for its frames: `line` says which */
};

struct frame {
	str_id name;   /* without suffix; raw bytes, escaped only when printed */
	str_id shown;  /* what it is called instead; 0: nothing else; not part of the identity */
	str_id module; /* 0: not known */
	str_id file;   /* of its source; 0: not known, or not asked for */
	uint64_t start;
	uint32_t line;	/* of the file; 0: the same */
	uint32_t place; /* the instruction in the function; 0: the function as a whole */
	uint8_t origin; /* enum frame_origin */
	uint8_t role;	/* enum frame_role (profile/frame_role.h); not part of the identity */
	bool unnamed;	/* no symbol: name is made of module and offset; not part of the identity */
	bool is_raw;	/* start is an address of this run, which no output shows; the same */
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
 * off the name, and so is " at FILE:LINE"; "[...]" marks and everything else are FRAME_USER.
 */
frame_id frame_table_add_text(struct frame_table *t, const char *bytes, size_t len);
/* The same frame without the place in its source: the function. */
frame_id frame_table_without_line(struct frame_table *t, frame_id id);
/* A base frame (comm, mark) of that text. */
frame_id frame_table_add_base(struct frame_table *t, const char *s);

/* An instruction of a function. */
struct frame_place {
	frame_id function; /* the same frame as a whole; its place is 0 */
	str_id path;	   /* of its file, as the process sees it; 0: the kernel's memory */
	str_id build_id;   /* its bytes; 0: there is none, or it is not known */
	uint64_t address;  /* as ELF has it; of the kernel: as kernel_place.h says */
	uint64_t base;	   /* address - base is the offset in the file, the kernel, the module */
};

/*
 * The frame of an instruction: as its function, whose identity it has, and at that place.  One that
 * is carried into another table is its function there.
 */
frame_id frame_table_add_place(struct frame_table *t, const struct frame_place *place);
/* Of a frame; NULL: it is no instruction.  Valid until the next place is added. */
const struct frame_place *frame_table_place(const struct frame_table *t, frame_id id);
bool frame_table_has_places(const struct frame_table *t);

/* The frame; the pointer is valid until the next frame is added. id < frame_table_nr(). */
const struct frame *frame_table_get(const struct frame_table *t, frame_id id);
/* Its name as it is shown (NUL-terminated, stable). */
const char *frame_table_name(const struct frame_table *t, frame_id id, size_t *ret_len);
/* A frame is called so from now on, whatever it is known by. */
void frame_table_show(struct frame_table *t, frame_id id, str_id shown);
static inline str_id frame_shown(const struct frame *f)
{
	return f->shown ? f->shown : f->name;
}
/* Does it say at which line of which file it is? */
static inline bool frame_has_line(const struct frame *f)
{
	return f->line && f->file && f->origin != FRAME_SITE;
}
/* Number of frames, FRAME_NONE included; ids are dense below it. */
size_t frame_table_nr(const struct frame_table *t);
/* Bytes of memory held. */
size_t frame_table_bytes(const struct frame_table *t);

/* "_[k]", "_[j]", "_[i]" or "". */
const char *frame_origin_suffix(enum frame_origin origin);
/* The same without the underscore, for what only people read. */
const char *frame_origin_mark(enum frame_origin origin);

#endif
