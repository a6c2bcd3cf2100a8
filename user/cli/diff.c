// SPDX-License-Identifier: GPL-2.0-or-later
/* eddy diff: what got more and what got less between two files or ranges of time. */
#include "cli/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/stack_files_options.h"
#include "cli/passes_options.h"
#include "util/terminal.h"
#include "util/mem.h"
#include "view/diff_output.h"

/* Options that mean nothing in folded text, to be named when they are given with it. */
enum {
	ROWS_VIEW = 1,
	ROWS_SORT = 2,
	ROWS_LEVEL = 4,
	ROWS_LIMIT = 8,
	ROWS_MIN_PERCENT = 16,
	ROWS_WIDTH = 32,
};

/* --before, --after: what the side takes of a directory, instead of --since and --until. */
struct diff_range {
	struct time_point since, until;
	bool is_given;
};

struct diff_command {
	struct passes passes;
	struct diff_input input;
	struct diff_base_request base;
	struct diff_opts opts;
	const char *output, *format_name;
	const struct diff_format *format;
	unsigned int rows_given;
	struct stack_files_opts files; /* of both sides */
	struct diff_range ranges[NR_DIFF_SIDES];
};

static void diff_command_deinit(struct diff_command *c)
{
	passes_deinit(&c->passes);
	stack_files_opts_deinit(&c->files);
}

static void print_help(void)
{
	puts("usage: eddy diff [PASSES] [--view VIEW] [--format FORMAT] [-o FILE] BEFORE AFTER\n"
	     "       eddy diff [...] --before SINCE..UNTIL --after SINCE..UNTIL DIR\n\n"
	     "What takes more CPU time after than before, and what less; what of it is more\n"
	     "than chance is marked. BEFORE and AFTER are files or directories of snapshots.\n\n"
	     "  --per due|cpu|share  compare by the machine's time, by CPU time of one run by one\n"
	     "                       run, or by shares of each side (cpu where both sides were\n"
	     "                       recorded with a command or a filter of processes, else due)\n"
	     "  --work BEFORE:AFTER  units of work done on each side: CPU time by unit\n"
	     "  --before, --after SINCE..UNTIL\n"
	     "                       the range of each side, in a directory (either end may be "
	     "empty)\n"
	     "  --view flat|stacks   functions (the default) or whole stacks\n"
	     "  --sort self|inclusive  functions by the change of their own samples, or of those\n"
	     "                       with all they call (self)\n"
	     "  --format FORMAT      text, tsv, folded (stack, count before, count after: what\n"
	     "                       flamegraph.pl draws), folded.gz, pprof (.pb.gz), svg (a\n"
	     "                       flame graph coloured by what changed) or html (a page of "
	     "it)\n"
	     "  -o, --output FILE    write to FILE, the suffix names the format\n"
	     "  --level X            expected share of false discoveries in percent (5)\n"
	     "  --limit N            no more than N rows\n"
	     "  --min-percent X      no rows below X % on both sides\n"
	     "  --width N            fit lines into N columns (the terminal's)\n"
	     "  --normalize          folded: counts before as if there had been as much as after\n"
	     "                       of what is compared by\n"
	     "  --no-annotate        frames without their _[k], _[j], _[i]\n");
	stack_files_help(stdout);
	putchar('\n');
	passes_help(stdout);
}

/* "SINCE..UNTIL", "SINCE..", "..UNTIL" of the side at the row's place. */
static int take_range(const struct option_row *row, void *into, const char *arg, struct diag *diag)
{
	struct diff_range *range = (struct diff_range *)((char *)into + row->at);
	const char *dots = strstr(arg, "..");
	_cleanup_free_ char *since = NULL;
	int r = 0;

	if (!dots || (dots == arg && !dots[2]))
		return diag_set(diag, EINVAL, "--%s: '%s' is not SINCE..UNTIL", row->name, arg);
	*range = (struct diff_range){ .is_given = true };
	since = xmemdup0(arg, dots - arg);
	if (*since)
		r = time_point_parse(row->name, since, &range->since, diag);
	if (r >= 0 && dots[2])
		r = time_point_parse(row->name, dots + 2, &range->until, diag);
	return r;
}

static const char *const views[] = { "flat", "stacks" }, *const sorts[] = { "self", "inclusive" };

/* clang-format off */
static const struct option_row rows[] = {
	{ OPTION_CHOICE("view", NULL, struct diff_command, opts.is_stacks, views),
	  .given = ROWS_VIEW },
	{ OPTION_CHOICE("sort", NULL, struct diff_command, opts.by_inclusive, sorts),
	  .given = ROWS_SORT },
	{ OPTION_SHARE("level", NULL, struct diff_command, opts.level, 0), .given = ROWS_LEVEL },
	{ OPTION_COUNT("limit", NULL, struct diff_command, opts.limit, 1, SIZE_MAX),
	  .given = ROWS_LIMIT },
	{ OPTION_PERCENT("min-percent", NULL, struct diff_command, opts.min_percent),
	  .given = ROWS_MIN_PERCENT },
	{ OPTION_COUNT("width", NULL, struct diff_command, opts.width, 1, SIZE_MAX),
	  .given = ROWS_WIDTH },
	{ OPTION_TEXT("format", NULL, struct diff_command, format_name) },
	{ OPTION_TEXT("output", "o", struct diff_command, output) },
	{ OPTION_OWN("before", NULL, take_range),
	  .at = offsetof(struct diff_command, ranges[DIFF_BEFORE]) },
	{ OPTION_OWN("after", NULL, take_range),
	  .at = offsetof(struct diff_command, ranges[DIFF_AFTER]) },
	{ OPTION_FLAG("normalize", NULL, struct diff_command, opts.is_normalized) },
	{ OPTION_FLAG("no-annotate", NULL, struct diff_command, opts.no_annotate) },
	{ OPTION_TEXT("per", NULL, struct diff_command, base.per) },
	{ OPTION_TEXT("work", NULL, struct diff_command, base.work) },
	{ 0 },
};
/* clang-format on */

const struct option_row *const diff_tables[] = { passes_option_rows, stack_files_option_rows, rows,
						 NULL };

static bool is_ranged(const struct diff_command *c)
{
	return c->ranges[DIFF_BEFORE].is_given || c->ranges[DIFF_AFTER].is_given;
}

/* What was given and would change nothing. */
static int check_idle(const struct diff_command *c, struct diag *diag)
{
	const char *row = options_given_name(
		rows, c->format->is_picture ? c->rows_given & ~ROWS_LEVEL : c->rows_given);
	bool is_parted = is_ranged(c);

	if (c->format->whole && row)
		return diag_set(diag, EINVAL, "--%s: %s holds every stack", row, c->format->whole);
	if (c->format == &diff_format_tsv && c->rows_given & ROWS_WIDTH)
		return diag_set(diag, EINVAL, "--width is about text for people");
	if (is_parted && (c->files.since.kind || c->files.until.kind))
		return diag_set(diag, EINVAL,
				"--since and --until choose for both sides, --before and --after "
				"for one: not together");
	if (!c->format->is_folded && c->opts.is_normalized)
		return diag_set(diag, EINVAL, "--normalize is about folded text");
	if (c->opts.is_stacks && c->rows_given & ROWS_SORT)
		return diag_set(diag, EINVAL, "--sort: a stack has no inclusive number");
	return 0;
}

static int take_operands(struct diff_command *c, char **operands, struct diag *diag)
{
	const char *before = operands[0], *after = before ? operands[1] : NULL;

	if (before && !after && c->ranges[DIFF_BEFORE].is_given && c->ranges[DIFF_AFTER].is_given)
		after = before;
	if (!before || !after)
		return diag_set(diag, EINVAL,
				"BEFORE and AFTER are needed (or --before, --after and one DIR)");
	if (operands[1] && operands[2])
		return diag_set(diag, EINVAL, "'%s': there are two sides, no more", operands[2]);
	if (!strcmp(before, "-") && !strcmp(after, "-"))
		return diag_set(diag, EINVAL, "only one side can be standard input");
	c->input.paths[DIFF_BEFORE] = before;
	c->input.paths[DIFF_AFTER] = after;
	c->input.base = &c->opts.base;
	c->input.is_parted = is_ranged(c);
	c->input.has_paths = c->format->is_picture;
	c->input.has_accounts = c->format->has_accounts;
	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		c->input.opts[s] = c->files;
		if (!c->ranges[s].is_given)
			continue;
		c->input.opts[s].since = c->ranges[s].since;
		c->input.opts[s].until = c->ranges[s].until;
	}
	return 0;
}

/* 0, OPTIONS_HELP, or -EINVAL with a diag. */
static int diff_parse(struct diff_command *c, char **argv, struct diag *diag)
{
	const struct option_group groups[] = {
		{ passes_option_rows, &c->passes, NULL },
		{ stack_files_option_rows, &c->files, NULL },
		{ rows, c, &c->rows_given },
		{ 0 },
	};
	char **operands;
	int r = options_parse(groups, false, argv, &operands, diag);

	if (!r)
		r = diff_format_find(c->format_name, c->output, &c->format, diag);
	if (!r)
		r = diff_base_parse(&c->base, &c->opts.base, diag);
	if (!r)
		r = check_idle(c, diag);
	stack_files_opts_set_root(&c->files, &c->passes);
	return r ? r : take_operands(c, operands, diag);
}

static void ask_terminal(struct diff_opts *opts)
{
	opts->colour = terminal_has_colour(STDOUT_FILENO);
	if (!opts->width)
		opts->width = terminal_width(STDOUT_FILENO);
}

static int write_output(struct diff_command *c, const struct diff_loaded *loaded, struct diag *diag)
{
	const struct diff_output output = { c->output, c->format, &c->opts, &c->passes };

	c->opts.ascii = terminal_is_ascii();
	if (!strcmp(c->output, "-"))
		ask_terminal(&c->opts);
	return diff_output_write(&output, loaded, diag);
}

int diff_run(char **argv)
{
	_cleanup_(diff_command_deinit) struct diff_command c = {
		.output = "-",
		.opts = { .level = 0.05, .min_percent = -1 },
		.files.listener = &command_listener,
	};
	_cleanup_diff_loaded_ struct diff_loaded loaded = { 0 };
	struct diag diag = { "" };
	int r;

	passes_init(&c.passes);
	r = diff_parse(&c, argv, &diag);
	if (r < 0)
		return command_usage("diff", "%s", diag.text);
	if (r == OPTIONS_HELP)
		return print_help(), EXIT_DONE;
	c.input.passes = &c.passes;
	r = diff_input_load(&c.input, &loaded, &diag);
	if (r < 0)
		return command_failed("%s", diag.text);
	c.opts.base = loaded.base;
	memcpy(c.opts.names, c.input.paths, sizeof(c.opts.names));
	if (write_output(&c, &loaded, &diag) < 0)
		return command_failed("%s", diag.text);
	return EXIT_DONE;
}
