/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded text, the form of stacks that every flame graph tool reads: frames root first, joined by
 * ';', a space, the count.  Nothing else stands in the file.
 *
 * Frames are escaped as util/text_escape.h says (so the file is UTF-8), a ';' in a name is
 * written ':', an empty name "[empty]", a '#' that would make its line a comment "\x23", and _[k],
 * _[j], _[i] behind the name say where a frame comes from.  A weight on the root, a stack without
 * frames, stands as "[empty]".  Stacks whose lines become equal are one line with the sum.  Lines
 * are sorted bytewise, as LC_ALL=C sort does; stacks are written whole, however deep (some other
 * tools want lines below 60 KiB: the sampler's depth limit keeps them so).
 */
#ifndef EDDY_OUTPUT_FOLDED_H
#define EDDY_OUTPUT_FOLDED_H

#include "output/writer.h"
#include "util/strbuf.h"

extern const struct writer folded_writer;
extern const struct writer folded_gzip_writer; /* the same, packed */

#endif
