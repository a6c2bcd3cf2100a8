// SPDX-License-Identifier: GPL-2.0-or-later
/* eddy diff: what got more and what got less between two files or ranges of time. */
#include "cli/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/passes_options.h"
#include "cli/diff_input.h"
#include "cli/terminal.h"
#include "output/diff_view.h"
#include "output/gzip.h"
#include "output/html_diff.h"
#include "output/pprof.h"
#include "output/svg_diff.h"
#include "output/writer.h"
#include "util/atomic_file.h"
#include "util/mem.h"
#include "util/text_wrap.h"

enum diff_format {
	FORMAT_TEXT,
	FORMAT_TSV,
	FORMAT_FOLDED,
	FORMAT_FOLDED_GZ,
	FORMAT_PPROF,
	FORMAT_SVG,
	FORMAT_HTML,
	NR_FORMATS
};

static const char *const format_names[NR_FORMATS] = { "text",  "tsv", "folded", "folded.gz",
						      "pprof", "svg", "html" };
/* ".txt" is text here, not folded text. */
static const char *const format_suffixes[NR_FORMATS] = { ".txt",       ".tsv",		".folded",
							 ".folded.gz", ".pb.gz .pprof", ".svg",
							 ".html .htm" };

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
	enum diff_format format;
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

static int find_format(struct diff_command *c, struct diag *diag)
{
	int r = 0;

	if (c->format_name) {
		r = option_choose("format", format_names, NR_FORMATS, c->format_name, diag);
		c->format = r < 0 ? FORMAT_TEXT : r;
		return r < 0 ? r : 0;
	}
	if (!strcmp(c->output, "-"))
		return 0;
	while (r < NR_FORMATS && !format_suits_path(format_suffixes[r], c->output))
		r++;
	if (r == NR_FORMATS)
		return diag_set(diag, EINVAL,
				"%s: the suffix names no format (use --format); there are .txt, "
				".tsv, .folded, .folded.gz, .pb.gz, .svg and .html",
				c->output);
	c->format = r;
	return 0;
}

static bool is_ranged(const struct diff_command *c)
{
	return c->ranges[DIFF_BEFORE].is_given || c->ranges[DIFF_AFTER].is_given;
}

static bool is_picture(const struct diff_command *c)
{
	return c->format == FORMAT_SVG || c->format == FORMAT_HTML;
}

/* What was given and would change nothing. */
static int check_idle(const struct diff_command *c, struct diag *diag)
{
	static const char *const wholes[NR_FORMATS] = {
		[FORMAT_FOLDED] = "folded text", [FORMAT_FOLDED_GZ] = "folded text",
		[FORMAT_PPROF] = "pprof",	 [FORMAT_SVG] = "a picture",
		[FORMAT_HTML] = "a page",
	};
	const char *row = options_given_name(rows, is_picture(c) ? c->rows_given & ~ROWS_LEVEL
								 : c->rows_given);
	bool is_parted = is_ranged(c);

	if (wholes[c->format] && row)
		return diag_set(diag, EINVAL, "--%s: %s holds every stack", row, wholes[c->format]);
	if (c->format == FORMAT_TSV && c->rows_given & ROWS_WIDTH)
		return diag_set(diag, EINVAL, "--width is about text for people");
	if (is_parted && (c->files.since.kind || c->files.until.kind))
		return diag_set(diag, EINVAL,
				"--since and --until choose for both sides, --before and --after "
				"for one: not together");
	if (c->format != FORMAT_FOLDED && c->format != FORMAT_FOLDED_GZ && c->opts.is_normalized)
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
	c->input.has_paths = is_picture(c);
	c->input.has_accounts = c->format == FORMAT_HTML;
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
		r = find_format(c, diag);
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

static int write_text(const struct diff_command *c, struct diff_view *view, FILE *to,
		      struct diag *diag)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	if (!lines)
		return diag_set(diag, errno, "memory for text: %s", strerror(errno));
	diff_text_write(lines, view);
	if (fclose(lines))
		return diag_set(diag, errno, "memory for text: %s", strerror(errno));
	text_wrap_write(to, text, len, c->opts.width);
	return 0;
}

static int write_pprof(const struct diff *d, const struct writer_opts *opts, FILE *to,
		       struct diag *diag)
{
	_cleanup_profile_ struct profile *before = diff_profile(d, DIFF_BEFORE);
	_cleanup_profile_ struct profile *after = diff_profile(d, DIFF_AFTER);

	return pprof_write_diff(to, before, after, opts, diag);
}

/* "before.folded and after.folded" */
static char *title_of(const struct diff_command *c)
{
	const char *names[NR_DIFF_SIDES];

	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		const char *path = c->opts.names[s], *slash = strrchr(path, '/');

		names[s] = slash && slash[1] ? slash + 1 : path;
	}
	return xasprintf("%s → %s", names[DIFF_BEFORE], names[DIFF_AFTER]);
}

static int render_stacks(const struct diff_command *c, const struct diff_loaded *loaded, FILE *to,
			 struct diag *diag)
{
	_cleanup_free_ char *title = title_of(c);
	const struct writer_opts opts = {
		.no_annotate = c->opts.no_annotate,
		.facts = loaded->facts,
		.root = c->passes.root,
		.is_split = c->passes.irq.mode == IRQ_MODE_SPLIT,
		.nr_bases = loaded->nr_bases,
		.title = title,
		.dropped = loaded->nr_dropped,
	};
	const char *const accounts[] = { loaded->accounts[DIFF_BEFORE],
					 loaded->accounts[DIFF_AFTER] };

	if (c->format == FORMAT_PPROF)
		return write_pprof(loaded->diff, &opts, to, diag);
	if (c->format == FORMAT_SVG)
		return svg_diff_write(to, loaded->diff, &c->opts, &opts, diag);
	return html_diff_write(to, loaded->diff, &c->opts, &opts, accounts, diag);
}

static int render(const struct diff_command *c, const struct diff_loaded *loaded, FILE *to,
		  struct diag *diag)
{
	const struct diff *d = loaded->diff;

	_cleanup_diff_view_ struct diff_view view = { .name = STRBUF_INIT };
	_cleanup_fclose_ FILE *packed = NULL;

	if (c->format == FORMAT_FOLDED_GZ) {
		packed = gzip_stream_new(to, GZIP_LEVEL);
		if (!packed)
			return diag_set(diag, ENOMEM, "gzip does not start");
		return diff_folded_write(packed, d, &c->opts, diag);
	}
	if (c->format == FORMAT_PPROF || is_picture(c))
		return render_stacks(c, loaded, to, diag);
	if (c->format == FORMAT_FOLDED)
		return diff_folded_write(to, d, &c->opts, diag);
	diff_view_init(&view, d, &c->opts);
	if (c->format == FORMAT_TSV)
		diff_tsv_write(to, &view);
	else
		return write_text(c, &view, to, diag);
	return 0;
}

static int write_output(struct diff_command *c, const struct diff_loaded *loaded, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	int r = atomic_file_open(c->output, &file, diag);

	if (r < 0)
		return r;
	c->opts.ascii = terminal_is_ascii();
	if (!strcmp(c->output, "-"))
		ask_terminal(&c->opts);
	r = render(c, loaded, atomic_file_stream(file), diag);
	return r < 0 ? r : atomic_file_commit(&file, diag);
}

int diff_run(char **argv)
{
	_cleanup_(diff_command_deinit) struct diff_command c = {
		.output = "-",
		.opts = { .level = 0.05, .min_percent = -1 },
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
