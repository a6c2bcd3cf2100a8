// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a capture: options become those of the sampler, the symbolizer and the collector, and
 * what the sampler hands over goes to the other two.
 */
#include "cli/capture_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/host.h"
#include "capture/kernel_defect.h"
#include "cli/idle_functions.h"
#include "cli/orc_tables.h"
#include "util/text_escape.h"

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
	struct capture_source *s = arg;
	const struct capture_options *o = s->request->options;
	const struct symbolizer_opts symbolizer_opts = {
		.no_demangle = o->no_demangle,
		.max_bytes = s->request->every_ns ? CAPTURE_CACHE_BYTES / 4 * 3 : 0,
	};
	const struct collector_opts collector_opts = {
		.root = collect_root_of(s->request->root),
		.kernel_only = o->kernel_only,
	};

	s->symbolizer = symbolizer_new(s->frames, &symbolizer_opts);
	s->collector = collector_new(s->symbolizer, s->frames, &collector_opts);
	return NULL;
}

static void prepare_begin(struct capture_source *s)
{
	s->is_preparing = !pthread_create(&s->preparation, NULL, prepare, s);
	if (!s->is_preparing)
		prepare(s);
}

static void prepare_end(struct capture_source *s)
{
	if (s->is_preparing)
		pthread_join(s->preparation, NULL);
	s->is_preparing = false;
}

/* ---- what the sampler hands over ---------------------------------------------------------- */

static uint32_t on_stack(void *ctx, const struct eddy_stack_event *ev)
{
	struct capture_source *s = ctx;

	return collector_stack(s->collector, ev);
}

static void on_count(void *ctx, uint32_t tag, uint64_t samples)
{
	struct capture_source *s = ctx;

	collector_count(s->collector, tag, samples);
}

static void on_file(void *ctx, uint32_t file, int fd, const char *path)
{
	struct capture_source *s = ctx;

	prepare_end(s);
	symbolizer_add_file(s->symbolizer, file, fd, path);
}

static void on_file_gone(void *ctx, uint32_t file)
{
	struct capture_source *s = ctx;

	symbolizer_remove_file(s->symbolizer, file);
}

static void on_exec(void *ctx, const struct eddy_process_event *ev)
{
	struct capture_source *s = ctx;

	symbolizer_process_gone(s->symbolizer, ev->pid);
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
static uint64_t map_bytes(const struct capture_source *s)
{
	const uint64_t entry_bytes = 128, least = 1 << 20, most = 16 << 20;
	double samples = (double)sysconf(_SC_NPROCESSORS_ONLN) * s->rate.freq_hz *
			 s->request->every_ns / 1e9;

	if (s->request->options->map_bytes || !samples)
		return s->request->options->map_bytes;
	if (2 * samples * entry_bytes > most)
		return most;
	return 2 * samples * entry_bytes < least ? least : 2 * samples * entry_bytes;
}

static int open_sampler(struct capture_source *s, struct diag *ret_diag)
{
	const struct capture_options *o = s->request->options;
	const struct sampler_consumer consumer = {
		.stack = on_stack,
		.count = on_count,
		.file = on_file,
		.file_gone = on_file_gone,
		.exec = on_exec,
		.load_log = o->verbose ? on_load_log : NULL,
		.ctx = s,
	};
	struct sampler_opts opts = {
		.event = s->event,
		.rate = s->rate,
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
		.identity = identity_of(s->request->root),
		.max_user_frames = o->max_depth,
		.unwind = o->unwind,
		.max_table_bytes = o->table_bytes,
		.map_bytes = map_bytes(s),
		.ring_bytes = o->ring_bytes,
	};
	uint32_t child_pid;

	if (s->request->only_child) {
		child_pid = s->request->child->pid;
		opts.tasks = &child_pid;
		opts.nr_tasks = 1;
		opts.follow_forks = true;
	}
	return sampler_open(&opts, &consumer, &s->sampler, ret_diag);
}

/* Said before sampling begins: afterwards may be too late. */
static void warn_of_defects(const struct capture_options *o)
{
	if (!o->kernel_only && kernel_defect_usercopy_here() == KERNEL_DEFECT_YES)
		fprintf(stderr,
			"eddy: note: on this kernel, reading user memory from samples can lock "
			"up the machine ('eddy doctor' tells more; -K avoids it)\n");
}

int capture_source_open(struct capture_source *s, const struct capture_request *request,
			struct diag *ret_diag)
{
	const struct capture_options *o = request->options;
	struct eddy_range idle[EDDY_MAX_IDLE_RANGES];
	struct eddy_orc orc;
	unsigned int major, minor;
	size_t nr_idle;
	int r;

	s->request = request;
	r = capture_event_parse(o->event, &s->event, ret_diag);
	if (r < 0)
		return r;
	s->rate = o->rate;
	if (!s->rate.freq_hz && !s->rate.period) {
		if (s->event.is_tracepoint)
			s->rate.period = 1;
		else
			s->rate.freq_hz = 99;
	}
	r = check_tasks(o, ret_diag);
	if (r >= 0)
		r = check_cpus(o, ret_diag);
	if (r < 0)
		return r;
	warn_of_defects(o);
	s->frames = frame_table_new();
	prepare_begin(s);
	r = open_sampler(s, ret_diag);
	prepare_end(s);
	if (r < 0)
		return r;
	nr_idle = idle_functions_find(s->symbolizer, idle);
	sampler_set_idle(s->sampler, idle, nr_idle);
	host_kernel_version(&major, &minor);
	if (orc_tables_find(s->symbolizer, major, minor, &orc))
		sampler_set_orc(s->sampler, &orc);
	return 0;
}

void capture_source_deinit(struct capture_source *s)
{
	prepare_end(s);
	sampler_free(s->sampler);
	collector_free(s->collector);
	symbolizer_free(s->symbolizer);
	frame_table_unref(s->frames);
}
