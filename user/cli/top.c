// SPDX-License-Identifier: GPL-2.0-or-later
/* eddy top: asked for here, shown by top/top_run.h. */
#include "cli/top.h"

#include <errno.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/top_options.h"
#include "top/top_run.h"

int top_run(char **argv)
{
	_cleanup_stack_files_ struct stack_files files = { 0 };
	_cleanup_top_options_ struct top_request asked;
	struct diag diag = { "" };
	int r;

	top_options_init(&asked);
	asked.files.listener = &command_listener;
	r = top_options_parse(&asked, argv, &diag);
	if (r == OPTIONS_HELP)
		return top_options_help(), EXIT_DONE;
	if (r >= 0 && *asked.paths)
		r = stack_files_open(asked.paths, &asked.files, &files, &diag);
	if (r == -EINVAL)
		return command_usage("top", "%s", diag.text);
	if (r >= 0)
		r = top_show(&asked, *asked.paths ? &files : NULL, stdout, &diag);
	/* Who reads the tables has seen enough. */
	if (r == -EPIPE)
		return EXIT_DONE;
	return r < 0 ? command_failed("%s", diag.text) : EXIT_DONE;
}
