/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a line. */
#ifndef EDDY_INPUT_PERF_WORDS_H
#define EDDY_INPUT_PERF_WORDS_H

#include <string.h>

#include "input/perf_line.h"

struct cursor {
	const char *p, *end;
};

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && is_blank(*c->p))
		c->p++;
}

/* The next word, blanks before it skipped; empty at the end. */
static inline struct bytes next_word(struct cursor *c)
{
	struct bytes word;

	skip_blanks(c);
	word.at = c->p;
	while (c->p < c->end && !is_blank(*c->p))
		c->p++;
	word.len = c->p - word.at;
	return word;
}

static inline bool begins_with(struct bytes b, const char *s)
{
	return b.len >= strlen(s) && !memcmp(b.at, s, strlen(s));
}

static inline struct bytes rest_of(struct cursor c)
{
	skip_blanks(&c);
	return (struct bytes){ c.p, c.end - c.p };
}

#endif
