// SPDX-License-Identifier: GPL-2.0-or-later
/* eddy record: samples the machine for a while, or while a command runs, and writes what it saw. */
#include "cli/record.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/account.h"
#include "cli/capture_run.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/signals.h"
#include "util/atomic_file.h"
#include "util/mem.h"

#define DEFAULT_FILE  "eddy.folded"
#define TOP_FUNCTIONS 10

enum {
	OPTION_FORMAT = OPTION_OWN,
	OPTION_ONLY_COMMAND,
	OPTION_NO_SIDECAR,
	OPTION_NO_ANNOTATE,
	OPTION_VIEW,
};

struct record {
	struct capture_options capture;
	struct passes passes;
	const char **files;
	struct output *outputs; /* one for each file */
	size_t nr_files, cap_files;
	const char *format;
	const struct view *view; /* NULL: none */
	bool only_command, no_sidecar, no_annotate;
	bool is_default; /* no -o and no --view */
	char **command;	 /* NULL: none */
};

static void record_deinit(struct record *r)
{
	capture_options_deinit(&r->capture);
	passes_deinit(&r->passes);
	free(r->files);
	free(r->outputs);
}

static void print_help(void)
{
	puts("usage: eddy record [OPTION]... [-o FILE]... [-- COMMAND [ARG]...]\n\n"
	     "Samples all CPUs and writes the stacks; without -o to " DEFAULT_FILE
	     ", printing the\nhottest functions. With a command, while it runs.\n");
	capture_options_help(stdout);
	putchar('\n');
	passes_help(stdout);
	puts("\noutput:\n"
	     "  -o, --output FILE     by its suffix; - is standard output; may be given again\n"
	     "      --format NAME     overrides the suffix\n"
	     "      --view VIEW       prints a view of 'eddy report' instead\n"
	     "      --only-command    sample the command and its descendants only\n"
	     "      --no-annotate     leave _[k], _[j] and _[i] off\n"
	     "      --no-sidecar      no .json beside the file");
}

static int record_option(struct record *r, int c, struct diag *diag)
{
	int err;

	switch (c) {
	case 'o':
		array_reserve(r->files, r->cap_files, r->nr_files + 1);
		r->files[r->nr_files++] = optarg;
		return 0;
	case OPTION_FORMAT:
		r->format = optarg;
		return 0;
	case OPTION_ONLY_COMMAND:
		r->only_command = true;
		return 0;
	case OPTION_NO_SIDECAR:
		r->no_sidecar = true;
		return 0;
	case OPTION_NO_ANNOTATE:
		r->no_annotate = true;
		return 0;
	case OPTION_VIEW:
		r->view = view_find(optarg);
		if (r->view)
			return 0;
		return diag_set(diag, EINVAL, "--view: no view '%s'", optarg);
	}
	err = capture_option(&r->capture, c, optarg, diag);
	return err == -ENOENT ? passes_option(&r->passes, c, optarg, diag) : err;
}

static int record_check(struct record *r, struct diag *diag)
{
	int err = capture_options_check(&r->capture, diag);

	if (err < 0)
		return err;
	if (r->only_command && !r->command)
		return diag_set(diag, EINVAL, "--only-command: there is no command");
	if (r->only_command && (r->capture.pids || r->capture.tids))
		return diag_set(diag, EINVAL, "--only-command excludes --pid and --tid");
	if (r->view && r->view->options & VIEW_OF)
		return diag_set(diag, EINVAL, "--view: '%s' is for 'eddy report', it needs --of",
				r->view->name);
	return 0;
}

/* What is written, apart from views on standard output; without any, the file of a fixed name. */
static int find_outputs(struct record *r, struct diag *diag)
{
	const struct view *view = r->view ? r->view : view_find(NULL);

	if (!r->nr_files && !r->view) {
		array_reserve(r->files, r->cap_files, 1);
		r->files[r->nr_files++] = DEFAULT_FILE;
		r->is_default = true;
	}
	r->outputs = xcalloc(r->nr_files, sizeof(*r->outputs));
	for (size_t i = 0; i < r->nr_files; i++) {
		/* A capture is stacks, on standard output too; a view is asked for by --view. */
		const char *format = r->format;
		int err;

		if (!format && !strcmp(r->files[i], "-") && !r->view)
			format = "folded";
		err = output_find(view, format, r->files[i], &r->outputs[i], diag);
		if (err < 0)
			return err;
	}
	return 0;
}

/* EXIT_DONE to go on, else the exit status. */
static int record_parse(struct record *r, int argc, char **argv, bool *ret_is_help)
{
	static const struct option options[] = {
		CAPTURE_OPTIONS,
		PASSES_OPTIONS,
		{ "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "view", required_argument, NULL, OPTION_VIEW },
		{ "only-command", no_argument, NULL, OPTION_ONLY_COMMAND },
		{ "no-sidecar", no_argument, NULL, OPTION_NO_SIDECAR },
		{ "no-annotate", no_argument, NULL, OPTION_NO_ANNOTATE },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct diag diag = { "" };
	int c;

	while ((c = getopt_long(argc, argv, "+:" CAPTURE_SHORT_OPTIONS "o:h", options, NULL)) >=
	       0) {
		if (c == 'h') {
			*ret_is_help = true;
			return EXIT_DONE;
		}
		if (c == '?' || c == ':')
			return command_usage("record", "%s: %s", argv[optind - 1],
					     c == '?' ? "no such option" : "needs a value");
		if (record_option(r, c, &diag) < 0)
			return command_usage("record", "%s", diag.text);
	}
	if (optind < argc) {
		if (strcmp(argv[optind - 1], "--"))
			return command_usage("record", "'%s': a command stands behind --",
					     argv[optind]);
		r->command = argv + optind;
	}
	if (record_check(r, &diag) < 0 || find_outputs(r, &diag) < 0)
		return command_usage("record", "%s", diag.text);
	return EXIT_DONE;
}

/* ---- results ------------------------------------------------------------------------------ */

static struct output_context context_of(const struct record *r, const struct view *view,
					const struct capture_account *a)
{
	return (struct output_context){
		.passes = &r->passes,
		.view = view,
		.args = { .min_percent = -1,
			  .min_edge_percent = -1,
			  .no_annotate = r->no_annotate },
		.period_ns = a->event->is_clock && a->rate.freq_hz ? 1000000000 / a->rate.freq_hz
			     : a->event->is_clock		   ? a->rate.period
								   : 0,
	};
}

static int write_sidecar(const char *path, const struct capture_account *a,
			 const struct account_extra *extra, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	_cleanup_free_ char *name = xasprintf("%s.json", path);
	int err = atomic_file_open(name, &file, diag);

	if (err < 0)
		return err;
	account_write_json(atomic_file_stream(file), a, extra);
	return atomic_file_commit(&file, diag);
}

/*
 * Opens and drops every file before anything is sampled: a missing folder should be heard of now,
 * not after an hour.  Pipes and devices are left alone, opening them may block or have effects.
 */
static int try_files(const struct record *r, struct diag *diag)
{
	for (size_t i = 0; i < r->nr_files; i++) {
		_cleanup_atomic_file_ struct atomic_file *file = NULL;
		struct stat st;
		int err;

		if (!strcmp(r->files[i], "-"))
			continue;
		if (!stat(r->files[i], &st)) {
			if (S_ISDIR(st.st_mode))
				return diag_set(diag, EISDIR, "%s: is a folder", r->files[i]);
			if (!S_ISREG(st.st_mode))
				continue;
		}
		err = atomic_file_open(r->files[i], &file, diag);
		if (err < 0)
			return err;
	}
	return 0;
}

static bool is_folded(const struct output *o)
{
	return o->writer && writer_is_folded(o->writer);
}

/* All files, also when one fails: what was sampled is written wherever it can be. */
static int write_files(const struct record *r, const struct profile *in,
		       const struct capture_account *a, struct account_extra *extra)
{
	const struct view *view = r->view ? r->view : view_find(NULL);
	const struct output_context context = context_of(r, view, a);
	int status = EXIT_DONE;

	for (size_t i = 0; i < r->nr_files; i++) {
		struct pipeline_stats stats = { 0 };
		struct diag diag = { "" };
		int err = output_write(&context, &r->outputs[i], in, &stats, &diag);

		extra->dropped = stats.irq_dropped + stats.focus_dropped;
		if (err >= 0 && !r->no_sidecar && is_folded(&r->outputs[i]) &&
		    strcmp(r->files[i], "-"))
			err = write_sidecar(r->files[i], a, extra, &diag);
		else if (err >= 0 && is_folded(&r->outputs[i]))
			output_forget_sidecar(r->files[i]);
		if (err < 0)
			status = command_failed("%s", diag.text);
	}
	return status;
}

/* Prints a view on standard output. */
static int print_view(const struct record *r, const struct view *view, size_t limit,
		      const struct capture_window *w)
{
	struct output_context context = context_of(r, view, &w->account);
	struct diag diag = { "" };
	struct output o;

	context.args.limit = limit;
	if (r->is_default)
		context.pipeline_flags |= PIPELINE_FUNCTIONS;
	if (output_find(view, r->nr_files && !r->is_default ? NULL : r->format, "-", &o, &diag) <
		    0 ||
	    output_write(&context, &o, w->profile, NULL, &diag) < 0)
		return command_failed("%s", diag.text);
	return EXIT_DONE;
}

static bool is_on_standard_output(const struct record *r)
{
	for (size_t i = 0; i < r->nr_files; i++)
		if (!strcmp(r->files[i], "-"))
			return true;
	return false;
}

static int record_results(const struct record *r, const struct capture_window *w)
{
	const struct capture_account *a = &w->account;
	struct account_extra extra = { .distinct_stacks = profile_nr_stacks(w->profile) };
	int status = write_files(r, w->profile, a, &extra), shown = EXIT_DONE;

	account_print(stderr, a, &extra, r->capture.verbose);
	if (r->is_default)
		shown = print_view(r, view_find("flat"), TOP_FUNCTIONS, w);
	else if (r->view && !is_on_standard_output(r))
		shown = print_view(r, r->view, 0, w);
	if (r->is_default && !status)
		fprintf(stderr, "eddy: stacks written to %s\n", DEFAULT_FILE);
	return status ? status : shown;
}

static int record_sample(struct record *r, struct child *child, int signals_fd)
{
	const struct capture_request request = {
		.options = &r->capture,
		.root = r->passes.root,
		.child = r->command ? child : NULL,
		.child_name = r->command ? r->command[0] : NULL,
		.only_child = r->only_command,
	};
	_cleanup_(capture_run_freep) struct capture_run *run = NULL;
	_cleanup_capture_window_ struct capture_window window = { 0 };
	struct diag diag = { "" };
	int signal = 0, status;

	if (capture_run_open(&request, &run, &diag) < 0 ||
	    capture_run_once(run, signals_fd, &window, &signal, &diag) < 0)
		return command_failed("%s", diag.text);
	status = record_results(r, &window);
	if (!r->command || status)
		return status;
	if (signal) /* told to end: so is the command, and that is in order */
		return EXIT_DONE;
	child_wait(child);
	return child_exit_status(child);
}

int record_run(int argc, char **argv)
{
	_cleanup_(record_deinit) struct record r = { 0 };
	_cleanup_close_ int signals_fd = -1;
	struct diag diag = { "" };
	struct child child = { 0 };
	bool is_help = false;
	int status;

	capture_options_init(&r.capture);
	passes_init(&r.passes);
	status = record_parse(&r, argc, argv, &is_help);
	if (status)
		return status;
	if (is_help)
		return print_help(), EXIT_DONE;
	if (try_files(&r, &diag) < 0)
		return command_failed("%s", diag.text);
	signals_fd = signals_open();
	if (signals_fd < 0)
		return command_failed("signals: %s", strerror(-signals_fd));
	if (r.command && child_start(r.command, &child, &diag) < 0)
		return command_failed("%s", diag.text);
	status = record_sample(&r, &child, signals_fd);
	if (r.command)
		child_end(&child);
	return status;
}
