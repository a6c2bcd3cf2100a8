/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a frame as it stands in folded text: escaped as util/text_escape.h says, a ';' in the
 * name written ':', an empty name "[empty]", behind it " at FILE:LINE" where the frame has a line,
 * and last _[k], _[j] or _[i], which says where the frame comes from.
 */
#ifndef EDDY_PROFILE_FRAME_TEXT_H
#define EDDY_PROFILE_FRAME_TEXT_H

#include <stdbool.h>

#include "profile/frame.h"
#include "util/strbuf.h"

/* Adds it; no_annotate leaves the suffix off. */
void frame_text_add(struct strbuf *sb, const struct frame_table *frames, frame_id frame,
		    bool no_annotate);
/* The same without the line: for outputs that have a place of their own for it. */
void frame_text_add_function(struct strbuf *sb, const struct frame_table *frames, frame_id frame,
			     bool no_annotate);
/* For people: of the file its last component. */
void frame_text_add_short(struct strbuf *sb, const struct frame_table *frames, frame_id frame);
/* " at FILE:LINE", or nothing; of the file its last component. */
void frame_text_add_place(struct strbuf *sb, const struct frame_table *frames, frame_id frame);
/* The file of its line, escaped, or nothing. */
void frame_text_add_file(struct strbuf *sb, const struct frame_table *frames, frame_id frame);

#endif
