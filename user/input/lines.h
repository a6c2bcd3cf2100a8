/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a source, handed out in place: no copy a line.  The line before the current one stays
 * readable, which is what a reader of sorted text needs.
 */
#ifndef EDDY_INPUT_LINES_H
#define EDDY_INPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/reader.h"

#define LINES_MAX_BYTES (UINT32_C(64) << 20) /* of one line */

struct lines {
	const struct reading *r;
	char *buf;
	size_t len, cap; /* bytes in buf; its size */
	size_t at;	 /* where the next line begins */
	size_t nul;	 /* where the first NUL in buf is; SIZE_MAX: there is none */
	bool at_end;	 /* of the source: nothing follows buf */

	uint64_t number;  /* of the current line, from 1 */
	const char *line; /* without its newline, nor a carriage return before that */
	size_t line_len;
	const char *before; /* the line that was current before; empty at first */
	size_t before_len;
	bool is_cut; /* the current line ends with the input instead of a newline */
};

/* Before the first line of r's source; r must outlive it.  lines_deinit() it. */
void lines_init(struct lines *l, const struct reading *r);
void lines_deinit(struct lines *l); /* no line can be looked at any more */

/* What some editors write before UTF-8; it is not part of the first line. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* The next line: 1, 0 at the end, -errno.  A line that holds a NUL is -EINVAL. */
int lines_next(struct lines *l);

#endif
