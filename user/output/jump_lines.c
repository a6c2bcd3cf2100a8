// SPDX-License-Identifier: GPL-2.0-or-later
/* A line takes one column over all of its rows; it runs to the right at both of its ends. */
#include "output/jump_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define LANES	 (JUMP_LINES_WIDTH - 1)
#define MAX_ROWS 2048 /* of a line */

static size_t low(const struct jump *j)
{
	return j->from < j->to ? j->from : j->to;
}

static size_t high(const struct jump *j)
{
	return j->from < j->to ? j->to : j->from;
}

static int compare_length(const void *va, const void *vb)
{
	const struct jump *a = va, *b = vb;
	const size_t of_a = high(a) - low(a), of_b = high(b) - low(b);

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	return (low(a) > low(b)) - (low(a) < low(b));
}

/* Lane 0 stands right before the head of the arrow. */
static size_t column(size_t lane)
{
	return LANES - 1 - lane;
}

/*
 * Its column, and what runs from its ends to the right: that row's, of which a line that runs up
 * and down may only be crossed.
 */
static bool is_free(char (*rows)[JUMP_LINES_WIDTH + 1], const struct jump *j, size_t lane)
{
	const bool is_target = rows[j->to][LANES] == '>'; /* of another, which it joins */

	for (size_t i = low(j); i <= high(j); i++)
		if (rows[i][column(lane)] != ' ')
			return false;
	for (size_t c = column(lane) + 1; c <= LANES; c++)
		if ((rows[j->from][c] != ' ' && rows[j->from][c] != '|') ||
		    (rows[j->to][c] != ' ' && rows[j->to][c] != '|' && !is_target))
			return false;
	return true;
}

static void run_right(char *row, size_t from, char head)
{
	for (size_t c = from; c < LANES; c++)
		if (row[c] == ' ')
			row[c] = '-';
	row[LANES] = head;
}

static void draw(char (*rows)[JUMP_LINES_WIDTH + 1], const struct jump *j, size_t lane)
{
	for (size_t i = low(j) + 1; i < high(j); i++)
		rows[i][column(lane)] = '|';
	rows[low(j)][column(lane)] = ',';
	rows[high(j)][column(lane)] = '\'';
	run_right(rows[j->from], column(lane) + 1, '-');
	run_right(rows[j->to], column(lane) + 1, '>');
}

void jump_lines_draw(struct jump *jumps, size_t nr, size_t nr_rows, struct jump_lines *ret)
{
	size_t used = 0;

	*ret = (struct jump_lines){ .rows = xcalloc(nr_rows, sizeof(*ret->rows)) };
	for (size_t i = 0; i < nr_rows; i++)
		memset(ret->rows[i], ' ', JUMP_LINES_WIDTH);
	if (nr)
		qsort(jumps, nr, sizeof(*jumps), compare_length);
	for (size_t i = 0; i < nr; i++) {
		const struct jump *j = &jumps[i];
		size_t lane = 0;

		if (j->from == j->to || high(j) >= nr_rows || high(j) - low(j) > MAX_ROWS)
			continue;
		while (lane < LANES && !is_free(ret->rows, j, lane))
			lane++;
		if (lane == LANES)
			continue;
		draw(ret->rows, j, lane);
		used = lane + 1 > used ? lane + 1 : used;
	}
	ret->width = used ? used + 1 : 0;
	for (size_t i = 0; i < nr_rows && used; i++)
		memmove(ret->rows[i], ret->rows[i] + JUMP_LINES_WIDTH - ret->width, ret->width + 1);
	for (size_t i = 0; i < nr_rows && !used; i++)
		ret->rows[i][0] = '\0';
}

void jump_lines_deinit(struct jump_lines *lines)
{
	free(lines->rows);
	*lines = (struct jump_lines){ 0 };
}
