// SPDX-License-Identifier: GPL-2.0-or-later
/* eddy doctor: a line for each thing that was checked. */
#include "cli/doctor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"
#include "run/machine_checks.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/terminal.h"
#include "util/text_wrap.h"

static void print(void *nobody, enum machine_mark mark, const char *what, const char *cost)
{
	static const char *const marks[] = {
		[MACHINE_OK] = "ok", [MACHINE_COSTS] = "--", [MACHINE_FAILS] = "NO"
	};
	_cleanup_free_ char *text =
		xasprintf("%-3s %s%s%s\n", marks[mark], what, *cost ? ": " : "", cost);

	text_wrap_write(stdout, text, strlen(text), terminal_width(STDOUT_FILENO));
}

const struct option_row *const doctor_tables[] = { NULL };

int doctor_run(char **argv)
{
	const struct option_group groups[] = { { 0 } };
	struct diag diag = { "" };
	char **operands;
	int r = options_parse(groups, false, argv, &operands, &diag);

	if (r < 0)
		return command_usage("doctor", "%s", diag.text);
	if (r == OPTIONS_HELP) {
		puts("usage: eddy doctor\n\nSays what this kernel and these privileges offer, and "
		     "what "
		     "each missing thing costs.");
		return EXIT_DONE;
	}
	if (*operands)
		return command_usage("doctor", "'%s': it takes no arguments", *operands);
	return machine_checks_run(print, NULL) ? EXIT_DONE : EXIT_FAILED;
}
