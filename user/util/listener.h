/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whom work is told to, by those who may not print: what a person should know, and how far it is.
 * A command hands one down; NULL, or a member that is NULL: nobody listens.
 */
#ifndef EDDY_UTIL_LISTENER_H
#define EDDY_UTIL_LISTENER_H

#include <stddef.h>
#include <stdint.h>

struct listener {
	void (*say)(const char *text);	     /* one remark */
	void (*say_lines)(const char *text); /* a text of many lines, as it stands */
	/* "WHAT DONE of NR files": called for each, shown now and then. */
	void (*step)(const char *what, size_t done, size_t nr);
	/* So many bytes of a file that has `all` of them, 0: that is not known.  The same. */
	void (*part)(const char *what, const char *name, uint64_t done, uint64_t all);
	void (*step_over)(void); /* what was shown may go */
};

void listener_say(const struct listener *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void listener_step(const struct listener *l, const char *what, size_t done, size_t nr);
void listener_part(const struct listener *l, const char *what, const char *name, uint64_t done,
		   uint64_t all);
void listener_step_over(const struct listener *l);

#endif
