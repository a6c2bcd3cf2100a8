/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jumps beside the rows of a listing: each a line from its row to the row that it leads to, short
 * ones nearer to the rows.  Those for which there is no room are left out.
 */
#ifndef EDDY_OUTPUT_JUMP_LINES_H
#define EDDY_OUTPUT_JUMP_LINES_H

#include <stddef.h>
#include <stdint.h>

#define JUMP_LINES_WIDTH 9 /* columns at most, the last for an arrow's head */

struct jump {
	size_t from, to; /* rows */
};

struct jump_lines {
	char (*rows)[JUMP_LINES_WIDTH + 1]; /* as they are printed */
	size_t width;			    /* of all of them */
};

/* Of so many rows; jumps are sorted. */
void jump_lines_draw(struct jump *jumps, size_t nr, size_t nr_rows, struct jump_lines *ret);
void jump_lines_deinit(struct jump_lines *lines);

#endif
