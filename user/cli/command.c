// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands, and how a failure of any of them reads. */
#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/diff.h"
#include "cli/doctor.h"
#include "cli/export.h"
#include "cli/merge.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/snapshot.h"
#include "util/diag.h"
#include "util/mem.h"

static const struct command commands[] = {
	{ "record", "sample the machine and write what its stacks were", record_run },
	{ "snapshot", "sample for months, a file for each window", snapshot_run },
	{ "report", "show what is in a file of stacks", report_run },
	{ "diff", "say what changed between two files of stacks", diff_run },
	{ "merge", "add up files of stacks", merge_run },
	{ "export", "stacks as rows for a database", export_run },
	{ "doctor", "say what this kernel and these privileges offer", doctor_run },
	{ 0 },
};

static int print_help(FILE *to)
{
	fputs("usage: eddy COMMAND [OPTION]...\n\n", to);
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  %-10s %s\n", c->name, c->summary);
	fputs("\n'eddy COMMAND --help' lists the options of a command, 'eddy --version' says the "
	      "version.\n",
	      to);
	return 0;
}

static void vsay(const char *fmt, va_list ap)
{
	struct diag diag;

	diag_vset(&diag, 1, fmt, ap);
	fprintf(stderr, "eddy: %s\n", diag.text);
}

void command_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

int command_failed(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
	return EXIT_FAILED;
}

int command_usage(const char *command, const char *fmt, ...)
{
	struct diag diag;
	va_list ap;

	va_start(ap, fmt);
	diag_vset(&diag, 1, fmt, ap);
	va_end(ap);
	fprintf(stderr, "eddy: %s%s%s ('eddy %s%s--help' lists the options)\n", command,
		*command ? ": " : "", diag.text, command, *command ? " " : "");
	return EXIT_USAGE;
}

int command_run(int argc, char **argv)
{
	if (argc < 2)
		return print_help(stderr), EXIT_USAGE;
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_help(stdout), EXIT_DONE;
	if (!strcmp(argv[1], "--version")) {
		puts("eddy " EDDY_VERSION);
		return EXIT_DONE;
	}
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(argv[1], c->name))
			return c->run(argc - 1, argv + 1);
	return command_usage("", "no command '%s'", argv[1]);
}
