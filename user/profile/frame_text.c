// SPDX-License-Identifier: GPL-2.0-or-later
/* A frame as text: what folded lines are made of, and what every other output calls it. */
#include "profile/frame_text.h"

#include <inttypes.h>
#include <string.h>

#include "util/text_escape.h"

#define EMPTY_TEXT "[empty]"

const char *frame_origin_suffix(enum frame_origin origin)
{
	switch (origin) {
	case FRAME_KERNEL:
		return "_[k]";
	case FRAME_JIT:
		return "_[j]";
	case FRAME_INLINED:
		return "_[i]";
	case FRAME_USER:
	case FRAME_BASE:
	case FRAME_SITE: /* has become other frames before anything is written */
		break;
	}
	return "";
}

const char *frame_origin_mark(enum frame_origin origin)
{
	const char *suffix = frame_origin_suffix(origin);

	return *suffix ? suffix + 1 : suffix;
}

/* A ';' ends a frame of folded text, and no reader of that format knows an escape for it. */
static void no_semicolons(struct strbuf *sb, size_t from)
{
	for (char *p = sb->bytes + from; (p = memchr(p, ';', sb->bytes + sb->len - p));)
		*p = ':';
}

static void add_name(struct strbuf *sb, const struct frame_table *frames, frame_id frame)
{
	size_t len;
	const char *name = frame_table_name(frames, frame, &len);

	text_escape(sb, len ? name : EMPTY_TEXT, len ? len : strlen(EMPTY_TEXT));
}

static void add_file(struct strbuf *sb, const struct frame_table *frames, const struct frame *f,
		     bool is_short)
{
	size_t from = sb->len, len;
	const char *file = frame_table_str(frames, f->file, &len);
	const char *slash = is_short ? memrchr(file, '/', len) : NULL;

	if (slash && slash[1])
		text_escape(sb, slash + 1, file + len - slash - 1);
	else
		text_escape(sb, file, len);
	no_semicolons(sb, from);
}

static void add_place(struct strbuf *sb, const struct frame_table *frames, const struct frame *f,
		      bool is_short)
{
	if (!frame_has_line(f))
		return;
	strbuf_addstr(sb, FRAME_AT);
	add_file(sb, frames, f, is_short);
	strbuf_addf(sb, ":%" PRIu32, f->line);
}

void frame_text_add_file(struct strbuf *sb, const struct frame_table *frames, frame_id frame)
{
	add_file(sb, frames, frame_table_get(frames, frame), false);
}

void frame_text_add_place(struct strbuf *sb, const struct frame_table *frames, frame_id frame)
{
	add_place(sb, frames, frame_table_get(frames, frame), true);
}

void frame_text_add(struct strbuf *sb, const struct frame_table *frames, frame_id frame,
		    bool no_annotate)
{
	const struct frame *f = frame_table_get(frames, frame);
	size_t from = sb->len;

	add_name(sb, frames, frame);
	add_place(sb, frames, f, false);
	if (!no_annotate)
		strbuf_addstr(sb, frame_origin_suffix(f->origin));
	no_semicolons(sb, from);
}

void frame_text_add_short(struct strbuf *sb, const struct frame_table *frames, frame_id frame)
{
	const struct frame *f = frame_table_get(frames, frame);
	size_t from = sb->len;

	add_name(sb, frames, frame);
	add_place(sb, frames, f, true);
	strbuf_addstr(sb, frame_origin_suffix(f->origin));
	no_semicolons(sb, from);
}

void frame_text_add_function(struct strbuf *sb, const struct frame_table *frames, frame_id frame,
			     bool no_annotate)
{
	size_t from = sb->len;

	add_name(sb, frames, frame);
	if (!no_annotate)
		strbuf_addstr(sb, frame_origin_suffix(frame_table_get(frames, frame)->origin));
	no_semicolons(sb, from);
}
