// SPDX-License-Identifier: GPL-2.0-or-later
/* eddy record: samples the machine for a while, or while a command runs, and writes what it saw. */
#include "cli/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/account.h"
#include "run/capture_run.h"
#include "cli/capture_facts.h"
#include "cli/capture_options.h"
#include "cli/command.h"
#include "cli/count_unit.h"
#include "cli/held_dir.h"
#include "cli/passes_options.h"
#include "cli/stack_files.h"
#include "cli/timeline_files.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/page_account.h"
#include "profile/profile_owner.h"
#include "profile/frame_place.h"
#include "run/signals.h"
#include "util/atomic_file.h"
#include "util/mem.h"

#define DEFAULT_FILE  STACK_FILES_DEFAULT
#define TOP_FUNCTIONS 10
#define PROGRESS_NS   UINT64_C(1000000000)

#define MIN_MEMORY_BYTES     (UINT64_C(1) << 20)
#define DEFAULT_MEMORY_BYTES (UINT64_C(256) << 20)

struct record {
	struct capture_options capture;
	uint64_t max_memory_bytes;
	struct passes passes;
	const char **files;
	struct output *outputs; /* one for each file */
	struct held_dir *dirs;	/* the same; NULL: not yet */
	size_t nr_files, cap_files;
	const char *format;
	const struct view *view; /* NULL: none */
	enum view_sort sort;
	bool only_command, no_sidecar, no_annotate, timeline;
	uint64_t slot_ns; /* of the timeline; 0: not given */
	bool is_default;  /* no -o and no --view */
	char **command;	  /* NULL: none */
};

static void record_deinit(struct record *r)
{
	capture_options_deinit(&r->capture);
	passes_deinit(&r->passes);
	for (size_t i = 0; r->dirs && i < r->nr_files; i++)
		held_dir_close(&r->dirs[i]);
	free(r->dirs);
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
	puts("\nlimits:\n"
	     "      --max-memory SIZE  for the stacks and what is written of them (256M): beyond "
	     "it,\n"
	     "                        detail is lost, of who has most, and counted");
	puts("\noutput:\n"
	     "  -o, --output FILE     by its suffix; - is standard output; may be given again\n"
	     "      --format NAME     overrides the suffix\n"
	     "      --view VIEW       prints a view of 'eddy report' instead\n"
	     "      --sort self|inclusive  what functions are sorted by (self)\n"
	     "      --only-command    sample the command and its descendants only\n"
	     "      --no-annotate     leave _[k], _[j] and _[i] off\n"
	     "      --no-sidecar      no .json beside the file\n"
	     "      --timeline        keep when each sample was taken: pages show it, perf.data\n"
	     "                        has it, folded text has it in FILE.timeline\n"
	     "      --timeline-slot TIME  so long is a slot of time (10ms)");
}

static int add_file(const struct option_row *row, void *into, const char *arg,
		    struct diag *ret_diag)
{
	struct record *r = into;

	(void)row, (void)ret_diag;
	array_reserve(r->files, r->cap_files, r->nr_files + 1);
	r->files[r->nr_files++] = arg;
	return 0;
}

static int take_view(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	return view_choose(row->name, arg, &((struct record *)into)->view, ret_diag);
}

/* clang-format off */
static const struct option_row rows[] = {
	{ OPTION_SIZE("max-memory", NULL, struct record, max_memory_bytes, MIN_MEMORY_BYTES,
		      UINT64_MAX),
	  .what = "a size of at least 1M" },
	{ OPTION_OWN("output", "o", add_file) },
	{ OPTION_TEXT("format", NULL, struct record, format) },
	{ OPTION_OWN("view", NULL, take_view) },
	{ OPTION_CHOICE("sort", NULL, struct record, sort, view_sort_names),
	  .min = VIEW_SORT_SELF },
	{ OPTION_FLAG("only-command", NULL, struct record, only_command) },
	{ OPTION_FLAG("no-sidecar", NULL, struct record, no_sidecar) },
	{ OPTION_FLAG("no-annotate", NULL, struct record, no_annotate) },
	{ OPTION_FLAG("timeline", NULL, struct record, timeline) },
	{ OPTION_DURATION("timeline-slot", NULL, struct record, slot_ns, 1, UINT64_MAX) },
	{ 0 },
};
/* clang-format on */

const struct option_row *const record_tables[] = { capture_option_rows, passes_option_rows, rows,
						   NULL };

static const struct view *view_of(const struct record *r)
{
	return r->view ? r->view : view_find(NULL);
}

static int record_check(struct record *r, struct diag *diag)
{
	int err = capture_options_check(&r->capture, diag);

	if (err >= 0 && r->slot_ns)
		err = timeline_slot_check(r->slot_ns, r->timeline, diag);
	if (err < 0)
		return err;
	if (r->timeline && r->capture.off_cpu)
		return diag_set(diag, EINVAL,
				"--timeline is of samples: not with --%s, where a count is a time",
				r->capture.wall ? "wall" : "off-cpu");
	if (r->capture.off_cpu && base_frames_have(&r->passes.root, BASE_FRAME_CPU))
		return diag_set(diag, EINVAL, "--root: who waits is on no CPU");
	if (r->only_command && !r->command)
		return diag_set(diag, EINVAL, "--only-command: there is no command");
	if (r->only_command && (r->capture.pids || r->capture.tids))
		return diag_set(diag, EINVAL, "--only-command excludes --pid and --tid");
	if (r->sort == VIEW_SORT_FIRST && !(view_of(r)->options & VIEW_SORT_BY_FIRST))
		return diag_set(diag, EINVAL,
				"--sort: 'first' is for trees, the view '%s' has "
				"self and inclusive",
				view_of(r)->name);
	if (r->sort && !(view_of(r)->options & VIEW_SORT))
		return diag_set(diag, EINVAL, "--sort: the view '%s' does not have it",
				view_of(r)->name);
	if (r->view && r->view->options & VIEW_WINDOWS)
		return diag_set(diag, EINVAL,
				"--view: '%s' is of a directory of snapshots: for 'eddy report'",
				r->view->name);
	if (r->view && r->view->options & VIEW_OF)
		return diag_set(diag, EINVAL, "--view: '%s' is for 'eddy report', it needs --of",
				r->view->name);
	return 0;
}

static bool is_folded(const struct output *o)
{
	return o->writer && writer_is_folded(o->writer);
}

/* Is there an output that can say when samples were taken? */
static bool has_times(const struct record *r)
{
	for (size_t i = 0; i < r->nr_files; i++)
		if ((r->outputs[i].writer && writer_has_times(r->outputs[i].writer)) ||
		    (is_folded(&r->outputs[i]) && !atomic_file_is_stream(r->files[i])))
			return true;
	return false;
}

/* What is written, apart from views on standard output; without any, the file of a fixed name. */
static int find_outputs(struct record *r, struct diag *diag)
{
	const struct view *view = view_of(r);

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
	if (r->timeline && !has_times(r))
		return diag_set(diag, EINVAL,
				"--timeline: no output has times (a file of .html, .perf or "
				".folded has)");
	return 0;
}

/* 0, OPTIONS_HELP, or -EINVAL with a diag. */
static int record_parse(struct record *r, char **argv, struct diag *diag)
{
	const struct option_group groups[] = {
		{ capture_option_rows, &r->capture, NULL },
		{ passes_option_rows, &r->passes, NULL },
		{ rows, r, NULL },
		{ 0 },
	};
	char **operands;
	int err = options_parse(groups, true, argv, &operands, diag);

	if (err)
		return err;
	if (*operands) {
		if (strcmp(operands[-1], "--"))
			return diag_set(diag, EINVAL, "'%s': a command stands behind --",
					*operands);
		r->command = operands;
	}
	err = record_check(r, diag);
	return err < 0 ? err : find_outputs(r, diag);
}

/* ---- results ------------------------------------------------------------------------------ */

static struct output_context context_of(const struct record *r, const struct view *view,
					const struct capture_account *a, const char *unit)
{
	return (struct output_context){
		.passes = &r->passes,
		.view = view,
		.args = { .min_percent = -1,
			  .min_edge_percent = -1,
			  .no_annotate = r->no_annotate,
			  .sort = r->sort,
			  .nr_bases = base_frames_nr(&r->passes.root),
			  .event = a->event->name,
			  .verbose = r->capture.verbose },
		.facts = capture_facts(a),
		.keep_old = true,
		.unit = unit,
	};
}

/*
 * Opens and drops every file before anything is sampled: a missing directory should be heard of
 * now, not after an hour.
 */
static int try_files(struct record *r, struct diag *diag)
{
	r->dirs = xcalloc(r->nr_files ? r->nr_files : 1, sizeof(*r->dirs));
	for (size_t i = 0; i < r->nr_files; i++)
		r->dirs[i].fd = -1;
	for (size_t i = 0; i < r->nr_files; i++) {
		_cleanup_atomic_file_ struct atomic_file *file = NULL;
		int err = atomic_file_open(r->files[i], &file, diag);

		if (err >= 0 && strcmp(r->files[i], "-"))
			err = held_dir_open(r->files[i], &r->dirs[i], diag);
		if (err < 0)
			return err;
	}
	return 0;
}

/* From here on the files are written where their directories are. */
static void find_dirs(struct record *r)
{
	for (size_t i = 0; i < r->nr_files; i++) {
		const char *path = r->files[i];
		bool is_moved;

		r->outputs[i].path = r->files[i] = held_dir_path(&r->dirs[i], path, &is_moved);
		if (is_moved)
			command_say("%s: another user has moved its directory, or one that leads "
				    "there, away: written to where that is now",
				    path);
	}
}

/* A capture of nothing does not take the place of one that has something. */
static bool would_empty(const struct record *r, size_t i, const struct profile *in)
{
	struct stat st;

	return !profile_total(in) && strcmp(r->files[i], "-") && !stat(r->files[i], &st) &&
	       S_ISREG(st.st_mode) && st.st_size;
}

/* What a page says of the capture. */
static char *account_text(const struct capture_account *a, const struct account_extra *extra)
{
	_cleanup_json_ struct json *sidecar = account_sidecar(a, extra);

	return page_account_of_json(sidecar);
}

/* What stands beside folded text: the account, and when the samples were taken. */
static int write_sidecar(const struct record *r, size_t i, const struct capture_account *a,
			 const struct account_extra *extra, struct diag *diag)
{
	const char *path = r->files[i];

	if (!is_folded(&r->outputs[i]))
		return 0;
	if (!r->no_sidecar && !atomic_file_is_stream(path))
		return account_sidecar_write(path, a, extra, diag);
	output_forget_sidecar(path);
	return 0;
}

static int write_timeline(const struct record *r, size_t i, const struct timeline *t,
			  const struct writer_lines *lines, struct diag *diag)
{
	const char *path = r->files[i];

	if (!is_folded(&r->outputs[i]) || atomic_file_is_stream(path))
		return 0;
	if (t)
		return timeline_file_write(path, t, lines, diag);
	output_forget_timeline(path);
	return 0;
}

static bool has_places(const struct record *r)
{
	for (size_t i = 0; i < r->nr_files; i++)
		if (output_has_places(&r->passes, &r->outputs[i]))
			return true;
	return false;
}

/*
 * All files, also when one fails: what was sampled is written wherever it can be.  `in` is by
 * function, w->profile by instruction where an output wants that.
 */
static int write_files(struct record *r, const struct profile *in, const struct capture_window *w,
		       struct account_extra *extra)
{
	const struct capture_account *a = &w->account;
	const struct view *view = view_of(r);
	_cleanup_free_ char *unit = count_unit_of_capture(a);
	_cleanup_free_ char *account = account_text(a, extra);
	struct output_context context = context_of(r, view, a, unit);
	struct writer_lines lines = { .nr_nodes = w->timeline ? profile_nr_nodes(w->profile) : 0 };
	_cleanup_free_ uint32_t *line = xcalloc(lines.nr_nodes, sizeof(*line));
	int status = EXIT_DONE;

	lines.line = line;
	context.account = account;
	context.timeline = w->timeline;
	context.ret_lines = w->timeline ? &lines : NULL;
	find_dirs(r);
	for (size_t i = 0; i < r->nr_files; i++) {
		struct pipeline_stats stats = { 0 };
		struct diag diag = { "" };
		int err;

		if (would_empty(r, i, in)) {
			status = command_failed("%s: stays as it was: nothing was sampled",
						r->files[i]);
			continue;
		}
		err = output_write(&context, &r->outputs[i],
				   output_has_places(&r->passes, &r->outputs[i]) ? w->profile : in,
				   &stats, &diag);
		extra->dropped = stats.irq_dropped + stats.focus_dropped;
		if (err >= 0)
			err = write_sidecar(r, i, a, extra, &diag);
		if (err >= 0)
			err = write_timeline(r, i, w->timeline, &lines, &diag);
		if (err < 0)
			status = command_failed("%s", diag.text);
	}
	return status;
}

/* Prints the view on standard output; with a limit the hottest functions. */
static int print_view(const struct record *r, size_t limit, const struct profile *in,
		      const struct capture_account *a)
{
	const struct view *view = limit ? view_find("flat") : r->view;
	_cleanup_free_ char *unit = count_unit_of_capture(a);
	struct output_context context = context_of(r, view, a, unit);
	struct diag diag = { "" };
	struct output o;

	context.args.limit = limit;
	context.args.is_short = r->is_default;
	if (output_find(view, r->nr_files && !r->is_default ? NULL : r->format, "-", &o, &diag) <
		    0 ||
	    output_write(&context, &o, in, NULL, &diag) < 0)
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

/* Processes or threads were chosen, and not one sample of them was taken. */
static bool is_without_cpu(const struct record *r, const struct capture_account *a)
{
	const struct capture_options *o = &r->capture;

	return !o->off_cpu && !a->sampler.kept && !a->nr_lost && a->sampler.due_is_known &&
	       (o->pids || o->tids || o->comm || o->cgroup || r->only_command);
}

static int record_results(struct record *r, const struct capture_window *w)
{
	const struct capture_account *a = &w->account;
	_cleanup_profile_ struct profile *functions = profile_without_places(w->profile);
	const struct profile *in = functions ? functions : w->profile;
	struct account_extra extra = { .distinct_stacks = profile_nr_stacks(in),
				       .irq = &r->passes.irq,
				       .functions = in,
				       .no_annotate = r->no_annotate };
	int status = write_files(r, in, w, &extra), shown = EXIT_DONE;

	account_say(a, &extra, r->capture.verbose);
	if (is_without_cpu(r, a))
		command_say("what was asked for used no CPU, or less than a sample's time: "
			    "'eddy record --off-cpu' shows what it waits for");
	if (r->is_default)
		shown = print_view(r, TOP_FUNCTIONS, in, a);
	else if (r->view && !is_on_standard_output(r))
		shown = print_view(r, 0, in, a);
	if (r->is_default && !status)
		command_say("stacks written to %s", DEFAULT_FILE);
	return status ? status : shown;
}

static void show_progress(const struct record *r, const struct capture_run *run)
{
	struct capture_progress p;
	char of[32] = "";

	capture_run_progress(run, &p);
	if (r->capture.duration_ns)
		snprintf(of, sizeof(of), " of %.4g", r->capture.duration_ns / 1e9);
	progress_show("%.0f%s s, %" PRIu64 " %s, %" PRIu64 " lost; Ctrl-C stops", p.seconds, of,
		      p.taken, r->capture.off_cpu ? "waits" : "samples taken", p.lost);
}

/* One window; meanwhile a line on a terminal, unless that is the command's. */
static int sample_once(const struct record *r, struct capture_run *run, int signals_fd,
		       struct capture_window *window, struct diag *diag)
{
	bool is_shown = !r->command && progress_is_on();
	const struct capture_wait wait = {
		.signals_fd = signals_fd,
		.fd = -1,
		.timeout_ns = is_shown ? PROGRESS_NS : 0,
	};
	int signal = 0, err = capture_run_start(run, diag);

	while (err >= 0) {
		if (is_shown)
			show_progress(r, run);
		err = capture_run_wait(run, &wait, &signal, diag);
		if (err != CAPTURE_WAKE_TIMEOUT)
			break;
	}
	progress_clear();
	if (err >= 0)
		err = capture_run_stop(run, window, diag);
	return err < 0 ? err : signal;
}

/* What -d left running is waited for; a signal ends the wait, and the command. */
static int wait_command(const struct record *r, struct child *child, int signals_fd)
{
	struct pollfd fd = { .fd = signals_fd, .events = POLLIN };

	if (!child_poll(child))
		command_say("-d is over: '%s' runs on and is not sampled any more; waiting for it "
			    "(Ctrl-C stops it)",
			    r->command[0]);
	while (!child_poll(child)) {
		int signal;

		poll(&fd, 1, -1);
		signal = signals_read(signals_fd);
		if (signal && signal != SIGCHLD)
			return EXIT_DONE;
	}
	return child_exit_status(child);
}

/* Whose stacks they are mattered while they were bounded. */
static void disown_stacks(struct capture_window *window)
{
	struct profile *owned = window->profile;

	if (window->timeline)
		profile_follow(owned);
	window->profile = profile_disown(owned);
	profile_free(owned);
	if (!window->timeline)
		return;
	timeline_move(window->timeline, profile_followed(window->profile));
	profile_follow(window->profile);
}

static int record_sample(struct record *r, struct child *child, int signals_fd)
{
	const struct capture_request request = {
		.options = &r->capture,
		.lines = r->passes.lines,
		.root = r->passes.root,
		.slot_ns = r->timeline ? r->slot_ns ?: TIMELINE_DEFAULT_NS : 0,
		.max_cells = r->max_memory_bytes / 8 / sizeof(struct timeline_cell),
		.max_window_bytes = r->max_memory_bytes / 2, /* the rest: what is made of it */
		.child = r->command ? child : NULL,
		.child_name = r->command ? r->command[0] : NULL,
		.only_child = r->only_command,
		.places = has_places(r),
		.warn = command_say_text,
		.load_log = r->capture.verbose ? command_say_lines : NULL,
	};
	_cleanup_(capture_run_freep) struct capture_run *run = NULL;
	_cleanup_capture_window_ struct capture_window window = { 0 };
	struct diag diag = { "" };
	int signal, status;

	if (capture_run_open(&request, &run, &diag) < 0)
		return command_failed("%s", diag.text);
	signal = sample_once(r, run, signals_fd, &window, &diag);
	if (signal < 0)
		return command_failed("%s", diag.text);
	disown_stacks(&window);
	status = record_results(r, &window);
	if (!r->command || status)
		return status;
	/* Told to stop: so is the command, and that is in order. */
	return signal ? EXIT_DONE : wait_command(r, child, signals_fd);
}

int record_run(char **argv)
{
	_cleanup_(record_deinit) struct record r = { 0 };
	_cleanup_close_ int signals_fd = -1;
	struct diag diag = { "" };
	struct child child = { 0 };
	int status, err;

	capture_options_init(&r.capture);
	r.max_memory_bytes = DEFAULT_MEMORY_BYTES;
	passes_init(&r.passes);
	err = record_parse(&r, argv, &diag);
	if (err < 0)
		return command_usage("record", "%s", diag.text);
	if (err == OPTIONS_HELP)
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
