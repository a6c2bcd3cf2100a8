// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one poll() loop of a capture.  The ring is drained ten times a second, or at once when the
 * sampler asks for it (a new process, a ring that fills); counts stay in the kernel until the end,
 * or until their map fills up.
 */
#include "cli/capture_run.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "capture/host.h"
#include "capture/kernel_defect.h"
#include "cli/idle_functions.h"
#include "cli/orc_tables.h"
#include "cli/overhead.h"
#include "cli/signals.h"
#include "util/clock.h"
#include "util/heap.h"
#include "util/mem.h"
#include "util/text_escape.h"

#define RING_INTERVAL_NS 100000000ull
#define COST_INTERVAL_NS 5000000000ull
#define LOOK_INTERVAL_NS 1000000000ull
#define HEAP_INTERVAL_NS 10000000000ull
/*
 * Of windows without end: what is kept from one to the next (names, symbol tables, processes).  The
 * window's own stacks and about 12 MiB that are always there come on top.
 */
#define MAX_CACHE_BYTES (32ull << 20)
#define MIN_NAMES_BYTES (256ull << 10)

struct capture_run {
	struct capture_request request;
	struct capture_event event;
	struct capture_rate rate;
	struct frame_table *frames;
	size_t names_bytes;    /* of frames after their first window; 0: not yet */
	pthread_t preparation; /* makes the symbolizer and the collector while BPF is loaded */
	bool is_preparing;
	struct symbolizer *symbolizer;
	struct collector *collector;
	struct sampler *sampler;

	uint64_t end_ns;  /* of the run, CLOCK_MONOTONIC; UINT64_MAX: none */
	uint64_t look_ns; /* when to look at CPUs again */
	uint64_t heap_ns; /* when to give back freed memory again */
	struct overhead overhead;
	struct cost_reading {
		uint64_t mono_ns, cpu_ns, bpf_ns, enabled_ns;
	} cost_then; /* when the cost was looked at last */
	struct window_clock clock;
	struct capture_reading before;	/* at the window's start */
	struct capture_account account; /* of the window, as far as it is known */
};

static enum collect_root collect_root_of(enum root_pass root)
{
	static const enum collect_root roots[] = {
		[ROOT_PASS_COMM] = COLLECT_ROOT_COMM,
		[ROOT_PASS_PROCESS] = COLLECT_ROOT_PROCESS,
		[ROOT_PASS_THREAD] = COLLECT_ROOT_THREAD,
		[ROOT_PASS_CPU] = COLLECT_ROOT_CPU,
		[ROOT_PASS_CGROUP] = COLLECT_ROOT_CGROUP,
		[ROOT_PASS_NONE] = COLLECT_ROOT_NONE,
	};

	return roots[root];
}

/*
 * Reading kallsyms takes 50 ms, verifying the BPF programs as long: measured apart they were a
 * third of the time from start to the first sample, so they run side by side.
 */
static void *prepare(void *arg)
{
	struct capture_run *run = arg;
	const struct capture_options *o = run->request.options;
	const struct symbolizer_opts symbolizer_opts = {
		.no_demangle = o->no_demangle,
		.max_bytes = run->request.every_ns ? MAX_CACHE_BYTES / 4 * 3 : 0,
	};
	const struct collector_opts collector_opts = {
		.root = collect_root_of(run->request.root),
		.kernel_only = o->kernel_only,
	};

	run->symbolizer = symbolizer_new(run->frames, &symbolizer_opts);
	run->collector = collector_new(run->symbolizer, run->frames, &collector_opts);
	return NULL;
}

static void prepare_begin(struct capture_run *run)
{
	run->is_preparing = !pthread_create(&run->preparation, NULL, prepare, run);
	if (!run->is_preparing)
		prepare(run);
}

static void prepare_end(struct capture_run *run)
{
	if (run->is_preparing)
		pthread_join(run->preparation, NULL);
	run->is_preparing = false;
}

/* ---- what the sampler hands over ---------------------------------------------------------- */

static uint32_t on_stack(void *ctx, const struct eddy_stack_event *ev)
{
	struct capture_run *run = ctx;

	return collector_stack(run->collector, ev);
}

static void on_count(void *ctx, uint32_t tag, uint64_t samples)
{
	struct capture_run *run = ctx;

	collector_count(run->collector, tag, samples);
}

static void on_file(void *ctx, uint32_t file, int fd, const char *path)
{
	struct capture_run *run = ctx;

	prepare_end(run);
	symbolizer_add_file(run->symbolizer, file, fd, path);
}

static void on_file_gone(void *ctx, uint32_t file)
{
	struct capture_run *run = ctx;

	symbolizer_remove_file(run->symbolizer, file);
}

static void on_exec(void *ctx, const struct eddy_process_event *ev)
{
	struct capture_run *run = ctx;

	symbolizer_process_gone(run->symbolizer, ev->pid);
}

/* With -v: what the verifier said stands above the one line that tells why. */
static void on_load_log(void *ctx, const char *text)
{
	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		_cleanup_strbuf_ struct strbuf line = { 0 };

		end = strchrnul(at, '\n');
		text_escape(&line, at, end - at);
		fprintf(stderr, "%s\n", line.len ? line.bytes : "");
	}
}

/* ---- opening ------------------------------------------------------------------------------ */

static uint32_t identity_of(enum root_pass root)
{
	switch (root) {
	case ROOT_PASS_PROCESS:
		return EDDY_IDENTITY_PID;
	case ROOT_PASS_THREAD:
		return EDDY_IDENTITY_PID | EDDY_IDENTITY_TID;
	case ROOT_PASS_CPU:
		return EDDY_IDENTITY_CPU;
	case ROOT_PASS_CGROUP:
		return EDDY_IDENTITY_CGROUP;
	default:
		return 0;
	}
}

/* A PID that is not there is a typing error, not an empty profile. */
static int check_tasks(const struct capture_options *o, struct diag *ret_diag)
{
	const uint32_t *ids = o->pids ? o->pids : o->tids;
	size_t nr = o->pids ? o->nr_pids : o->nr_tids;
	char path[32];

	for (size_t i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/proc/%u", ids[i]);
		if (access(path, F_OK) < 0)
			return diag_set(ret_diag, ESRCH, "no %s %u: it has ended, or never was",
					o->pids ? "process" : "thread", ids[i]);
	}
	return 0;
}

static int check_cpus(const struct capture_options *o, struct diag *ret_diag)
{
	char path[64];

	for (size_t i = 0; i < o->nr_cpus; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", o->cpus[i]);
		if (access(path, F_OK) < 0)
			return diag_set(ret_diag, ENODEV, "no CPU %u in this machine", o->cpus[i]);
	}
	return 0;
}

/*
 * A window cannot have more stacks than samples: with two maps in turn it would be a waste to make
 * each as large as that of a capture without an end.  0: the sampler's own default.
 */
static uint64_t map_bytes(const struct capture_run *run)
{
	const uint64_t entry_bytes = 128, least = 1 << 20, most = 16 << 20;
	double samples = (double)sysconf(_SC_NPROCESSORS_ONLN) * run->rate.freq_hz *
			 run->request.every_ns / 1e9;

	if (run->request.options->map_bytes || !samples)
		return run->request.options->map_bytes;
	if (2 * samples * entry_bytes > most)
		return most;
	return 2 * samples * entry_bytes < least ? least : 2 * samples * entry_bytes;
}

static int open_sampler(struct capture_run *run, struct diag *ret_diag)
{
	const struct capture_options *o = run->request.options;
	const struct sampler_consumer consumer = {
		.stack = on_stack,
		.count = on_count,
		.file = on_file,
		.file_gone = on_file_gone,
		.exec = on_exec,
		.load_log = o->verbose ? on_load_log : NULL,
		.ctx = run,
	};
	struct sampler_opts opts = {
		.event = run->event,
		.rate = run->rate,
		.cpus = o->cpus,
		.nr_cpus = o->nr_cpus,
		.tasks = o->pids ? o->pids : o->tids,
		.nr_tasks = o->pids ? o->nr_pids : o->nr_tids,
		.by_thread = o->tids,
		.cgroup_path = o->cgroup,
		.comm = o->comm,
		.user_only = o->user_only,
		.kernel_only = o->kernel_only,
		.keep_idle = o->idle,
		.identity = identity_of(run->request.root),
		.max_user_frames = o->max_depth,
		.unwind = o->unwind,
		.max_table_bytes = o->table_bytes,
		.map_bytes = map_bytes(run),
		.ring_bytes = o->ring_bytes,
	};
	uint32_t child_pid;

	if (run->request.only_child) {
		child_pid = run->request.child->pid;
		opts.tasks = &child_pid;
		opts.nr_tasks = 1;
		opts.follow_forks = true;
	}
	return sampler_open(&opts, &consumer, &run->sampler, ret_diag);
}

/* Said before sampling begins: afterwards may be too late. */
static void warn_of_defects(const struct capture_options *o)
{
	if (!o->kernel_only && kernel_defect_usercopy_here() == KERNEL_DEFECT_YES)
		fprintf(stderr,
			"eddy: note: on this kernel, reading user memory from samples can lock "
			"up the machine ('eddy doctor' tells more; -K avoids it)\n");
}

int capture_run_open(const struct capture_request *request, struct capture_run **ret_run,
		     struct diag *ret_diag)
{
	_cleanup_(capture_run_freep) struct capture_run *run = xcalloc(1, sizeof(*run));
	const struct capture_options *o = request->options;
	struct eddy_range idle[EDDY_MAX_IDLE_RANGES];
	struct eddy_orc orc;
	unsigned int major, minor;
	size_t nr_idle;
	int r;

	heap_keep_little();
	run->request = *request;
	r = capture_event_parse(o->event, &run->event, ret_diag);
	if (r < 0)
		return r;
	run->rate = o->rate;
	if (!run->rate.freq_hz && !run->rate.period) {
		if (run->event.is_tracepoint)
			run->rate.period = 1;
		else
			run->rate.freq_hz = 99;
	}
	r = check_tasks(o, ret_diag);
	if (r >= 0)
		r = check_cpus(o, ret_diag);
	if (r < 0)
		return r;
	warn_of_defects(o);
	run->frames = frame_table_new();
	prepare_begin(run);
	r = open_sampler(run, ret_diag);
	prepare_end(run);
	if (r < 0)
		return r;
	nr_idle = idle_functions_find(run->symbolizer, idle);
	sampler_set_idle(run->sampler, idle, nr_idle);
	host_kernel_version(&major, &minor);
	if (orc_tables_find(run->symbolizer, major, minor, &orc))
		sampler_set_orc(run->sampler, &orc);
	*ret_run = take_ptr(run);
	return 0;
}

void capture_run_free(struct capture_run *run)
{
	if (!run)
		return;
	prepare_end(run);
	sampler_free(run->sampler);
	collector_free(run->collector);
	symbolizer_free(run->symbolizer);
	frame_table_unref(run->frames);
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
	capture_account_deinit(&w->account);
	w->profile = NULL;
}

static struct capture_parts parts_of(const struct capture_run *run)
{
	const struct capture_options *o = run->request.options;

	return (struct capture_parts){
		.sampler = run->sampler,
		.collector = run->collector,
		.symbolizer = run->symbolizer,
		.event = &run->event,
		.cpus = o->cpus,
		.nr_cpus = o->nr_cpus,
	};
}

/* ---- what it costs ------------------------------------------------------------------------ */

static struct cost_reading cost_read(struct capture_run *run)
{
	struct cost_reading c = {
		.mono_ns = clock_ns(CLOCK_MONOTONIC),
		.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
	};

	sampler_get_cost(run->sampler, &c.bpf_ns, &c.enabled_ns);
	return c;
}

static void note_rate(struct capture_run *run, const struct capture_rate *before, double cost)
{
	const struct capture_rate *r = &run->rate;
	bool is_lowered = r->freq_hz ? r->freq_hz < before->freq_hz : r->period > before->period;

	run->account.rate_changed = true;
	capture_account_note(
		&run->account,
		"sampling was %s from %s%llu to %llu%s: eddy cost %.2f %% of the CPUs' time, "
		"--max-overhead is %.4g %%",
		is_lowered ? "lowered" : "raised again", r->freq_hz ? "" : "every ",
		(unsigned long long)(r->freq_hz ? before->freq_hz : before->period),
		(unsigned long long)(r->freq_hz ? r->freq_hz : r->period), r->freq_hz ? " Hz" : "",
		100 * cost, 100 * run->overhead.max);
}

/* Another rate when eddy costs more than it may, in the kernel and here, or less again. */
static int keep_overhead(struct capture_run *run, uint64_t now_ns, struct diag *ret_diag)
{
	const struct cost_reading *then = &run->cost_then;
	struct capture_rate before = run->rate;
	struct cost_reading now;
	double cost;

	if (!run->overhead.max || now_ns < then->mono_ns + COST_INTERVAL_NS)
		return 0;
	now = cost_read(run);
	if (now.enabled_ns == then->enabled_ns)
		return 0;
	cost = (double)(now.cpu_ns - then->cpu_ns + now.bpf_ns - then->bpf_ns) /
	       (now.enabled_ns - then->enabled_ns);
	run->cost_then = now;
	if (!overhead_adapt(&run->overhead, cost))
		return 0;
	run->rate = overhead_rate(&run->overhead);
	note_rate(run, &before, cost);
	return sampler_set_rate(run->sampler, &run->rate, ret_diag);
}

/* ---- windows ------------------------------------------------------------------------------ */

static void account_begin(struct capture_run *run, const struct instant *start)
{
	const struct capture_parts parts = parts_of(run);

	capture_account_begin(&run->account, &parts, &run->rate, start);
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

	capture_read(&parts, &run->before);
	r = sampler_start(run->sampler, ret_diag);
	if (r < 0)
		return r;
	now = instant_now();
	window_clock_begin(&run->clock, run->request.every_ns, &now);
	overhead_init(&run->overhead, run->request.options->max_overhead, &run->rate);
	run->cost_then = cost_read(run);
	account_begin(run, &now);
	run->end_ns = duration_ns ? now.mono_ns + duration_ns : UINT64_MAX;
	run->look_ns = now.mono_ns + LOOK_INTERVAL_NS;
	run->heap_ns = now.mono_ns;
	if (run->request.child)
		return child_go(run->request.child, run->request.child_name, ret_diag);
	return 0;
}

/* The window is in the collector; it ended at *end. */
static void window_take(struct capture_run *run, const struct instant *end,
			struct capture_window *ret_window)
{
	const struct capture_parts parts = parts_of(run);
	struct capture_account *a = &run->account;
	struct capture_reading now;

	capture_read(&parts, &now);
	a->end_ms = end->real_ns / 1000000;
	a->seconds = (end->mono_ns - run->clock.start.mono_ns) / 1e9;
	window_clock_next(&run->clock, end, &a->lapse);
	capture_account_fill(a, &parts, &run->before, &now);
	ret_window->profile = collector_take_profile(run->collector);
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
	size_t bytes = frame_table_bytes(run->frames);

	if (!run->names_bytes)
		run->names_bytes = bytes;
	if (bytes < 2 * run->names_bytes + MIN_NAMES_BYTES && bytes < MAX_CACHE_BYTES / 4)
		return;
	run->names_bytes = 0;
	frame_table_unref(run->frames);
	run->frames = frame_table_new();
	collector_use_frames(run->collector, run->frames);
}

int capture_run_end_window(struct capture_run *run, struct capture_window *ret_window,
			   struct diag *ret_diag)
{
	_cleanup_profile_ struct profile *shared = NULL;
	struct instant end;
	int r = sampler_end_window(run->sampler, &end);

	if (r < 0)
		return counts_failed(r, ret_diag);
	window_take(run, &end, ret_window);
	shared = ret_window->profile;
	ret_window->profile = profile_copy(shared);
	names_age(run);
	return 0;
}

int capture_run_stop(struct capture_run *run, struct capture_window *ret_window,
		     struct diag *ret_diag)
{
	struct instant end;
	int r = sampler_stop(run->sampler);

	if (r < 0)
		return counts_failed(r, ret_diag);
	end = instant_now();
	window_take(run, &end, ret_window);
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

/* What the sampler wants done, and once a second a look at the CPUs. */
static int serve_sampler(struct capture_run *run, uint64_t now, struct diag *ret_diag)
{
	int r;

	sampler_drain_ring(run->sampler);
	r = sampler_relieve_counts(run->sampler);
	if (r < 0)
		return counts_failed(r, ret_diag);
	if (now < run->look_ns)
		return 0;
	run->look_ns = now + LOOK_INTERVAL_NS;
	sampler_age(run->sampler);
	symbolizer_age(run->symbolizer);
	if (now >= run->heap_ns) {
		run->heap_ns = now + HEAP_INTERVAL_NS;
		heap_give_back();
	}
	r = keep_overhead(run, now, ret_diag);
	return r < 0 ? r : sampler_check_cpus(run->sampler, ret_diag);
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int capture_run_wait(struct capture_run *run, const struct capture_wait *wait, int *ret_signal,
		     struct diag *ret_diag)
{
	struct pollfd fds[] = {
		{ .fd = sampler_poll_fd(run->sampler), .events = POLLIN },
		{ .fd = sampler_table_fd(run->sampler), .events = POLLIN },
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
