// SPDX-License-Identifier: GPL-2.0-or-later
/* Who writes a message clears the line first (command.c), so that no line is written over. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/terminal.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/strbuf.h"
#include "util/text_escape.h"
#include "util/text_width.h"

#define FIRST_NS    UINT64_C(1000000000)
#define INTERVAL_NS UINT64_C(200000000)

static bool is_shown;
static uint64_t next_ns; /* of progress_step(); 0: it was not called yet */

bool progress_is_on(void)
{
	return terminal_has_colour(STDERR_FILENO);
}

size_t progress_width(void)
{
	return terminal_width(STDERR_FILENO) - 1;
}

void progress_show(const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;
	int len;

	if (!progress_is_on())
		return;
	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	fprintf(stderr, "\r%.*s\033[K", (int)text_fit(text, len, progress_width(), NULL), text);
	fflush(stderr);
	is_shown = true;
}

static bool is_due(void)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!next_ns)
		next_ns = now + FIRST_NS;
	if (now < next_ns)
		return false;
	next_ns = now + INTERVAL_NS;
	return true;
}

void progress_step(const char *what, size_t done, size_t nr)
{
	if (is_due() && nr > 1)
		progress_show("%s %zu of %zu files (%zu %%)", what, done, nr, 100 * done / nr);
}

void progress_part(const char *what, const char *name, uint64_t done, uint64_t all)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!is_due() || !progress_is_on())
		return;
	text_escape(&text, name, strlen(name));
	strbuf_addf(&text, ": %" PRIu64, done >> 20);
	if (all)
		strbuf_addf(&text, " of %" PRIu64 " MB (%.0f %%)", all >> 20, 100.0 * done / all);
	else
		strbuf_addstr(&text, " MB");
	progress_show("%s %s", what, text.bytes);
}

void progress_clear(void)
{
	if (is_shown)
		fputs("\r\033[K", stderr);
	is_shown = false;
}
