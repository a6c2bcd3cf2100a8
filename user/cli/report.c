// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eddy report: files in, a view out.  Everything is read before anything is written, so a bad
 * input leaves standard output and the -o files as they were.
 *
 * A format is one of the view's own (text, tsv, dot, ...) or one that holds a whole profile
 * (folded, packed or not), which then shows the stacks after the passes, whatever the view.
 */
#include "cli/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "load/capture_facts.h"
#include "cli/command.h"
#include "cli/stack_files_options.h"
#include "load/file_facts.h"
#include "load/irq_known.h"
#include "load/modules_known.h"
#include "view/outputs.h"
#include "load/page_account.h"
#include "cli/passes_options.h"
#include "load/timeline_files.h"
#include "view/views.h"
#include "load/windows.h"
#include "util/cleanup.h"
#include "util/mem.h"

struct report {
	struct passes passes;
	struct view_args args; /* profile and collapse are filled in for each output */
	const struct view *view;
	const char *format;
	const char **outputs;
	size_t nr_outputs;
	struct file_facts facts;      /* of the input */
	struct irq_rows known;	      /* for the view `irq`: whom interrupts hit in its files */
	struct modules_known modules; /* whose functions are, where that is shown */
	struct writer_facts writer_facts;
	char *account, *title;	   /* of pages; NULL */
	struct timeline *timeline; /* the same */
	struct input_lines lines;  /* of the one file */
	unsigned int given;	   /* enum view_option: those that stand on the command line */
	bool wants_windows;	   /* some output is a page */
	bool wants_times;	   /* some output can hold them */
	struct stack_files_opts files;
	char **paths; /* of the input, in argv */
};

static void report_deinit(struct report *r)
{
	passes_deinit(&r->passes);
	stack_files_opts_deinit(&r->files);
	free(r->outputs);
	file_facts_deinit(&r->facts);
	irq_rows_deinit(&r->known);
	modules_known_deinit(&r->modules);
	timeline_free(r->timeline);
	free(r->lines.nodes);
	free(r->account);
	free(r->title);
}

static void print_help(void)
{
	puts("usage: eddy report [PASSES] [--view VIEW] [--of FUNCTION] [--format FORMAT] [-o "
	     "FILE]\n"
	     "                   [FILE]...\n\n"
	     "Shows what is in folded or perf script text or in a directory of snapshots.\n"
	     "- is standard input, and so is no FILE, but on a terminal " STACK_FILES_DEFAULT
	     ".\n\n"
	     "  --view VIEW          what to show\n"
	     "  --of FUNCTION        the function that callees and callers are about (name or "
	     "glob)\n"
	     "  --format FORMAT      one of the view's, or a file format\n"
	     "  -o, --output FILE    write to FILE, the suffix names the format (repeatable)\n"
	     "  --limit N            no more than N rows\n"
	     "  --width N            fit lines into N columns (the terminal's)\n"
	     "  --depth N            no deeper than N levels\n"
	     "  --min-percent X      sum rows below X % of all samples up in one\n"
	     "  --min-edge-percent X leave arcs below X % out of pictures\n"
	     "  --gprof-blank        blanks where gprof has blanks, no exact numbers added\n"
	     "  --effect             of the view irq: what --irq split changes against keep\n"
	     "  --percent total|parent  percents in place of samples (text)\n"
	     "  --sort self|inclusive  what functions and siblings of trees are sorted by (flat:\n"
	     "                       self; trees: inclusive); of trees also first: as first seen\n"
	     "  -v, --verbose        all columns of flat; all functions of trees, also those that\n"
	     "                       call nothing but one other\n"
	     "  --time total|self    callers of all samples, or of those that end in the function\n"
	     "  --no-annotate        folded frames without their _[k], _[j], _[i]\n");
	stack_files_help(stdout);
	putchar('\n');
	passes_help(stdout);
	putchar('\n');
	views_help(stdout);
}

static int take_view(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	return view_choose(row->name, arg, &((struct report *)into)->view, ret_diag);
}

static const char *const times[] = { "total", "self" }, *const wholes[] = { "total", "parent" };

/* clang-format off */
/* Options that not every view knows; the first that is wrong is the one that is named. */
static const struct option_row view_rows[] = {
	{ OPTION_TEXT("of", NULL, struct view_args, of), .given = VIEW_OF },
	{ OPTION_CHOICE("time", NULL, struct view_args, time_self, times), .given = VIEW_TIME },
	{ OPTION_CHOICE("sort", NULL, struct view_args, sort, view_sort_names),
	  .min = VIEW_SORT_SELF, .given = VIEW_SORT },
	{ OPTION_CHOICE_GIVEN("percent", NULL, struct view_args, percent_parent, wholes, percent),
	  .given = VIEW_PERCENT },
	{ OPTION_COUNT("depth", NULL, struct view_args, depth, 1, SIZE_MAX), .given = VIEW_DEPTH },
	{ OPTION_PERCENT("min-percent", NULL, struct view_args, min_percent),
	  .given = VIEW_MIN_PERCENT },
	{ OPTION_COUNT("limit", NULL, struct view_args, limit, 1, SIZE_MAX), .given = VIEW_LIMIT },
	{ OPTION_PERCENT("min-edge-percent", NULL, struct view_args, min_edge_percent),
	  .given = VIEW_MIN_EDGE_PERCENT },
	{ OPTION_FLAG("gprof-blank", NULL, struct view_args, gprof_blank),
	  .given = VIEW_GPROF_BLANK },
	{ OPTION_FLAG("effect", NULL, struct view_args, effect), .given = VIEW_EFFECT },
	{ OPTION_COUNT("width", NULL, struct view_args, width, 1, SIZE_MAX) },
	{ OPTION_FLAG("verbose", "v", struct view_args, verbose), .given = VIEW_VERBOSE },
	{ OPTION_FLAG("no-annotate", NULL, struct view_args, no_annotate) },
	{ 0 },
};

static const struct option_row rows[] = {
	{ OPTION_OWN("view", NULL, take_view) },
	{ OPTION_TEXT("format", NULL, struct report, format) },
	{ OPTION_TEXTS("output", "o", struct report, outputs, nr_outputs) },
	{ 0 },
};
/* clang-format on */

const struct option_row *const report_tables[] = { passes_option_rows, stack_files_option_rows,
						   view_rows, rows, NULL };

/* Names the first of a set of options that were given. */
static int refuse(unsigned int refused, const char *why, const char *whose, struct diag *ret_diag)
{
	const char *name = options_given_name(view_rows, refused);

	return name ? diag_set(ret_diag, EINVAL, "--%s: %s '%s' does not have it", name, why, whose)
		    : 0;
}

/* Does the view take what was given, and was given what it needs? */
static int check_view_options(const struct report *r, struct diag *ret_diag)
{
	int err = refuse(r->given & ~r->view->options, "the view", r->view->name, ret_diag);

	if (err < 0)
		return err;
	if (r->args.sort == VIEW_SORT_FIRST && !(r->view->options & VIEW_SORT_BY_FIRST))
		return diag_set(ret_diag, EINVAL,
				"--sort: 'first' is for trees, the view '%s' has "
				"self and inclusive",
				r->view->name);
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
		if (outputs[i].view_format)
			name = outputs[i].view_format->name;
		else if (outputs[i].writer)
			name = outputs[i].writer->name;
	}
	return refuse(r->given & unused, "the format", name, ret_diag);
}

/* In what programs read, a function is what its name is. */
static bool shows_modules(const struct report *r, const struct output *outputs)
{
	for (size_t i = 0; i < r->nr_outputs && r->view == &view_flat; i++)
		if (!outputs[i].view_format || strcmp(outputs[i].view_format->name, "text"))
			return false;
	return r->view == &view_flat || r->view == &view_modules;
}

/* 0, OPTIONS_HELP, or -EINVAL with a diag. */
static int report_parse(struct report *r, char **argv, struct diag *ret_diag)
{
	const struct option_group groups[] = {
		{ passes_option_rows, &r->passes, NULL },
		{ stack_files_option_rows, &r->files, NULL },
		{ view_rows, &r->args, &r->given },
		{ rows, r, NULL },
		{ 0 },
	};
	int err = options_parse(groups, false, argv, &r->paths, ret_diag);

	if (err)
		return err;
	if (!r->nr_outputs) {
		r->outputs = xcalloc(1, sizeof(*r->outputs));
		r->outputs[r->nr_outputs++] = "-";
	}
	stack_files_opts_set_root(&r->files, &r->passes);
	return check_view_options(r, ret_diag);
}

static int write_output(const struct report *r, const struct profile *in, const struct output *o,
			struct diag *ret_diag)
{
	const struct output_context context = {
		.passes = &r->passes,
		.view = r->view,
		.args = r->args,
		.pipeline_flags = PIPELINE_FILES,
		.had = r->facts.root,
		.unit = r->facts.unit,
		.facts = r->writer_facts,
		.account = r->account,
		.title = r->title,
		.timeline = r->timeline,
		.windows = r->args.windows ? r->args.windows->page : NULL,
	};
	struct pipeline_stats stats = { 0 };
	int err = output_write(&context, o, in, &stats, ret_diag);

	if (err < 0)
		return err;
	if (o->writer && writer_is_folded(o->writer))
		output_forget_sidecar(o->path, &command_listener);
	if (stats.irq_dropped && o->path == r->outputs[0])
		command_say("%" PRIu64 " of %" PRIu64 " samples left out by --irq drop",
			    stats.irq_dropped, profile_total(in));
	if (stats.focus_dropped && pipeline_dropped(&stats) == profile_total(in))
		command_say("--focus and --ignore leave no stack");
	return 0;
}

static struct writer_facts find_writer_facts(const struct report *r,
					     const struct stack_files *files)
{
	struct writer_facts facts = capture_facts_of_files(files);

	if (r->files.input.by_period) {
		facts.is_weighed = true;
		facts.period_ns = facts.period = 0;
	}
	return facts;
}

/* What pages say of where the stacks come from. */
static void find_account(struct report *r, const struct output *outputs,
			 const struct stack_files *files, const struct profile *in)
{
	for (size_t i = 0; i < r->nr_outputs; i++) {
		if (r->title || !output_is_page(&outputs[i]))
			continue;
		r->account = page_account_of_files(files, profile_nr_stacks(in));
		r->title = page_title_of_files(files);
	}
}

/*
 * For a page the times of the samples too, where there is one file and it has them; what is wrong
 * with those is said, and the page is without.
 */
static int read_stacks(struct report *r, struct stack_files *files, struct profile *in,
		       struct diag *ret_diag)
{
	bool wants_times = r->wants_times && files->nr == 1 && !files->nr_snapshots &&
			   !r->files.with_host && strcmp(files->files[0].path, "-");
	struct diag diag = { "" };
	int err;

	if (wants_times)
		r->files.input.ret_lines = &r->lines;
	err = stack_files_read_all(files, &r->files, in, ret_diag);
	if (err < 0 || !wants_times || !r->lines.nr)
		return err;
	err = timeline_file_read(files->files[0].path, &r->lines, in, &r->timeline, &diag);
	if (err < 0 && err != -ENOENT)
		command_say("%s: the page is without times", diag.text);
	if (r->timeline)
		profile_follow(in);
	return 0;
}

static int read_files(struct report *r, struct stack_files *files, struct profile *in,
		      struct windows *windows, struct diag *ret_diag)
{
	if (r->wants_windows && files->nr > 1 && files->nr_snapshots == files->nr)
		windows->page = html_windows_new(HTML_MAX_CELLS, HTML_MAX_SLOTS);
	if (!(r->view->options & VIEW_WINDOWS) && !windows->page)
		return read_stacks(r, files, in, ret_diag);
	r->args.windows = windows;
	return windows_read(files, &r->files, &r->passes, in, windows, ret_diag);
}

/* Of all stacks of the files, as they were recorded. */
static void find_known(struct report *r, const struct stack_files *files,
		       struct frame_table *frames)
{
	const struct passes *p = &r->passes;

	if (r->view == &view_irq) {
		r->writer_facts = find_writer_facts(r, files);
		r->args.event = r->writer_facts.event;
	}
	if (r->view == &view_modules || r->view == &view_flat) {
		modules_known_find(files, frames, &r->modules);
		r->args.modules = &r->modules;
	}
	if (strcmp(r->view->name, "irq") || p->focus.nr || p->ignore.nr || p->root_given)
		return;
	irq_known_find(files, frames, &r->known);
	r->args.known = &r->known;
}

static void say_if_empty(const struct report *r, const struct stack_files *files,
			 const struct profile *in)
{
	const char *path = r->paths[0] ? r->paths[0] : "-";

	if (!profile_total(in) && files->nr == 1)
		command_say("%s: no samples in it", strcmp(path, "-") ? path : "standard input");
}

int report_run(char **argv)
{
	__attribute__((cleanup(report_deinit))) struct report r = {
		.view = view_find(NULL),
		.args = { .min_percent = -1,
			  .min_edge_percent = -1,
			  .listener = &command_listener },
		.files.listener = &command_listener,
	};
	_cleanup_profile_ struct profile *in = profile_new(NULL);
	_cleanup_free_ struct output *outputs = NULL;
	_cleanup_stack_files_ struct stack_files files = { 0 };
	_cleanup_windows_ struct windows windows = { 0 };
	struct diag diag = { 0 };
	int err;

	passes_init(&r.passes);
	err = report_parse(&r, argv, &diag);
	if (err < 0)
		return command_usage("report", "%s", diag.text);
	if (err == OPTIONS_HELP)
		return print_help(), EXIT_DONE;
	outputs = xcalloc(r.nr_outputs, sizeof(*outputs));
	for (size_t i = 0; i < r.nr_outputs; i++)
		if (output_find(r.view, r.format, r.outputs[i], &outputs[i], &diag) < 0)
			return command_usage("report", "%s", diag.text);
	for (size_t i = 0; i < r.nr_outputs; i++) {
		r.wants_windows |= output_is_page(&outputs[i]);
		r.wants_times |= outputs[i].writer && writer_has_times(outputs[i].writer);
	}
	if (check_format_options(&r, outputs, &diag) < 0)
		return command_usage("report", "%s", diag.text);
	r.files.input.with_modules = shows_modules(&r, outputs);
	err = stack_files_open(r.paths, &r.files, &files, &diag);
	if (err == -EINVAL)
		return command_usage("report", "%s", diag.text);
	if (err < 0 || file_facts_find(&files, &r.files, &r.facts, &diag) < 0 ||
	    read_files(&r, &files, in, &windows, &diag) < 0)
		return command_failed("%s", diag.text);
	say_if_empty(&r, &files, in);
	if (r.files.input.by_period && !r.facts.unit)
		r.facts.unit = xstrdup("samples, each weighed by its period");
	if (*files.unit.text && !r.facts.unit)
		r.facts.unit = xstrdup(files.unit.text);
	r.args.nr_bases =
		file_facts_nr_bases(&r.facts, r.passes.root_given ? &r.passes.root : NULL);
	find_account(&r, outputs, &files, in);
	find_known(&r, &files, profile_frames(in));
	for (size_t i = 0; i < r.nr_outputs; i++)
		if (outputs[i].writer && !writer_is_folded(outputs[i].writer))
			r.writer_facts = find_writer_facts(&r, &files);
	for (size_t i = 0; i < r.nr_outputs; i++)
		if (write_output(&r, in, &outputs[i], &diag) < 0)
			return command_failed("%s", diag.text);
	return EXIT_DONE;
}
