// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands, and how a failure of any of them reads. */
#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/annotate.h"
#include "cli/completion.h"
#include "cli/diff.h"
#include "cli/doctor.h"
#include "cli/export.h"
#include "cli/help.h"
#include "cli/merge.h"
#include "cli/progress.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/snapshot.h"
#include "cli/top.h"
#include "util/terminal.h"
#include "cli/version.h"
#include "live/live_terminal.h"
#include "util/cleanup.h"
#include "util/diag.h"
#include "util/mem.h"
#include "util/near_name.h"
#include "util/strbuf.h"
#include "util/text_escape.h"
#include "util/text_wrap.h"

#define USUAL_COLUMNS 80 /* of a file */

/* In the order of --help: what one begins with comes first. */
const struct command command_table[] = {
	{ "record", "sample the machine and write what its stacks were", record_run,
	  record_tables },
	{ "top", "show what runs, as it runs", top_run, top_tables },
	{ "snapshot", "sample for months, a file for each window", snapshot_run, snapshot_tables },
	{ "report", "show what is in a file of stacks", report_run, report_tables },
	{ "annotate", "show which instructions of a function take time", annotate_run,
	  annotate_tables },
	{ "diff", "say what changed between two files of stacks", diff_run, diff_tables },
	{ "merge", "add up files of stacks", merge_run, merge_tables },
	{ "export", "stacks as rows for a database", export_run, export_tables },
	{ "completion", "print what a shell completes (bash, zsh)", completion_run,
	  completion_tables },
	{ "doctor", "say what this kernel and these privileges offer", doctor_run, doctor_tables },
	{ 0 },
};

static void print_help(FILE *to)
{
	fputs("usage: eddy COMMAND [OPTION]...\n\n", to);
	for (const struct command *c = command_table; c->name; c++)
		fprintf(to, "  %-10s %s\n", c->name, c->summary);
	fputs("\n'eddy COMMAND --help' lists the options of a command, 'eddy --version' says the "
	      "version.\n",
	      to);
}

static int print_version(void)
{
	_cleanup_free_ char *text = NULL;
	const size_t width = terminal_width(STDOUT_FILENO);
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	if (!lines)
		return EXIT_FAILED;
	version_print(lines);
	fclose(lines);
	text_wrap_write(stdout, text, len, width ? width : USUAL_COLUMNS);
	return EXIT_DONE;
}

/* Nothing was asked for: what there is to ask for. */
static int print_usage(void)
{
	_cleanup_free_ char *text = NULL;
	const size_t width = terminal_width(STDERR_FILENO);
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	if (!lines)
		return EXIT_USAGE;
	print_help(lines);
	fclose(lines);
	text_wrap_write_help(stderr, text, len, width ? width : USUAL_COLUMNS);
	return EXIT_USAGE;
}

/* What every message passes: bytes that a terminal obeys, newlines too, are escaped. */
static void print_line(const char *before, const char *text, size_t len)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, before);
	text_escape(&line, text, len);
	strbuf_addch(&line, '\n');
	progress_clear();
	text_wrap_write(stderr, line.bytes, line.len, terminal_width(STDERR_FILENO));
}

static void print_lines(const char *before, const char *text)
{
	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		print_line(before, at, end - at);
	}
}

__attribute__((format(printf, 1, 0))) static void vsay(const char *fmt, va_list ap)
{
	_cleanup_free_ char *text = NULL;

	if (vasprintf(&text, fmt, ap) >= 0)
		print_line("eddy: ", text, strlen(text));
}

void command_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

void command_say_text(const char *text)
{
	command_say("%s", text);
}

void command_say_each(const char *text)
{
	print_lines("eddy: ", text);
}

void command_say_lines(const char *text)
{
	print_lines("", text);
}

const struct listener command_listener = {
	.say = command_say_text,
	.say_lines = command_say_lines,
	.step = progress_step,
	.part = progress_part,
	.step_over = progress_clear,
};

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

	/* What was typed stands in it: cut, so that the hint behind it is still seen. */
	va_start(ap, fmt);
	diag_vset(&diag, 1, fmt, ap);
	va_end(ap);
	command_say("%s%s%s ('eddy %s%s--help' lists the options)", command, *command ? ": " : "",
		    diag.text, command, *command ? " " : "");
	return EXIT_USAGE;
}

/* No destructor and no handler: they might ask for memory too. */
void mem_exhausted(size_t size)
{
	live_terminal_rescue();
	fprintf(stderr,
		"eddy: out of memory: %zu bytes more are not to be had (give it less at a time; "
		"--max-input bounds what files may take)\n",
		size);
	_exit(EXIT_FAILED);
}

int command_run(int argc, char **argv)
{
	struct near_name near = { .typed = argc > 1 ? argv[1] : "" };
	char hint[NEAR_NAME_BYTES];

	if (argc < 2)
		return print_usage();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help_begin(), print_help(stdout), help_end(), EXIT_DONE;
	if (!strcmp(argv[1], "--version"))
		return print_version();
	for (const struct command *c = command_table; c->name; c++)
		if (!strcmp(argv[1], c->name)) {
			int status = c->run(argv + 1);

			help_end();
			return status;
		}
	for (const struct command *c = command_table; c->name; c++)
		near_name_offer(&near, c->name);
	near_name_offer(&near, "--help");
	near_name_offer(&near, "--version");
	near_name_hint(&near, "", hint);
	return command_usage("", "no command '%s'%s", argv[1], hint);
}
