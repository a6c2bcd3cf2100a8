// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A window over samples as they come (top/top_sampler.h), or over files (top/top_replay.h), shown
 * table by table.
 */
#include "top/top_run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/signals.h"
#include "util/mem.h"
#include "util/terminal.h"

static void top_deinit(struct top *t)
{
	live_window_free(t->window);
	live_analysis_free(t->analysis);
	free(t->source);
	free(t->unit);
	free(t->blind);
	free(t->cpus);
	top_annotation_free(t->annotation);
	for (size_t i = 0; i < t->nr_kept; i++)
		profile_free(t->kept[i].stacks);
	free(t->kept);
}

/*
 * What stacks begin with where nothing else is asked for, so that processes and threads are known:
 * views that are not of them have comm alone, which --focus and --ignore find in all of them.
 */
static const struct base_frames with_tasks = { 2, { BASE_FRAME_THREAD, BASE_FRAME_COMM } };

void top_use_passes(struct top *t)
{
	enum live_view view = t->asked->choice.view;

	t->request = (struct pipeline_request){
		.passes = &t->passes,
		.flags = (t->is_live && !t->knows_tasks ? 0 : PIPELINE_FILES) |
			 PIPELINE_JOIN_INLINED | live_view_pipeline_flags(view),
		.default_collapse = COLLAPSE_NONE,
		.had = t->knows_tasks ? with_tasks : t->had,
	};

	t->passes = t->asked->passes;
	if (t->knows_tasks)
		t->passes.root_given = !live_view_is_of_tasks(view);
	live_window_use(t->window, &t->request);
}

static int annotation_add(struct top *t, const struct profile *stacks, struct diag *diag)
{
	struct pipeline_request request = t->request;

	/* Stacks from before somebody looked say nothing. */
	if (!frame_table_has_places(profile_frames(stacks)))
		return 0;
	request.flags &= ~(unsigned int)PIPELINE_JOIN_INLINED; /* they have no code of their own */
	return top_annotation_add(t->annotation, stacks, &request, diag);
}

void top_annotate(struct top *t, struct frame_table *frames, frame_id function)
{
	const struct live_window *w = t->window;
	size_t from, to;
	struct diag diag;

	top_annotation_free(t->annotation);
	t->annotation = top_annotation_new(frames, function,
					   t->is_live ? t->source && strstr(t->source, "clock")
						      : t->is_clock);
	live_window_range(w, &from, &to);
	for (size_t i = 0; i < t->nr_kept; i++)
		if (from < to && t->kept[i].serial <= live_window_serial(w, to - 1) &&
		    (!from || t->kept[i].serial > live_window_serial(w, from - 1)))
			annotation_add(t, t->kept[i].stacks, &diag);
}

int top_make_table(struct top *t, const struct top_range *range, struct top_table *ret_table,
		   struct diag *diag)
{
	struct top_table made = {
		.status = { .source = t->source ? t->source : "begins",
			    .unit = t->unit,
			    .nr_dropped = live_window_nr_dropped(t->window),
			    .is_live = t->is_live,
			    .cpus = t->cpus,
			    .nr_cpus = t->nr_cpus,
			    .blind = t->blind },
	};
	struct live_status *status = &made.status;
	int r = range->half_life_s > 0
			? live_window_show_decayed(t->window, range->to, range->half_life_s, diag)
			: live_window_show(t->window, range->from, range->to, diag);

	if (r >= 0)
		r = live_table_make(t->analysis, t->window, &t->asked->choice, &made.table, diag);
	if (r < 0)
		return r;
	status->sum = live_window_sum(t->window);
	status->half_life_s = range->half_life_s;
	status->samples = (made.table.total + made.table.parts / 2) / made.table.parts;
	status->left_out = live_window_left_out(t->window);
	if (!t->is_live && live_window_nr(t->window) > 1) {
		status->at = range->to;
		status->nr = live_window_nr(t->window);
	}
	*ret_table = made;
	return 0;
}

/* ---- plain tables --------------------------------------------------------------------------- */

static int print_table(struct top *t, size_t from, size_t to, struct diag *diag)
{
	struct top_table made;
	int r = top_make_table(t, &(struct top_range){ from, to, 0 }, &made, diag);

	if (r < 0)
		return r;
	if (t->nr_tables++)
		putc('\n', t->out);
	live_text_write(t->out, &made.status, &made.table,
			t->asked->width ? t->asked->width : terminal_width(STDOUT_FILENO),
			terminal_is_ascii());
	live_table_deinit(&made.table);
	/* Each at once: whoever reads them may wait for this one. */
	if (fflush(t->out) == EOF)
		return diag_set(diag, errno, "standard output: %s", strerror(errno));
	return 0;
}

static size_t window_from(const struct top *t, size_t to)
{
	return t->asked->window_s < 0 ? to - 1
				      : live_window_from(t->window, to, t->asked->window_s);
}

static bool is_enough(const struct top *t)
{
	return t->asked->count && t->nr_tables >= t->asked->count;
}

static int replay_batch(struct top *t, struct diag *diag)
{
	int r = 0;

	for (size_t to = 1; to <= live_window_nr(t->window) && r >= 0 && !is_enough(t); to++)
		r = print_table(t, window_from(t, to), to, diag);
	return r;
}

/* ---- live ----------------------------------------------------------------------------------- */

int top_take_interval(struct top *t, struct top_sampler *sampler, struct diag *diag)
{
	_cleanup_top_interval_ struct top_interval interval = { 0 };
	int r = top_sampler_take(sampler, &interval, diag);

	if (r != TOP_TAKEN)
		return r;
	if (t->annotation && annotation_add(t, interval.stacks, diag) < 0)
		return -EINVAL;
	live_window_add(t->window, interval.stacks, &interval.account);
	free(t->source);
	free(t->unit);
	free(t->blind);
	free(t->cpus);
	t->blind = take_ptr(interval.blind);
	t->cpus = take_ptr(interval.cpus);
	t->nr_cpus = interval.nr_cpus;
	t->source = take_ptr(interval.source);
	t->unit = take_ptr(interval.unit);
	return r;
}

static int live_batch(struct top *t, struct top_sampler *sampler, struct diag *diag)
{
	struct pollfd fd = { .fd = top_sampler_fd(sampler), .events = POLLIN };

	while (!is_enough(t)) {
		int r = top_take_interval(t, sampler, diag);

		if (r < 0 || r == TOP_ENDED)
			return r < 0 ? r : 0;
		if (r == TOP_NOTHING) {
			poll(&fd, 1, -1);
			continue;
		}
		r = live_window_nr(t->window);
		r = print_table(t, window_from(t, r), r, diag);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A screen is for a terminal that can be drawn on. */
static bool wants_screen(const struct top *t)
{
	const char *term = getenv("TERM");

	return !t->asked->is_batch && !t->asked->count && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static int run_live(struct top *t, int signals_fd, struct diag *diag)
{
	const struct listener *to = t->asked->files.listener;
	const struct capture_request request = {
		.options = &t->asked->capture,
		.lines = t->asked->passes.lines,
		.root = t->knows_tasks ? with_tasks : t->asked->passes.root,
		.every_ns = t->asked->every_ns,
		.warn = to ? to->say : NULL,
		.load_log = to && t->asked->capture.verbose ? to->say_lines : NULL,
	};
	_cleanup_(top_sampler_freep) struct top_sampler *sampler = NULL;
	int r;

	top_use_passes(t);
	if (wants_screen(t))
		return top_screen_run(t, &request, signals_fd, diag);
	r = top_sampler_start(&request, false, signals_fd, &sampler, diag);
	return r < 0 ? r : live_batch(t, sampler, diag);
}

static int run_replay(struct top *t, struct stack_files *files, int signals_fd, struct diag *diag)
{
	struct top_replay replay = { .files = files,
				     .opts = &t->asked->files,
				     .has_root = t->asked->passes.root_given,
				     .max_kept_bytes = t->asked->max_bytes };
	char *const *paths = t->asked->paths;
	int r;

	t->asked->files.input.with_places = wants_screen(t);
	t->asked->files.input.ret_is_clock = &t->is_clock;
	top_use_passes(t);
	t->source = paths[1] ? xasprintf("%zu files", files->nr) : xstrdup(paths[0]);
	r = top_replay_read(&replay, t->window, diag);
	t->unit = replay.unit;
	t->kept = replay.kept;
	t->nr_kept = replay.nr_kept;
	if (r < 0)
		return r;
	t->had = replay.had;
	top_use_passes(t);
	return wants_screen(t) ? top_screen_run(t, NULL, signals_fd, diag) : replay_batch(t, diag);
}

int top_show(struct top_request *asked, struct stack_files *files, FILE *out, struct diag *ret_diag)
{
	__attribute__((cleanup(top_deinit))) struct top t = {
		.asked = asked,
		.out = out,
		.is_live = !files,
		.knows_tasks = !files && !asked->passes.root_given,
		.window = live_window_new(asked->max_bytes),
		.analysis = live_analysis_new(),
	};
	_cleanup_close_ int signals_fd = -1;

	if (t.is_live || wants_screen(&t)) {
		signals_fd = signals_open();
		if (signals_fd < 0)
			return diag_set(ret_diag, -signals_fd, "signals: %s",
					strerror(-signals_fd));
	}
	return t.is_live ? run_live(&t, signals_fd, ret_diag)
			 : run_replay(&t, files, signals_fd, ret_diag);
}
