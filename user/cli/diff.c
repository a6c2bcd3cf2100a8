// SPDX-License-Identifier: GPL-2.0-or-later
/* eddy diff: what got more and what got less between two files or ranges of time. */
#include "cli/diff.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/diff_input.h"
#include "output/diff_view.h"
#include "output/gzip.h"
#include "util/atomic_file.h"
#include "util/mem.h"
#include "util/parse.h"

enum {
	OPTION_VIEW = OPTION_OWN,
	OPTION_FORMAT,
	OPTION_BEFORE,
	OPTION_AFTER,
	OPTION_SORT,
	OPTION_LEVEL,
	OPTION_LIMIT,
	OPTION_MIN_PERCENT,
	OPTION_WIDTH,
	OPTION_NORMALIZE,
	OPTION_NO_ANNOTATE,
};

static const struct option diff_options[] = {
	PASSES_OPTIONS,
	STACK_FILES_OPTIONS,
	{ "view", required_argument, NULL, OPTION_VIEW },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "output", required_argument, NULL, 'o' },
	{ "before", required_argument, NULL, OPTION_BEFORE },
	{ "after", required_argument, NULL, OPTION_AFTER },
	{ "sort", required_argument, NULL, OPTION_SORT },
	{ "level", required_argument, NULL, OPTION_LEVEL },
	{ "limit", required_argument, NULL, OPTION_LIMIT },
	{ "min-percent", required_argument, NULL, OPTION_MIN_PERCENT },
	{ "width", required_argument, NULL, OPTION_WIDTH },
	{ "normalize", no_argument, NULL, OPTION_NORMALIZE },
	{ "no-annotate", no_argument, NULL, OPTION_NO_ANNOTATE },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

enum diff_format { FORMAT_TEXT, FORMAT_TSV, FORMAT_FOLDED, FORMAT_FOLDED_GZ, NR_FORMATS };

static const char *const format_names[NR_FORMATS] = { "text", "tsv", "folded", "folded.gz" };

/* Options that mean nothing in folded text, to be named when they are given with it. */
enum {
	ROWS_VIEW = 1,
	ROWS_SORT = 2,
	ROWS_LEVEL = 4,
	ROWS_LIMIT = 8,
	ROWS_MIN_PERCENT = 16,
	ROWS_WIDTH = 32,
};

struct diff_command {
	struct passes passes;
	struct diff_input input;
	struct diff_opts opts;
	const char *output, *format_name;
	enum diff_format format;
	unsigned int rows_given;
	bool has_range[NR_DIFF_SIDES], has_since_until, help;
};

static void diff_command_deinit(struct diff_command *c)
{
	passes_deinit(&c->passes);
}

static void print_help(void)
{
	puts("usage: eddy diff [PASSES] [--view VIEW] [--format FORMAT] [-o FILE] BEFORE AFTER\n"
	     "       eddy diff [...] --before SINCE..UNTIL --after SINCE..UNTIL DIR\n\n"
	     "What takes more of the CPU time after than before, and what less; what of it is\n"
	     "more than chance is marked. BEFORE and AFTER are files or folders of snapshots.\n\n"
	     "  --before, --after SINCE..UNTIL\n"
	     "                       the range of each side, in a folder (either end may be "
	     "empty)\n"
	     "  --view flat|stacks   functions (the default) or whole stacks\n"
	     "  --sort self|inclusive  functions by the change of their own samples, or of those\n"
	     "                       with all they call (self)\n"
	     "  --format FORMAT      text, tsv, folded (stack, count before, count after: what\n"
	     "                       flamegraph.pl draws) or folded.gz\n"
	     "  -o, --output FILE    write to FILE, the suffix names the format\n"
	     "  --level X            percent of marks that may be wrong on average (5)\n"
	     "  --limit N            no more than N rows\n"
	     "  --min-percent X      no rows below X % on both sides\n"
	     "  --width N            fit lines into N columns (the terminal's)\n"
	     "  --normalize          folded: counts before as if as much had been due as after\n"
	     "  --no-annotate        frames without their _[k], _[j], _[i]\n");
	stack_files_help(stdout);
	putchar('\n');
	passes_help(stdout);
}

static int parse_positive(const char *option, const char *arg, size_t *ret, struct diag *diag)
{
	uint64_t v;

	if (parse_u64(arg, &v) < 0 || !v || v > SIZE_MAX)
		return diag_set(diag, EINVAL, "%s: '%s' is not a number above 0", option, arg);
	*ret = v;
	return 0;
}

static int parse_percent(const char *option, const char *arg, double *ret, struct diag *diag)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v >= 0 && v <= 100))
		return diag_set(diag, EINVAL, "%s: '%s' is not within 0 and 100", option, arg);
	*ret = v;
	return 0;
}

/* "SINCE..UNTIL", "SINCE..", "..UNTIL" */
static int parse_range(struct diff_command *c, enum diff_side side, const char *arg,
		       struct diag *diag)
{
	const char *option = side == DIFF_BEFORE ? "--before" : "--after";
	const char *dots = strstr(arg, "..");
	struct stack_files_opts *opts = &c->input.opts[side];
	_cleanup_free_ char *since = NULL;
	int r = 0;

	if (!dots || (dots == arg && !dots[2]))
		return diag_set(diag, EINVAL, "%s: '%s' is not SINCE..UNTIL", option, arg);
	c->has_range[side] = true;
	since = xmemdup0(arg, dots - arg);
	opts->since = opts->until = (struct time_point){ 0 };
	if (*since)
		r = time_point_parse(option, since, &opts->since, diag);
	if (r >= 0 && dots[2])
		r = time_point_parse(option, dots + 2, &opts->until, diag);
	return r;
}

static int choose(const char *option, const char *const names[2], const char *arg, bool *ret_second,
		  struct diag *diag)
{
	int r = option_choice(option, names, 2, arg, diag);

	if (r >= 0)
		*ret_second = r;
	return r < 0 ? r : 0;
}

static int rows_option(struct diff_command *c, int option, const char *arg, struct diag *diag)
{
	static const char *const views[] = { "flat", "stacks" }, *const sorts[] = { "self",
										    "inclusive" };
	double percent;
	int r;

	switch (option) {
	case OPTION_VIEW:
		c->rows_given |= ROWS_VIEW;
		return choose("--view", views, arg, &c->opts.is_stacks, diag);
	case OPTION_SORT:
		c->rows_given |= ROWS_SORT;
		return choose("--sort", sorts, arg, &c->opts.by_inclusive, diag);
	case OPTION_LEVEL:
		c->rows_given |= ROWS_LEVEL;
		r = parse_percent("--level", arg, &percent, diag);
		if (r >= 0)
			c->opts.level = percent / 100;
		return r;
	case OPTION_LIMIT:
		c->rows_given |= ROWS_LIMIT;
		return parse_positive("--limit", arg, &c->opts.limit, diag);
	case OPTION_MIN_PERCENT:
		c->rows_given |= ROWS_MIN_PERCENT;
		return parse_percent("--min-percent", arg, &c->opts.min_percent, diag);
	case OPTION_WIDTH:
		c->rows_given |= ROWS_WIDTH;
		return parse_positive("--width", arg, &c->opts.width, diag);
	}
	return -ENOENT;
}

static int own_option(struct diff_command *c, int option, const char *arg, struct diag *diag)
{
	switch (option) {
	case OPTION_FORMAT:
		c->format_name = arg;
		return 0;
	case 'o':
		c->output = arg;
		return 0;
	case OPTION_BEFORE:
		return parse_range(c, DIFF_BEFORE, arg, diag);
	case OPTION_AFTER:
		return parse_range(c, DIFF_AFTER, arg, diag);
	case OPTION_NORMALIZE:
		c->opts.is_normalized = true;
		return 0;
	case OPTION_NO_ANNOTATE:
		c->opts.no_annotate = true;
		return 0;
	case 'h':
		c->help = true;
		return 0;
	}
	return rows_option(c, option, arg, diag);
}

static int take_option(struct diff_command *c, int option, const char *arg, struct diag *diag)
{
	int r = passes_option(&c->passes, option, arg, diag);

	if (r == -ENOENT) {
		r = stack_files_option(&c->input.opts[DIFF_BEFORE], option, arg, diag);
		if (r >= 0)
			stack_files_option(&c->input.opts[DIFF_AFTER], option, arg, diag);
		c->has_since_until |= option == OPTION_SINCE || option == OPTION_UNTIL;
	}
	return r == -ENOENT ? own_option(c, option, arg, diag) : r;
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len > end_len && !strcmp(s + len - end_len, end);
}

static int find_format(struct diff_command *c, struct diag *diag)
{
	int r;

	if (c->format_name) {
		r = option_choice("--format", format_names, NR_FORMATS, c->format_name, diag);
		if (r < 0)
			return r;
		c->format = r;
	} else if (ends_with(c->output, ".tsv")) {
		c->format = FORMAT_TSV;
	} else if (ends_with(c->output, ".folded.gz")) {
		c->format = FORMAT_FOLDED_GZ;
	} else if (ends_with(c->output, ".folded")) {
		c->format = FORMAT_FOLDED;
	} else if (strcmp(c->output, "-") && !ends_with(c->output, ".txt")) {
		return diag_set(diag, EINVAL,
				"%s: the suffix names no format (use --format); there are .txt, "
				".tsv, .folded and .folded.gz",
				c->output);
	}
	return 0;
}

/* What was given and would change nothing. */
static int check_idle(const struct diff_command *c, struct diag *diag)
{
	static const char *const names[] = { "--view",	"--sort",	 "--level",
					     "--limit", "--min-percent", "--width" };
	bool is_folded = c->format >= FORMAT_FOLDED;

	for (size_t i = 0; is_folded && i < ARRAY_SIZE(names); i++)
		if (c->rows_given & 1u << i)
			return diag_set(diag, EINVAL, "%s: folded text holds every stack",
					names[i]);
	if (c->format == FORMAT_TSV && c->rows_given & ROWS_WIDTH)
		return diag_set(diag, EINVAL, "--width is about text for people");
	if (c->has_since_until && (c->has_range[DIFF_BEFORE] || c->has_range[DIFF_AFTER]))
		return diag_set(diag, EINVAL,
				"--since and --until choose for both sides, --before and --after "
				"for one: not together");
	if (!is_folded && c->opts.is_normalized)
		return diag_set(diag, EINVAL, "--normalize is about folded text");
	if (c->opts.is_stacks && c->rows_given & ROWS_SORT)
		return diag_set(diag, EINVAL, "--sort: a stack has no inclusive number");
	return 0;
}

static int take_operands(struct diff_command *c, char **operands, struct diag *diag)
{
	const char *before = operands[0], *after = before ? operands[1] : NULL;

	if (before && !after && c->has_range[DIFF_BEFORE] && c->has_range[DIFF_AFTER])
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
	c->input.is_parted = c->has_range[DIFF_BEFORE] || c->has_range[DIFF_AFTER];
	return 0;
}

static int diff_parse(struct diff_command *c, int argc, char **argv, struct diag *diag)
{
	int o, r;

	optind = 0;
	while ((o = getopt_long(argc, argv, ":o:h", diff_options, NULL)) != -1) {
		if (o == '?' || o == ':')
			return diag_set(diag, EINVAL, "%s: %s", argv[optind - 1],
					o == '?' ? "no such option" : "needs a value");
		r = take_option(c, o, optarg, diag);
		if (r < 0)
			return r;
	}
	if (c->help)
		return 0;
	r = find_format(c, diag);
	if (r >= 0)
		r = check_idle(c, diag);
	return r < 0 ? r : take_operands(c, argv + optind, diag);
}

static void ask_terminal(struct diff_opts *opts)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize ws;

	if (!isatty(STDOUT_FILENO))
		return;
	opts->colour = !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
	if (!opts->width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws))
		opts->width = ws.ws_col;
}

static int render(const struct diff_command *c, const struct diff *d, FILE *to, struct diag *diag)
{
	_cleanup_diff_view_ struct diff_view view = { .name = STRBUF_INIT };
	_cleanup_fclose_ FILE *packed = NULL;

	if (c->format == FORMAT_FOLDED_GZ) {
		packed = gzip_stream_new(to, GZIP_LEVEL);
		if (!packed)
			return diag_set(diag, ENOMEM, "gzip does not start");
		return diff_folded_write(packed, d, &c->opts, diag);
	}
	if (c->format == FORMAT_FOLDED)
		return diff_folded_write(to, d, &c->opts, diag);
	diff_view_init(&view, d, &c->opts);
	if (c->format == FORMAT_TSV)
		diff_tsv_write(to, &view);
	else
		diff_text_write(to, &view);
	return 0;
}

static int write_output(struct diff_command *c, const struct diff *d, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	int r = atomic_file_open(c->output, &file, diag);

	if (r < 0)
		return r;
	if (!strcmp(c->output, "-"))
		ask_terminal(&c->opts);
	r = render(c, d, atomic_file_stream(file), diag);
	return r < 0 ? r : atomic_file_commit(&file, diag);
}

int diff_run(int argc, char **argv)
{
	_cleanup_(diff_command_deinit) struct diff_command c = {
		.output = "-",
		.opts = { .level = 0.05, .min_percent = -1 },
	};
	_cleanup_diff_ struct diff *d = NULL;
	struct diff_loaded loaded;
	struct diag diag = { "" };
	int r;

	passes_init(&c.passes);
	if (diff_parse(&c, argc, argv, &diag) < 0)
		return command_usage("diff", "%s", diag.text);
	if (c.help)
		return print_help(), EXIT_DONE;
	c.input.passes = &c.passes;
	r = diff_input_load(&c.input, &loaded, &diag);
	if (r < 0)
		return command_failed("%s", diag.text);
	d = loaded.diff;
	c.opts.is_due_known = loaded.is_due_known;
	memcpy(c.opts.names, c.input.paths, sizeof(c.opts.names));
	if (write_output(&c, d, &diag) < 0)
		return command_failed("%s", diag.text);
	return EXIT_DONE;
}
