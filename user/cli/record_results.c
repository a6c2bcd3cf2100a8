// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every output is written, also when another fails: what was sampled cannot be had again.
 */
#include "cli/record_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/account.h"
#include "cli/command.h"
#include "load/page_account.h"
#include "load/timeline_files.h"
#include "output/writer_facts.h"
#include "profile/frame_place.h"
#include "util/atomic_file.h"
#include "util/mem.h"

#define TOP_FUNCTIONS 10

/* What is known of it: with the same result as of its file (load/capture_facts.h). */
static struct writer_facts capture_facts(const struct capture_account *a)
{
	struct writer_facts f = {
		.is_weighed = a->sampler.is_weighed && !a->sampler.is_time,
		.is_time = a->sampler.is_time,
		.root = a->root,
	};

	writer_facts_set_event(&f, a->event->name);
	if (!a->rate_changed)
		writer_facts_set_period(&f, a->event->is_clock, a->rate.freq_hz, a->rate.period);
	writer_facts_set_time(&f, a->start_ms, a->end_ms);
	return f;
}

static struct output_context context_of(const struct record *r, const struct view *view,
					const struct capture_account *a, const char *unit)
{
	return (struct output_context){
		.passes = &r->passes,
		.view = view,
		.args = { .listener = &command_listener,
			  .min_percent = -1,
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

int record_try_files(struct record *r, struct diag *diag)
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

	if (!record_is_folded(r, i))
		return 0;
	if (!r->no_sidecar && !atomic_file_is_stream(path))
		return account_sidecar_write(path, a, extra, diag);
	output_forget_sidecar(path, &command_listener);
	return 0;
}

static int write_timeline(const struct record *r, size_t i, const struct timeline *t,
			  const struct writer_lines *lines, struct diag *diag)
{
	const char *path = r->files[i];

	if (!record_is_folded(r, i) || atomic_file_is_stream(path))
		return 0;
	if (t)
		return timeline_file_write(path, t, lines, diag);
	output_forget_timeline(path, &command_listener);
	return 0;
}

/*
 * All files, also when one fails: what was sampled is written wherever it can be.  `in` is by
 * function, w->profile by instruction where an output wants that.
 */
static int write_files(struct record *r, const struct profile *in, const struct capture_window *w,
		       struct account_extra *extra)
{
	const struct capture_account *a = &w->account;
	const struct view *view = record_view(r);
	_cleanup_free_ char *unit = capture_account_unit(a);
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
		extra->dropped = pipeline_dropped(&stats);
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
	_cleanup_free_ char *unit = capture_account_unit(a);
	struct output_context context = context_of(r, view, a, unit);
	struct diag diag = { "" };
	struct output o;

	context.args.limit = limit;
	context.args.is_short = limit;
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

/* Whoever looks on is told what was hot also where files were named. */
static bool wants_answer(const struct record *r)
{
	return r->is_default || (!r->view && !is_on_standard_output(r) && isatty(STDOUT_FILENO));
}

int record_results(struct record *r, const struct capture_window *w)
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
	if (wants_answer(r))
		shown = print_view(r, TOP_FUNCTIONS, in, a);
	else if (r->view && !is_on_standard_output(r))
		shown = print_view(r, 0, in, a);
	if (r->is_default && !status)
		command_say("stacks written to %s", RECORD_DEFAULT_FILE);
	return status ? status : shown;
}
