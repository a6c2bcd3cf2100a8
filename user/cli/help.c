// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands print their help to standard output, which is a buffer meanwhile. */
#include "cli/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/terminal.h"
#include "util/text_wrap.h"

#define USUAL_COLUMNS 80 /* of a file */

static struct {
	FILE *to; /* NULL: not begun */
	char *text;
	size_t len;
} help;

void help_begin(void)
{
	FILE *buffer;

	if (help.to)
		return;
	buffer = open_memstream(&help.text, &help.len);
	if (!buffer)
		return;
	help.to = stdout;
	stdout = buffer;
}

void help_end(void)
{
	const size_t width = terminal_width(STDOUT_FILENO);
	FILE *buffer = stdout;

	if (!help.to)
		return;
	stdout = help.to;
	help.to = NULL;
	fclose(buffer);
	text_wrap_write_help(stdout, help.text, help.len, width ? width : USUAL_COLUMNS);
	free(help.text);
}
