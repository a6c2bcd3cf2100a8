// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one poll() loop of a capture.  The ring is drained ten times a second, or at once when the
 * sampler asks for it (a new process, a ring that fills); counts stay in the kernel until the end,
 * or until their map fills up.
 */
#include "cli/capture_run.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "capture/cpus.h"
#include "cli/idle_functions.h"
#include "cli/signals.h"
#include "util/clock.h"
#include "util/mem.h"

#define RING_INTERVAL_NS  100000000ull
#define CHECK_INTERVAL_NS 1000000000ull

struct capture_run {
	struct capture_request request;
	struct capture_event event;
	struct capture_rate rate;
	struct frame_table *frames;
	pthread_t preparation; /* makes the symbolizer and the collector while BPF is loaded */
	bool is_preparing;
	struct symbolizer *symbolizer;
	struct collector *collector;
	struct sampler *sampler;
	struct capture_account account;
	char **notes;
	size_t nr_notes, cap_notes;
};

static double process_cpu_seconds(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

static void __attribute__((format(printf, 2, 3)))
add_note(struct capture_run *run, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		array_reserve(run->notes, run->cap_notes, run->nr_notes + 1);
		run->notes[run->nr_notes++] = text;
	}
	va_end(ap);
}

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
	const struct symbolizer_opts symbolizer_opts = { .no_demangle = o->no_demangle };
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

static void on_exec(void *ctx, const struct eddy_process_event *ev)
{
	struct capture_run *run = ctx;

	symbolizer_process_gone(run->symbolizer, ev->pid);
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

static int open_sampler(struct capture_run *run, struct diag *ret_diag)
{
	const struct capture_options *o = run->request.options;
	const struct sampler_consumer consumer = {
		.stack = on_stack, .count = on_count, .file = on_file, .exec = on_exec, .ctx = run
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
		.map_bytes = o->map_bytes,
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

int capture_run_open(const struct capture_request *request, struct capture_run **ret_run,
		     struct diag *ret_diag)
{
	_cleanup_(capture_run_freep) struct capture_run *run = xcalloc(1, sizeof(*run));
	const struct capture_options *o = request->options;
	struct eddy_range idle[EDDY_MAX_IDLE_RANGES];
	size_t nr_idle;
	int r;

	/*
	 * Unwind tables are built in memory that is let go of at once.  glibc would learn from the
	 * first large one to keep such memory (mallopt(3)): 39 MiB resident instead of 30.
	 */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	mallopt(M_TRIM_THRESHOLD, 256 * 1024);
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
	run->frames = frame_table_new();
	prepare_begin(run);
	r = open_sampler(run, ret_diag);
	prepare_end(run);
	if (r < 0)
		return r;
	nr_idle = idle_functions_find(run->symbolizer, idle);
	sampler_set_idle(run->sampler, idle, nr_idle);
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
	for (size_t i = 0; i < run->nr_notes; i++)
		free(run->notes[i]);
	free(run->notes);
	irq_account_deinit(&run->account.irq);
	free(run);
}

/* ---- the loop ----------------------------------------------------------------------------- */

/* Has something come that ends the capture? */
static bool is_told_to_stop(struct capture_run *run, int signals_fd, int *signal)
{
	int sig;

	while ((sig = signals_read(signals_fd))) {
		if (sig != SIGCHLD) {
			*signal = sig;
			return true;
		}
	}
	return run->request.child && child_poll(run->request.child);
}

static int poll_timeout_ms(uint64_t now, uint64_t until)
{
	return until <= now ? 0 : (int)((until - now) / 1000000 + 1);
}

static int loop(struct capture_run *run, int signals_fd, int *signal, struct diag *ret_diag)
{
	struct pollfd fds[] = {
		{ .fd = sampler_poll_fd(run->sampler), .events = POLLIN },
		{ .fd = sampler_table_fd(run->sampler), .events = POLLIN },
		{ .fd = signals_fd, .events = POLLIN },
	};
	uint64_t now = clock_ns(CLOCK_MONOTONIC), check_at = now + CHECK_INTERVAL_NS;
	uint64_t end = run->request.options->duration_ns;

	end = end ? now + end : UINT64_MAX;
	for (;;) {
		uint64_t wake = now + RING_INTERVAL_NS;
		int r;

		if (poll(fds, ARRAY_SIZE(fds), poll_timeout_ms(now, wake < end ? wake : end)) < 0 &&
		    errno != EINTR)
			return diag_set(ret_diag, errno, "poll: %s", strerror(errno));
		sampler_drain_ring(run->sampler);
		r = sampler_relieve_counts(run->sampler);
		if (r < 0)
			return diag_set(ret_diag, -r, "the counts cannot be read: %s",
					strerror(-r));
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= end || is_told_to_stop(run, signals_fd, signal))
			return 0;
		if (now < check_at)
			continue;
		check_at = now + CHECK_INTERVAL_NS;
		r = sampler_check_cpus(run->sampler, ret_diag);
		if (r < 0)
			return r;
	}
}

static void note_rates(struct capture_run *run, uint64_t max_hz_before)
{
	const struct sampler_stats *s = &run->account.sampler;
	uint64_t max_hz = capture_max_sample_rate_hz();

	if (s->throttled)
		add_note(run,
			 "the kernel throttled sampling %llu times: more samples in a tick than "
			 "kernel.perf_event_max_sample_rate allows",
			 (unsigned long long)s->throttled);
	if (max_hz < max_hz_before)
		add_note(run,
			 "the kernel lowered perf_event_max_sample_rate from %llu to %llu Hz "
			 "meanwhile, because interrupts took too long",
			 (unsigned long long)max_hz_before, (unsigned long long)max_hz);
	if (s->running_ns < s->enabled_ns)
		add_note(run, "counters were shared: the event ran %.1f %% of the time",
			 100.0 * s->running_ns / s->enabled_ns);
	if (!s->due_is_known && !run->event.is_tracepoint)
		add_note(run,
			 "due samples are not known for a frequency on %s, the kernel adapts the "
			 "period; those delivered stand in their place",
			 run->event.name);
}

static void note_missing(struct capture_run *run)
{
	const struct capture_account *a = &run->account;
	uint64_t due = a->sampler.due, delivered = a->sampler.delivered;

	if (a->sampler.bpf_misses)
		add_note(run,
			 "the kernel skipped the sampler %llu times because another BPF program "
			 "was running on the CPU",
			 (unsigned long long)a->sampler.bpf_misses);
	if (due <= delivered + due / 200 || !run->event.is_clock)
		return;
	add_note(run,
		 "%llu samples were due and not delivered, %.2f s of CPU time; the CPUs were idle "
		 "for "
		 "%.2f s, and an idle CPU's clock may not tick",
		 (unsigned long long)(due - delivered),
		 a->sampler.enabled_ns / 1e9 * (due - delivered) / due, a->idle_cpu_seconds);
}

static void finish_account(struct capture_run *run, uint64_t max_hz_before)
{
	struct capture_account *a = &run->account;
	struct rusage usage;

	sampler_get_stats(run->sampler, &a->sampler);
	for (int i = 0; i < NR_SAMPLER_LOSSES; i++) {
		a->nr_lost += a->sampler.lost[i];
		collector_lost(run->collector, sampler_loss_name(i), a->sampler.lost[i]);
	}
	collector_get_stats(run->collector, &a->collector);
	symbolizer_get_stats(run->symbolizer, &a->symbolizer);
	irq_account_take(&a->irq, run->collector);
	getrusage(RUSAGE_SELF, &usage);
	a->max_rss_bytes = usage.ru_maxrss * 1024ull;
	a->event = &run->event;
	a->rate = run->rate;
	add_note(run, "%s", capture_event_blind_spot(&run->event));
	note_rates(run, max_hz_before);
	note_missing(run);
	a->notes = (const char *const *)run->notes;
	a->nr_notes = run->nr_notes;
}

int capture_run_loop(struct capture_run *run, int signals_fd, int *ret_signal,
		     struct diag *ret_diag)
{
	const struct capture_options *o = run->request.options;
	uint64_t max_hz = capture_max_sample_rate_hz(), start_ns;
	double cpu_seconds = process_cpu_seconds(), idle;
	struct capture_account *a = &run->account;
	int signal = 0, r, stopped;

	idle = cpus_idle_seconds(o->cpus, o->nr_cpus);
	r = sampler_start(run->sampler, ret_diag);
	if (r < 0)
		return r;
	a->start_ms = clock_ns(CLOCK_REALTIME) / 1000000;
	start_ns = clock_ns(CLOCK_MONOTONIC);
	if (run->request.child)
		r = child_go(run->request.child, run->request.child_name, ret_diag);
	if (r >= 0)
		r = loop(run, signals_fd, &signal, ret_diag);
	stopped = sampler_stop(run->sampler);
	a->seconds = (clock_ns(CLOCK_MONOTONIC) - start_ns) / 1e9;
	a->end_ms = clock_ns(CLOCK_REALTIME) / 1000000;
	a->idle_cpu_seconds = cpus_idle_seconds(o->cpus, o->nr_cpus) - idle;
	a->cpu_seconds = process_cpu_seconds() - cpu_seconds;
	if (r < 0)
		return r;
	if (stopped < 0)
		return diag_set(ret_diag, -stopped, "the counts cannot be read: %s",
				strerror(-stopped));
	finish_account(run, max_hz);
	if (ret_signal)
		*ret_signal = signal;
	return 0;
}

const struct profile *capture_run_profile(const struct capture_run *run)
{
	return collector_profile(run->collector);
}

const struct capture_account *capture_run_account(const struct capture_run *run)
{
	return &run->account;
}
