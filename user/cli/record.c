// SPDX-License-Identifier: GPL-2.0-or-later
/* eddy record: samples the machine for a while, or while a command runs, and writes what it saw. */
#include "cli/record.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/record_options.h"
#include "cli/record_results.h"
#include "profile/profile_owner.h"
#include "run/signals.h"
#include "util/cleanup.h"

#define PROGRESS_NS   UINT64_C(1000000000)
#define WIDE_PROGRESS 64 /* columns that a capture of a day needs */

static void show_progress(const struct record *r, const struct capture_run *run)
{
	struct capture_progress p;
	char of[32] = "";

	capture_run_progress(run, &p);
	if (r->capture.duration_ns)
		snprintf(of, sizeof(of), " of %.4g", r->capture.duration_ns / 1e9);
	if (progress_width() < WIDE_PROGRESS && !p.lost)
		progress_show("%.0f%s s, %" PRIu64 " %s; Ctrl-C stops", p.seconds, of, p.taken,
			      r->capture.off_cpu ? "waits" : "taken");
	else
		progress_show("%.0f%s s, %" PRIu64 " %s, %" PRIu64 " lost; Ctrl-C stops", p.seconds,
			      of, p.taken, r->capture.off_cpu ? "waits" : "samples taken", p.lost);
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
		.places = record_has_places(r),
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
	_cleanup_(record_deinit) struct record r;
	_cleanup_close_ int signals_fd = -1;
	struct diag diag = { "" };
	struct child child = { 0 };
	int status, err;

	record_init(&r);
	err = record_parse(&r, argv, &diag);
	if (err < 0)
		return command_usage("record", "%s", diag.text);
	if (err == OPTIONS_HELP)
		return record_help(), EXIT_DONE;
	if (record_try_files(&r, &diag) < 0)
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
