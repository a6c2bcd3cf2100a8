// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one poll() loop of a capture.  The ring is drained ten times a second, or at once when the
 * sampler asks for it (a new process, a ring that fills); counts stay in the kernel until the end,
 * or until their map fills up.
 */
#include "run/capture_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "run/capture_rate.h"
#include "run/signals.h"
#include "util/clock.h"
#include "util/descriptor_limit.h"
#include "util/heap.h"
#include "util/mem.h"
#include "util/priority.h"

#define RING_INTERVAL_NS 100000000ull
#define LOOK_INTERVAL_NS 1000000000ull
#define HEAP_INTERVAL_NS 10000000000ull
#define HURRY_NS	 5000000000ull /* from the start, while most files are met first */
#define NAMES_WAIT_NS	 3000000000ull /* at the end, for files of users to be read */
#define MIN_NAMES_BYTES	 (256ull << 10)

int capture_run_open(const struct capture_request *request, struct capture_run **ret_run,
		     struct diag *ret_diag)
{
	_cleanup_(capture_run_freep) struct capture_run *run = xcalloc(1, sizeof(*run));
	int r;

	heap_keep_little();
	descriptor_limit_raise(); /* several for each CPU; without it, fewer CPUs */
	priority_raise();
	run->request = *request;
	r = capture_source_open(&run->source, &run->request, ret_diag);
	if (r < 0)
		return r;
	*ret_run = take_ptr(run);
	return 0;
}

void capture_run_free(struct capture_run *run)
{
	if (!run)
		return;
	capture_source_deinit(&run->source);
	capture_account_deinit(&run->account);
	free(run);
}

static int counts_failed(int err, struct diag *ret_diag)
{
	return diag_set(ret_diag, -err, "the counts cannot be read: %s", strerror(-err));
}

/* ---- windows ------------------------------------------------------------------------------ */

void capture_window_deinit(struct capture_window *w)
{
	profile_free(w->profile);
	timeline_free(w->timeline);
	capture_account_deinit(&w->account);
	w->profile = NULL;
	w->timeline = NULL;
}

static struct capture_parts parts_of(const struct capture_run *run)
{
	const struct capture_options *o = run->request.options;

	return (struct capture_parts){
		.sampler = run->source.sampler,
		.collector = run->source.collector,
		.symbolizer = run->source.symbolizer,
		.naming = run->source.naming,
		.pool = run->source.pool,
		.event = &run->source.event,
		.waits = o->off_cpu,
		.wall = o->wall,
		.cpus = o->cpus,
		.nr_cpus = o->nr_cpus,
	};
}

static void account_begin(struct capture_run *run, const struct instant *start)
{
	const struct capture_parts parts = parts_of(run);

	capture_account_begin(&run->account, &parts, &run->source.rate, start);
	run->account.root = run->request.root;
	run->account.command = run->request.child_name;
	capture_request_filter(&run->request, run->account.filter, sizeof(run->account.filter));
	if (run->overhead.share < 1)
		capture_account_note(&run->account,
				     "sampled at %.3g %% of the rate that was asked for, to keep "
				     "--max-overhead",
				     100 * run->overhead.share);
}

int capture_run_start(struct capture_run *run, struct diag *ret_diag)
{
	const struct capture_parts parts = parts_of(run);
	uint64_t duration_ns = run->request.options->duration_ns;
	struct instant now;
	int r;

	sampler_get_stats(run->source.sampler, &run->before.sampler);
	capture_read(&parts, &run->before);
	/* What was not answered or met a bound before is missing from the first window. */
	run->before.workers = (struct worker_pool_stats){ .cpu_ns = run->before.workers.cpu_ns };
	run->before.limits = (struct limit_counts){ 0 };
	r = sampler_start(run->source.sampler, ret_diag);
	if (r < 0)
		return r;
	now = instant_now();
	collector_begin_times(run->source.collector, now.mono_ns);
	window_clock_begin(&run->clock, run->request.every_ns, &now);
	overhead_init(&run->overhead, run->request.options->max_overhead, &run->source.rate);
	run->cost_then = capture_rate_read_cost(run);
	run->loss_then = (struct loss_reading){ .mono_ns = now.mono_ns };
	account_begin(run, &now);
	run->start_ns = now.mono_ns;
	run->end_ns = duration_ns ? now.mono_ns + duration_ns : UINT64_MAX;
	if (duration_ns)
		sampler_end_at(run->source.sampler, run->end_ns);
	run->look_ns = now.mono_ns + LOOK_INTERVAL_NS;
	run->heap_ns = now.mono_ns;
	naming_begin(run->source.naming);
	if (run->request.child)
		return child_go(run->request.child, run->request.child_name, ret_diag);
	return 0;
}

/* The account is filled: what was kept and has no time is known by it. */
static struct timeline *timeline_take(struct capture_run *run, const struct instant *end)
{
	struct capture_account *a = &run->account;
	struct timeline *t = collector_take_timeline(run->source.collector, end->mono_ns);
	uint64_t kept = a->sampler.is_weighed ? a->sampler.weight.kept : a->sampler.kept;

	if (!t)
		return NULL;
	t->start_ms = a->start_ms;
	t->untimed = kept - t->weight;
	a->times = (struct capture_times){
		.slot_ns = t->slot_ns,
		.asked_ns = t->asked_ns,
		.nr_slots = t->nr_slots,
		.nr_timed = t->nr_samples,
		.nr_untimed = a->sampler.kept - t->nr_samples,
	};
	if (t->slot_ns > t->asked_ns)
		capture_account_note(a,
				     "the timeline has slots of %.4g ms: of %.4g ms they would "
				     "have taken more memory than --max-memory gives them",
				     t->slot_ns / 1e6, t->asked_ns / 1e6);
	return t;
}

/* The window is over, at *end: all of it goes to the collector, and from there to *ret_window. */
static void window_take(struct capture_run *run, const struct instant *end,
			void (*meanwhile)(void *ctx), struct capture_window *ret_window)
{
	const struct capture_parts parts = parts_of(run);
	struct capture_account *a = &run->account;
	struct capture_reading now = { 0 };

	sampler_get_stats(run->source.sampler, &now.sampler);
	naming_hold(run->source.naming, meanwhile, run);
	collector_settle(run->source.collector);
	capture_read(&parts, &now);
	a->end_ms = end->real_ns / 1000000;
	a->seconds = (end->mono_ns - run->clock.start.mono_ns) / 1e9;
	window_clock_next(&run->clock, end, &a->lapse);
	capture_account_fill(a, &parts, &run->before, &now);
	ret_window->timeline = timeline_take(run, end);
	ret_window->profile = collector_take_profile(run->source.collector);
	ret_window->account = *a;
	run->before = now;
	account_begin(run, end);
}

/*
 * Names are only ever added to a table; when it is twice as large as its first window made it, or
 * just large, the next window begins with an empty one.  Not every window: naming all its frames
 * again costs more than keeping them.
 */
static void names_age(struct capture_run *run)
{
	_cleanup_frame_table_ struct frame_table *frames = NULL;
	size_t bytes, most = CAPTURE_CACHE_BYTES / 4, max = run->request.max_window_bytes;

	if (max && max / 4 < most)
		most = max / 4;
	bytes = frame_table_bytes(profile_frames(collector_profile(run->source.collector)));
	if (!run->names_bytes)
		run->names_bytes = bytes;
	if (bytes < 2 * run->names_bytes + MIN_NAMES_BYTES && bytes < most)
		return;
	run->names_bytes = 0;
	frames = frame_table_new();
	collector_use_frames(run->source.collector, frames);
}

void capture_run_set_places(struct capture_run *run, bool places)
{
	if (places == run->request.places)
		return;
	run->request.places = places;
	naming_pause(run->source.naming);
	symbolizer_use_places(run->source.symbolizer, places);
	naming_go_on(run->source.naming);
}

void capture_run_set_max_window(struct capture_run *run, size_t bytes)
{
	run->request.max_window_bytes = bytes;
	naming_pause(run->source.naming);
	collector_set_max_bytes(run->source.collector, bytes);
	naming_go_on(run->source.naming);
}

void capture_run_get_cpu(const struct capture_run *run, uint32_t cpu, uint64_t *ret_delivered,
			 uint64_t *ret_idle)
{
	sampler_get_cpu(run->source.sampler, cpu, ret_delivered, ret_idle);
}

/* Samples of the next window come while those of the last one get their names. */
static void drain_meanwhile(void *ctx)
{
	struct capture_run *run = ctx;

	sampler_drain_ring(run->source.sampler);
}

int capture_run_end_window(struct capture_run *run, struct capture_window *ret_window,
			   struct diag *ret_diag)
{
	_cleanup_profile_ struct profile *shared = NULL;
	struct instant end;
	int r = sampler_end_window(run->source.sampler, &end);

	if (r < 0)
		return counts_failed(r, ret_diag);
	window_take(run, &end, drain_meanwhile, ret_window);
	shared = ret_window->profile;
	ret_window->profile = profile_copy_with_places(shared);
	names_age(run);
	naming_go_on(run->source.naming);
	return 0;
}

/* In a hurry until the run is freed: somebody waits for what comes of it. */
int capture_run_stop(struct capture_run *run, struct capture_window *ret_window,
		     struct diag *ret_diag)
{
	struct instant end;
	int r;

	capture_source_hurry(&run->source);
	r = sampler_stop(run->source.sampler, &end);
	if (r < 0)
		return counts_failed(r, ret_diag);
	symbolizer_end_by(run->source.symbolizer, clock_ns(CLOCK_MONOTONIC) + NAMES_WAIT_NS);
	window_take(run, &end, NULL, ret_window);
	return 0;
}

/* ---- the loop ----------------------------------------------------------------------------- */

/* Has a signal come that is the caller's? */
static int next_signal(int signals_fd)
{
	int sig;

	while ((sig = signals_read(signals_fd)) == SIGCHLD)
		continue;
	return sig;
}

static int poll_timeout_ms(uint64_t now, uint64_t until)
{
	return until <= now ? 0 : (int)((until - now) / 1000000 + 1);
}

/* Names of files that nobody maps any more are kept; what would keep the files open is not. */
static void age_names(struct capture_run *run)
{
	uint32_t file;

	naming_age(run->source.naming);
	while ((file = naming_next_lost(run->source.naming)))
		sampler_ask_file_again(run->source.sampler, file);
}

/* What the sampler wants done, and once a second a look at the CPUs. */
static int serve_sampler(struct capture_run *run, uint64_t now, struct diag *ret_diag)
{
	int r;

	sampler_drain_ring(run->source.sampler);
	r = sampler_relieve_counts(run->source.sampler);
	if (r < 0)
		return counts_failed(r, ret_diag);
	r = capture_rate_keep_up(run, now, ret_diag);
	if (r < 0 || now < run->look_ns)
		return r;
	if (now >= run->start_ns + HURRY_NS)
		capture_source_relax(&run->source);
	run->look_ns = now + LOOK_INTERVAL_NS;
	sampler_age(run->source.sampler);
	age_names(run);
	if (now >= run->heap_ns) {
		run->heap_ns = now + HEAP_INTERVAL_NS;
		heap_give_back();
	}
	r = capture_rate_keep_overhead(run, now, ret_diag);
	return r < 0 ? r : sampler_check_cpus(run->source.sampler, ret_diag);
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int capture_run_wait(struct capture_run *run, const struct capture_wait *wait, int *ret_signal,
		     struct diag *ret_diag)
{
	struct pollfd fds[] = {
		{ .fd = sampler_poll_fd(run->source.sampler), .events = POLLIN },
		{ .fd = sampler_table_fd(run->source.sampler), .events = POLLIN },
		{ .fd = wait->signals_fd, .events = POLLIN },
		{ .fd = wait->fd, .events = POLLIN },
	};
	struct instant now = instant_now();
	uint64_t end = wait->timeout_ns ? now.mono_ns + wait->timeout_ns : UINT64_MAX;

	for (;;) {
		uint64_t left = window_clock_left_ns(&run->clock, &now), wake;
		int r, sig;

		wake = now.mono_ns + earliest(left, RING_INTERVAL_NS);
		wake = earliest(earliest(end, run->end_ns), wake);
		if (poll(fds, ARRAY_SIZE(fds), poll_timeout_ms(now.mono_ns, wake)) < 0 &&
		    errno != EINTR)
			return diag_set(ret_diag, errno, "poll: %s", strerror(errno));
		r = serve_sampler(run, now.mono_ns, ret_diag);
		if (r < 0)
			return r;
		now = instant_now();
		sig = next_signal(wait->signals_fd);
		if (sig) {
			if (ret_signal)
				*ret_signal = sig;
			return CAPTURE_WAKE_SIGNAL;
		}
		if (now.mono_ns >= run->end_ns ||
		    (run->request.child && child_poll(run->request.child)))
			return CAPTURE_WAKE_DONE;
		if (window_clock_is_over(&run->clock, &now))
			return CAPTURE_WAKE_WINDOW;
		if (fds[3].revents)
			return CAPTURE_WAKE_FD;
		if (now.mono_ns >= end)
			return CAPTURE_WAKE_TIMEOUT;
	}
}

void capture_run_progress(const struct capture_run *run, struct capture_progress *ret_progress)
{
	struct capture_progress p = {
		.seconds = (clock_ns(CLOCK_MONOTONIC) - run->start_ns) / 1e9,
	};

	sampler_get_progress(run->source.sampler, &p.taken, &p.lost);
	*ret_progress = p;
}

int capture_run_once(struct capture_run *run, int signals_fd, struct capture_window *ret_window,
		     int *ret_signal, struct diag *ret_diag)
{
	const struct capture_wait wait = { .signals_fd = signals_fd, .fd = -1 };
	int signal = 0, r = capture_run_start(run, ret_diag);

	if (r >= 0)
		r = capture_run_wait(run, &wait, &signal, ret_diag);
	if (r >= 0)
		r = capture_run_stop(run, ret_window, ret_diag);
	if (r < 0)
		return r;
	if (ret_signal)
		*ret_signal = signal;
	return 0;
}
