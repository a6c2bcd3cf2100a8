// SPDX-License-Identifier: GPL-2.0-or-later
/* Asked each time: a window may have another size by now. */
#include "util/terminal.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/parse.h"

#define USUAL_COLUMNS 80
#define MOST_COLUMNS  10000

size_t terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	uint64_t n;

	if (!isatty(fd))
		return 0;
	if (columns && !parse_u64(columns, &n) && n && n <= MOST_COLUMNS)
		return n;
	return !ioctl(fd, TIOCGWINSZ, &ws) && ws.ws_col ? ws.ws_col : USUAL_COLUMNS;
}

bool terminal_has_colour(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

bool terminal_is_ascii(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return !strcasestr(value, "UTF-8") && !strcasestr(value, "UTF8");
	}
	return true;
}

void terminal_block_resizes(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}
