// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eddy report: files in, a view out.  Everything is read before anything is written, so a bad
 * input leaves standard output and the -o files as they were.
 *
 * A format is one of the view's own (text, tsv, dot, ...) or one that holds a whole profile
 * (folded, packed or not), which then shows the stacks after the passes, whatever the view.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/passes.h"
#include "cli/report.h"
#include "cli/stack_files.h"
#include "cli/views.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/parse.h"

enum {
	OPTION_VIEW = OPTION_OWN,
	OPTION_OF,
	OPTION_FORMAT,
	OPTION_TIME,
	OPTION_SORT,
	OPTION_PERCENT,
	OPTION_DEPTH,
	OPTION_MIN_PERCENT,
	OPTION_LIMIT,
	OPTION_MIN_EDGE_PERCENT,
	OPTION_GPROF_BLANK,
	OPTION_EFFECT,
	OPTION_WIDTH,
	OPTION_NO_ANNOTATE,
};

static const struct option report_options[] = {
	PASSES_OPTIONS,
	{ "view", required_argument, NULL, OPTION_VIEW },
	{ "of", required_argument, NULL, OPTION_OF },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "output", required_argument, NULL, 'o' },
	{ "time", required_argument, NULL, OPTION_TIME },
	{ "sort", required_argument, NULL, OPTION_SORT },
	{ "percent", required_argument, NULL, OPTION_PERCENT },
	{ "depth", required_argument, NULL, OPTION_DEPTH },
	{ "min-percent", required_argument, NULL, OPTION_MIN_PERCENT },
	{ "min-edge-percent", required_argument, NULL, OPTION_MIN_EDGE_PERCENT },
	{ "gprof-blank", no_argument, NULL, OPTION_GPROF_BLANK },
	{ "effect", no_argument, NULL, OPTION_EFFECT },
	{ "limit", required_argument, NULL, OPTION_LIMIT },
	{ "width", required_argument, NULL, OPTION_WIDTH },
	{ "no-annotate", no_argument, NULL, OPTION_NO_ANNOTATE },
	STACK_FILES_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct report {
	struct passes passes;
	struct view_args args; /* profile and collapse are filled in for each output */
	const struct view *view;
	const char *format;
	const char **outputs;
	size_t nr_outputs, cap_outputs;
	unsigned int given; /* enum view_option: those that stand on the command line */
	bool help;
	struct stack_files_opts files;
};

static void report_deinit(struct report *r)
{
	passes_deinit(&r->passes);
	free(r->outputs);
}

static void print_help(void)
{
	puts("usage: eddy report [PASSES] [--view VIEW] [--of FUNCTION] [--format FORMAT] [-o "
	     "FILE]\n"
	     "                   [FILE]...\n\n"
	     "Shows what is in folded or perf script text (- or no FILE: standard input) or a\n"
	     "folder of snapshots.\n\n"
	     "  --view VIEW          what to show\n"
	     "  --of FUNCTION        the function that callees and callers are about (name or "
	     "glob)\n"
	     "  --format FORMAT      one of the view's, or a file format\n"
	     "  -o, --output FILE    write to FILE, the suffix names the format (repeatable)\n"
	     "  --limit N            no more than N rows\n"
	     "  --width N            fit lines into N columns (the terminal's)\n"
	     "  --depth N            no deeper than N levels\n"
	     "  --min-percent X      fold rows below X % of all samples into one\n"
	     "  --min-edge-percent X leave arcs below X % out of pictures\n"
	     "  --gprof-blank        blanks where gprof has blanks, no exact numbers added\n"
	     "  --effect             of the view irq: what --irq split changes against keep\n"
	     "  --percent total|parent  percents in place of samples (text)\n"
	     "  --sort total|first   siblings by samples, or as first seen\n"
	     "  --time total|self    callers of all samples, or of those that end in the function\n"
	     "  --no-annotate        folded frames without their _[k], _[j], _[i]\n");
	stack_files_help(stdout);
	putchar('\n');
	passes_help(stdout);
	putchar('\n');
	views_help(stdout);
}

static int parse_count(const char *option, const char *arg, size_t *ret, struct diag *ret_diag)
{
	uint64_t v;

	if (parse_u64(arg, &v) < 0 || !v || v > SIZE_MAX)
		return diag_set(ret_diag, EINVAL, "%s: '%s' is not a number above 0", option, arg);
	*ret = v;
	return 0;
}

static int parse_percent(const char *option, const char *arg, double *ret, struct diag *ret_diag)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v >= 0 && v <= 100))
		return diag_set(ret_diag, EINVAL, "%s: '%s' is not within 0 and 100", option, arg);
	*ret = v;
	return 0;
}

static int parse_choice(const char *option, const char *const names[2], const char *arg,
			bool *ret_second, struct diag *ret_diag)
{
	int r = option_choice(option, names, 2, arg, ret_diag);

	if (r >= 0)
		*ret_second = r;
	return r < 0 ? r : 0;
}

/* Options that not every view knows; -ENOENT when it is none of them. */
static int view_option(struct report *r, int option, const char *arg, struct diag *ret_diag)
{
	static const char *const totals[] = { "total", "self" },
				 *const sorts[] = { "total", "first" },
				 *const wholes[] = { "total", "parent" };
	struct view_args *args = &r->args;

	switch (option) {
	case OPTION_OF:
		r->given |= VIEW_OF;
		args->of = arg;
		return 0;
	case OPTION_TIME:
		r->given |= VIEW_TIME;
		return parse_choice("--time", totals, arg, &args->time_self, ret_diag);
	case OPTION_SORT:
		r->given |= VIEW_SORT;
		return parse_choice("--sort", sorts, arg, &args->sort_first, ret_diag);
	case OPTION_PERCENT:
		r->given |= VIEW_PERCENT;
		args->percent = true;
		return parse_choice("--percent", wholes, arg, &args->percent_parent, ret_diag);
	case OPTION_DEPTH:
		r->given |= VIEW_DEPTH;
		return parse_count("--depth", arg, &args->depth, ret_diag);
	case OPTION_MIN_PERCENT:
		r->given |= VIEW_MIN_PERCENT;
		return parse_percent("--min-percent", arg, &args->min_percent, ret_diag);
	case OPTION_MIN_EDGE_PERCENT:
		r->given |= VIEW_MIN_EDGE_PERCENT;
		return parse_percent("--min-edge-percent", arg, &args->min_edge_percent, ret_diag);
	case OPTION_GPROF_BLANK:
		r->given |= VIEW_GPROF_BLANK;
		args->gprof_blank = true;
		return 0;
	case OPTION_EFFECT:
		r->given |= VIEW_EFFECT;
		args->effect = true;
		return 0;
	case OPTION_LIMIT:
		r->given |= VIEW_LIMIT;
		return parse_count("--limit", arg, &args->limit, ret_diag);
	}
	return -ENOENT;
}

static int find_view(const char *name, const struct view **ret_view, struct diag *ret_diag)
{
	char list[VIEW_LIST_BYTES];
	const struct view *v = view_find(name);

	if (!v) {
		view_list(list);
		return diag_set(ret_diag, EINVAL, "--view: '%s' is not one of %s", name, list);
	}
	*ret_view = v;
	return 0;
}

static int own_option(struct report *r, int option, const char *arg, struct diag *ret_diag)
{
	switch (option) {
	case OPTION_VIEW:
		return find_view(arg, &r->view, ret_diag);
	case OPTION_FORMAT:
		r->format = arg;
		return 0;
	case 'o':
		array_reserve(r->outputs, r->cap_outputs, r->nr_outputs + 1);
		r->outputs[r->nr_outputs++] = arg;
		return 0;
	case OPTION_WIDTH:
		return parse_count("--width", arg, &r->args.width, ret_diag);
	case OPTION_NO_ANNOTATE:
		r->args.no_annotate = true;
		return 0;
	case 'h':
		r->help = true;
		return 0;
	}
	return -ENOENT;
}

/* Names the first of a set of options that were given. */
static int refuse(unsigned int refused, const char *why, const char *whose, struct diag *ret_diag)
{
	static const char *const names[] = { "--of",	      "--time",
					     "--sort",	      "--percent",
					     "--depth",	      "--min-percent",
					     "--limit",	      "--min-edge-percent",
					     "--gprof-blank", "--effect" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (refused & 1u << i)
			return diag_set(ret_diag, EINVAL, "%s: %s '%s' does not have it", names[i],
					why, whose);
	return 0;
}

/* Does the view take what was given, and was given what it needs? */
static int check_view_options(const struct report *r, struct diag *ret_diag)
{
	int err = refuse(r->given & ~r->view->options, "the view", r->view->name, ret_diag);

	if (err < 0)
		return err;
	if (r->view->options & VIEW_OF && !r->args.of)
		return diag_set(ret_diag, EINVAL,
				"--of: the view '%s' is about one function, name it",
				r->view->name);
	return 0;
}

/* An option that changes nothing in any output was meant for another. */
static int check_format_options(const struct report *r, const struct output *outputs,
				struct diag *ret_diag)
{
	const char *name = "";
	unsigned int unused = ~(VIEW_OF | VIEW_TIME);

	for (size_t i = 0; i < r->nr_outputs; i++) {
		unused &= outputs[i].view_format ? outputs[i].view_format->unused : unused;
		name = outputs[i].view_format ? outputs[i].view_format->name
					      : outputs[i].writer->name;
	}
	return refuse(r->given & unused, "the format", name, ret_diag);
}

/* 0, or -EINVAL with a diag. */
static int report_parse(struct report *r, int argc, char **argv, struct diag *ret_diag)
{
	int c, err;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":o:h", report_options, NULL)) != -1) {
		if (c == ':')
			return diag_set(ret_diag, EINVAL, "%s: a value is missing",
					argv[optind - 1]);
		if (c == '?' && optopt && optopt < 0x100)
			return diag_set(ret_diag, EINVAL, "-%c: no such option", optopt);
		if (c == '?')
			return diag_set(ret_diag, EINVAL, "%s: no such option (or not unique)",
					argv[optind - 1]);
		err = passes_option(&r->passes, c, optarg, ret_diag);
		if (err == -ENOENT)
			err = stack_files_option(&r->files, c, optarg, ret_diag);
		if (err == -ENOENT)
			err = view_option(r, c, optarg, ret_diag);
		if (err == -ENOENT)
			err = own_option(r, c, optarg, ret_diag);
		if (err < 0)
			return err;
	}
	if (!r->view)
		r->view = view_find(NULL);
	return r->help ? 0 : check_view_options(r, ret_diag);
}

static int write_output(const struct report *r, const struct profile *in, const struct output *o,
			struct diag *ret_diag)
{
	const struct output_context context = {
		.passes = &r->passes,
		.view = r->view,
		.args = r->args,
		.pipeline_flags = PIPELINE_FILES,
	};
	struct pipeline_stats stats = { 0 };
	int err = output_write(&context, o, in, &stats, ret_diag);

	if (err < 0)
		return err;
	if (o->writer && writer_is_folded(o->writer))
		output_forget_sidecar(o->path);
	if (stats.irq_dropped && o->path == r->outputs[0])
		fprintf(stderr, "eddy: %" PRIu64 " of %" PRIu64 " samples left out by --irq drop\n",
			stats.irq_dropped, profile_total(in));
	if (stats.focus_dropped && stats.focus_dropped + stats.irq_dropped == profile_total(in))
		fprintf(stderr, "eddy: --focus and --ignore leave no stack\n");
	return 0;
}

int report_run(int argc, char **argv)
{
	__attribute__((cleanup(report_deinit))) struct report r = {
		.args = { .min_percent = -1, .min_edge_percent = -1 }
	};
	_cleanup_profile_ struct profile *in = profile_new(NULL);
	_cleanup_free_ struct output *outputs = NULL;
	_cleanup_stack_files_ struct stack_files files = { 0 };
	struct diag diag = { 0 };
	int err;

	passes_init(&r.passes);
	if (report_parse(&r, argc, argv, &diag) < 0)
		return command_usage("report", "%s", diag.text);
	if (r.help)
		return print_help(), EXIT_DONE;
	if (!r.nr_outputs)
		own_option(&r, 'o', "-", NULL);
	outputs = xcalloc(r.nr_outputs, sizeof(*outputs));
	for (size_t i = 0; i < r.nr_outputs; i++)
		if (output_find(r.view, r.format, r.outputs[i], &outputs[i], &diag) < 0)
			return command_usage("report", "%s", diag.text);
	if (check_format_options(&r, outputs, &diag) < 0)
		return command_usage("report", "%s", diag.text);
	err = stack_files_open(argv + optind, &r.files, &files, &diag);
	if (err == -EINVAL)
		return command_usage("report", "%s", diag.text);
	if (err < 0 || stack_files_read_all(&files, &r.files, in, &diag) < 0)
		return command_failed("%s", diag.text);
	for (size_t i = 0; i < r.nr_outputs; i++)
		if (write_output(&r, in, &outputs[i], &diag) < 0)
			return command_failed("%s", diag.text);
	return EXIT_DONE;
}
