/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The root frames of a task's stacks, which say whose they are: what --root chooses from.  There
 * may be several, one under the other.
 */
#ifndef EDDY_PROFILE_BASE_FRAME_H
#define EDDY_PROFILE_BASE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/bytes.h"
#include "util/strbuf.h"

enum base_frame {
	BASE_FRAME_COMM,      /* comm */
	BASE_FRAME_PROCESS,   /* comm-PID */
	BASE_FRAME_THREAD,    /* comm-PID/TID */
	BASE_FRAME_CPU,	      /* cpu-N */
	BASE_FRAME_CGROUP,    /* the cgroup's path */
	BASE_FRAME_UNIT,      /* the last service or scope in it, or "[no unit]" */
	BASE_FRAME_CONTAINER, /* the container's id in it, or "[no container]" */
	BASE_FRAME_PROGRAM,   /* the comm of the process's leader */
	BASE_FRAME_HOST,      /* the machine */
	BASE_FRAME_NONE,      /* there is none */
	NR_BASE_FRAMES
};

/* What stands where a cgroup's path, or a thread, has none. */
#define BASE_FRAME_NO_UNIT	"[no unit]"
#define BASE_FRAME_NO_CONTAINER "[no container]"
#define BASE_FRAME_NO_NAME	"[no name]"

/* What --root calls them. */
extern const char *const base_frame_names[NR_BASE_FRAMES];

#define BASE_FRAMES_MAX 4 /* in one stack */

/* Zeroed: comm, the default. */
struct base_frames {
	uint8_t nr;
	uint8_t kinds
		[BASE_FRAMES_MAX]; /* enum base_frame, the outermost first; NONE stands alone */
};

/* One of them, as an initializer; NR_BASE_FRAMES: there is one, of which no more is known. */
#define BASE_FRAMES_OF(kind)   \
	{                      \
		1,             \
		{              \
			(kind) \
		}              \
	}

static inline enum base_frame base_frames_kind(const struct base_frames *b, size_t i)
{
	return b->nr ? (enum base_frame)b->kinds[i] : BASE_FRAME_COMM;
}

/* How many frames they are: 0 for NONE. */
static inline size_t base_frames_nr(const struct base_frames *b)
{
	return base_frames_kind(b, 0) == BASE_FRAME_NONE ? 0 : b->nr ? b->nr : 1;
}

static inline bool base_frames_have(const struct base_frames *b, enum base_frame kind)
{
	for (size_t i = 0; i < base_frames_nr(b); i++)
		if (base_frames_kind(b, i) == kind)
			return true;
	return false;
}

/* Is it one of the texts that say that there is none?  They are in brackets, as marks are. */
bool base_frame_is_none(const char *text);

bool base_frames_are_equal(const struct base_frames *a, const struct base_frames *b);

/* What both say; where they differ, one NR_BASE_FRAMES. */
struct base_frames base_frames_common(const struct base_frames *a, const struct base_frames *b);
/* The same under a host, which stands first if it did not. */
struct base_frames base_frames_under_host(const struct base_frames *b);

/* Adds one; false: there are too many, or it is there already, or NONE is not alone. */
bool base_frames_add(struct base_frames *b, enum base_frame kind);

/* What the text of a base frame says of a task; the parts stand in it. */
struct base_frame_task {
	struct bytes comm; /* all of the text where it is neither "comm-PID" nor "comm-PID/TID" */
	struct bytes pid;  /* not there: there is none; "?": it is not known */
	struct bytes tid;  /* the same */
};

/* Takes a text apart by its form; "cpu-3" has the form of a process. */
struct base_frame_task base_frame_split(const char *text, size_t len);

/*
 * Adds such a text: of BASE_FRAME_PROCESS "comm-PID", of BASE_FRAME_THREAD "comm-PID/TID", of
 * others the comm alone.  The comm is somebody else's and made safe (profile/foreign_name.h); a
 * number that is not there becomes "?".
 */
void base_frame_add_task(struct strbuf *sb, enum base_frame kind, const struct base_frame_task *t);

/* A PID or TID; of more than 64 bits, the largest.  False: it is not there, or not known. */
bool base_frame_number(struct bytes part, uint64_t *ret_number);

/* "unit,program" as --root and the `.json` write them.  False: that is no such list. */
bool base_frames_parse(const char *text, struct base_frames *ret_frames);
void base_frames_print(struct strbuf *sb, const struct base_frames *b);

#endif
