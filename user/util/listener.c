// SPDX-License-Identifier: GPL-2.0-or-later
/* Nothing is made of what nobody hears. */
#include "util/listener.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/cleanup.h"

void listener_say(const struct listener *l, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;
	int len;

	if (!l || !l->say)
		return;
	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len >= 0)
		l->say(text);
}

void listener_step(const struct listener *l, const char *what, size_t done, size_t nr)
{
	if (l && l->step)
		l->step(what, done, nr);
}

void listener_part(const struct listener *l, const char *what, const char *name, uint64_t done,
		   uint64_t all)
{
	if (l && l->part)
		l->part(what, name, done, all);
}

void listener_step_over(const struct listener *l)
{
	if (l && l->step_over)
		l->step_over();
}
