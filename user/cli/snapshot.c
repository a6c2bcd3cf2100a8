// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eddy snapshot: samples for as long as it runs, a file for each window.  This thread samples; each
 * window that ends goes to another one, which writes it, and is not thought of any more.
 */
#include "cli/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/account.h"
#include "run/capture_run.h"
#include "cli/command.h"
#include "run/service.h"
#include "run/signals.h"
#include "cli/snapshot_options.h"
#include "snapshot/snapshot_store.h"
#include "snapshot/snapshot_writer.h"
#include "util/strbuf.h"

/* How often the writer's messages are looked at, and the service manager hears of us. */
#define LOOK_INTERVAL_NS 1000000000ull
/* Before a window whose end failed is ended again. */
#define RETRY_US 100000

struct snapshot {
	struct snapshot_options options;
	struct snapshot_store *store;
	struct snapshot_writer *writer;
	struct capture_run *run;
	struct service service;
	int signals_fd;

	uint64_t nr_windows;
	struct sampler_stats all; /* of them */
	uint64_t lost;
	bool has_missing; /* more in a window than is usual */
	bool end_failed;  /* the last time, and it was said */
	bool is_cut;	  /* stacks of the last window lost detail, and it was said */
	struct limit_counts limits, last_limits; /* of all windows, of the last one */
};

/* ---- windows ------------------------------------------------------------------------------- */

static void add_totals(struct snapshot *s, const struct capture_account *a)
{
	s->nr_windows++;
	sampler_stats_add(&s->all, &a->sampler);
	s->has_missing |= capture_account_is_many(a, not_taken_total(&a->sampler.not_taken));
	s->lost += a->nr_lost;
}

static void say_limit(const char *when, enum limit limit, uint64_t nr)
{
	if (nr)
		command_say("%s%" PRIu64 " %s", when, nr, limit_text(limit, nr));
}

/* Said when stacks begin to lose detail, and when they are whole again. */
static void say_detail(struct snapshot *s, const struct capture_account *a)
{
	const char *when = "the stacks of a window take more than --max-memory: ";
	bool is_cut = a->limits.nr[LIMIT_CUT_STACKS] || a->limits.nr[LIMIT_SHORT_NAMES];

	if (is_cut && !s->is_cut) {
		say_limit(when, LIMIT_CUT_STACKS, a->limits.nr[LIMIT_CUT_STACKS]);
		say_limit(when, LIMIT_SHORT_NAMES, a->limits.nr[LIMIT_SHORT_NAMES]);
	}
	if (!is_cut && s->is_cut)
		command_say("the stacks of windows are whole again");
	s->is_cut = is_cut;
}

/* These have words of their own: say_detail(), print_losses(). */
static bool is_of_detail(enum limit limit)
{
	return limit == LIMIT_CUT_STACKS || limit == LIMIT_SHORT_NAMES;
}

/* Bounds that were met, but not in the window before: one message each; -v has them every time. */
static void say_limits(struct snapshot *s, const struct limit_counts *now)
{
	for (enum limit i = 0; i < NR_LIMITS; i++)
		if (!s->last_limits.nr[i] && !is_of_detail(i) && !s->options.capture.verbose)
			say_limit("in this window ", i, now->nr[i]);
	limit_counts_add(&s->limits, now);
	s->last_limits = *now;
}

/* Hands the window to the writer; its account stays ours. */
static void hand_over(struct snapshot *s, struct capture_window *window)
{
	const struct capture_account *a = &window->account;
	const struct account_extra extra = {
		.distinct_stacks = profile_nr_stacks(window->profile),
		.host = s->options.host,
		.irq = &s->options.passes.irq,
	};
	const struct snapshot_span span = { a->start_ms, a->end_ms, capture_account_lasted_ms(a) };
	char status[128];

	add_totals(s, a);
	say_detail(s, a);
	say_limits(s, &a->limits);
	if (s->options.capture.verbose)
		account_say(a, &extra, true);
	snapshot_writer_submit(s->writer, snapshot_window_new(take_ptr(window->profile),
							      account_sidecar(a, &extra), &span));
	snprintf(status, sizeof(status),
		 "STATUS=%" PRIu64 " windows, %" PRIu64 " samples, %" PRIu64 " lost", s->nr_windows,
		 s->all.kept, s->lost);
	service_notify(&s->service, status);
}

/* A window that cannot be ended goes on: nothing is lost, and the next try may do. */
static void end_window(struct snapshot *s)
{
	_cleanup_capture_window_ struct capture_window window = { 0 };
	struct diag diag = { "" };

	if (capture_run_end_window(s->run, &window, &diag) < 0) {
		if (!s->end_failed)
			command_say_text(diag.text);
		s->end_failed = true;
		usleep(RETRY_US);
		return;
	}
	s->end_failed = false;
	hand_over(s, &window);
}

/* ---- the loop ------------------------------------------------------------------------------ */

static void read_limits(struct snapshot *s)
{
	struct snapshot_limits limits;
	struct diag diag = { "" };

	if (snapshot_options_limits(&s->options, &limits, &diag) < 0) {
		command_say("%s: the limits stay as they were", diag.text);
		return;
	}
	snapshot_writer_set_limits(s->writer, &limits);
	capture_run_set_max_window(s->run, snapshot_limits_window_bytes(&limits));
}

/* False: it is time to stop. */
static bool heed_signal(struct snapshot *s, int signal)
{
	switch (signal) {
	case SIGHUP:
		read_limits(s);
		return true;
	case SIGUSR1:
		end_window(s);
		return true;
	}
	return false;
}

static uint64_t look_interval_ns(const struct service *service)
{
	uint64_t quarter = service->watchdog_ns / 4;

	return quarter && quarter < LOOK_INTERVAL_NS ? quarter : LOOK_INTERVAL_NS;
}

static int sample(struct snapshot *s, struct diag *diag)
{
	const struct capture_wait wait = {
		.signals_fd = s->signals_fd,
		.fd = -1,
		.timeout_ns = look_interval_ns(&s->service),
	};

	for (;;) {
		int signal = 0, wake = capture_run_wait(s->run, &wait, &signal, diag);

		if (wake < 0 || wake == CAPTURE_WAKE_DONE)
			return wake < 0 ? wake : 0;
		if (wake == CAPTURE_WAKE_SIGNAL && !heed_signal(s, signal))
			return 0;
		if (wake == CAPTURE_WAKE_WINDOW)
			end_window(s);
		snapshot_writer_poll(s->writer);
		service_alive(&s->service);
	}
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static int open_store(struct snapshot *s, uint64_t *ret_window_bytes, struct diag *diag)
{
	struct snapshot_store_opts opts = {
		.dir = s->options.dir,
		.host = s->options.host_dir,
		.is_gzip = !s->options.no_gzip,
		.passes = &s->options.passes,
	};
	int r = snapshot_options_limits(&s->options, &opts.limits, diag);

	if (r >= 0)
		r = snapshot_store_open(&opts, &s->store, diag);
	if (r < 0)
		return r;
	*ret_window_bytes = snapshot_limits_window_bytes(&opts.limits);
	return snapshot_writer_new(s->store, snapshot_limits_queue_bytes(&opts.limits),
				   command_say_text, &s->writer, diag);
}

static int begin(struct snapshot *s, struct diag *diag)
{
	struct capture_request request = {
		.options = &s->options.capture,
		.lines = s->options.passes.lines,
		.root = s->options.passes.root,
		.host = s->options.host,
		.every_ns = s->options.every_ns,
		.warn = command_say_text,
		.load_log = s->options.capture.verbose ? command_say_lines : NULL,
	};
	uint64_t window_bytes;
	int r;

	s->signals_fd = signals_open();
	if (s->signals_fd < 0)
		return diag_set(diag, -s->signals_fd, "signals: %s", strerror(-s->signals_fd));
	service_init(&s->service);
	r = open_store(s, &window_bytes, diag);
	if (r < 0)
		return r;
	request.max_window_bytes = window_bytes;
	r = capture_run_open(&request, &s->run, diag);
	if (r >= 0)
		r = capture_run_start(s->run, diag);
	if (r >= 0 && !s->options.quiet)
		command_say("writes a file every %g s to %s", s->options.every_ns / 1e9,
			    snapshot_store_path(s->store));
	return r;
}

static void print_losses(const struct snapshot_losses *l)
{
	if (l->nr_windows)
		command_say("%" PRIu64 " windows were merged with others, to keep --max-memory",
			    l->nr_windows);
	say_limit("", LIMIT_CUT_STACKS, l->cut_stacks);
	say_limit("", LIMIT_SHORT_NAMES, l->short_names);
	if (l->samples)
		command_say("%" PRIu64 " samples lost their stacks ([lost:window-memory]), to keep "
			    "--max-memory",
			    l->samples);
}

static void print_summary(const struct snapshot *s, const struct snapshot_totals *totals)
{
	char filtered[64] = "";

	if (s->options.quiet)
		return;
	if (s->all.filtered)
		snprintf(filtered, sizeof(filtered), "%" PRIu64 " filtered, ", s->all.filtered);
	command_say("%" PRIu64 " samples expected in %" PRIu64 " windows, %" PRIu64
		    " taken: %" PRIu64 " idle, %s%" PRIu64 " kept, %" PRIu64 " lost; %" PRIu64
		    " files in %s",
		    s->all.due, s->nr_windows, s->all.delivered, s->all.idle, filtered, s->all.kept,
		    s->lost, totals->nr_files, snapshot_store_path(s->store));
	print_losses(&totals->losses);
	for (enum limit i = 0; i < NR_LIMITS; i++)
		if (!is_of_detail(i))
			say_limit("in all windows ", i, s->limits.nr[i]);
	if (s->has_missing)
		account_say_not_taken(&s->all.not_taken);
}

/* The last window, and whatever still waits to be written. */
static int end(struct snapshot *s)
{
	_cleanup_capture_window_ struct capture_window window = { 0 };
	struct snapshot_totals totals;
	struct diag diag = { "" }, why = { "" };
	int status = EXIT_DONE;

	service_notify(&s->service, "STOPPING=1");
	if (capture_run_stop(s->run, &window, &diag) < 0)
		status = command_failed("%s", diag.text);
	else
		hand_over(s, &window);
	snapshot_writer_stop(s->writer, &totals, &why);
	if (totals.nr_unwritten)
		status = command_failed("%" PRIu64 " windows with %" PRIu64
					" samples could not be written: %s",
					totals.nr_unwritten, totals.unwritten_samples, why.text);
	print_summary(s, &totals);
	return status;
}

static void snapshot_deinit(struct snapshot *s)
{
	capture_run_free(s->run);
	snapshot_writer_free(s->writer);
	snapshot_store_free(s->store);
	service_deinit(&s->service);
	if (s->signals_fd >= 0)
		close(s->signals_fd);
	snapshot_options_deinit(&s->options);
}

int snapshot_run(char **argv)
{
	_cleanup_(snapshot_deinit) struct snapshot s = { .signals_fd = -1, .service.fd = -1 };
	struct diag diag = { "" };
	int status, ended;

	snapshot_options_init(&s.options);
	status = snapshot_options_parse(&s.options, argv);
	if (status)
		return status;
	if (s.options.is_help)
		return snapshot_options_help(), EXIT_DONE;
	if (begin(&s, &diag) < 0)
		return command_failed("%s", diag.text);
	service_notify(&s.service, "READY=1");
	if (sample(&s, &diag) < 0)
		status = command_failed("%s", diag.text);
	ended = end(&s);
	return status ? status : ended;
}
