// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads the BPF sampler, gives it its maps and hands what it counts to the consumer.
 *
 * What was counted comes out by capture/drain.c; here the parts are put together.
 */
#include "capture/sampler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "capture/cpu_events.h"
#include "capture/drain.h"
#include "capture/host.h"
#include "capture/load_error.h"
#include "capture/load_log.h"
#include "capture/unwind_loader.h"
#include "sampler.skel.h"
#include "util/mem.h"

#define DEFAULT_MAP_BYTES   (16ull << 20)
#define MIN_RING_BYTES	    (1ull << 20)
#define MIN_LATE_RING_BYTES (4ull << 20) /* room for copies of stacks of 64 KiB */
#define RING_CPU_BYTES	    (128ull << 10)
#define MAX_RING_BYTES	    (64ull << 20)
#define DEFAULT_TABLE_BYTES (128ull << 20)
#define KERNEL_CHECK_EVERY  128

struct sampler {
	struct sampler_opts opts;
	struct sampler_consumer consumer;
	struct sampler_bpf *skel;
	struct cpu_events *events;
	struct bpf_link *exec_link, *fork_link, *free_link;
	struct unwind_loader *loader; /* NULL: stacks are walked by frame pointer only */
	struct drain *drain;
	struct cpu_events_totals events_then; /* at the end of the last window */
	struct bpf_prog_info program_then;
	int stats_fd; /* keeps the kernel counting BPF run time; negative: it does not for us */
	bool is_stopped;
};

const char *sampler_loss_name(enum sampler_loss loss)
{
	static const char *const names[NR_SAMPLER_LOSSES] = {
		[SAMPLER_LOST_MAP_FULL] = "map-full",
		[SAMPLER_LOST_MAP_BUSY] = "map-busy",
		[SAMPLER_LOST_RING_FULL] = "ring-full",
	};

	return names[loss];
}

/* Are stacks walked by tables? */
static bool has_tables(const struct sampler_opts *opts)
{
	return opts->unwind != EDDY_UNWIND_FP && !opts->kernel_only;
}

static uint64_t ring_bytes(const struct sampler_opts *opts)
{
	uint64_t min = has_tables(opts) ? MIN_LATE_RING_BYTES : MIN_RING_BYTES;
	uint64_t want = opts->ring_bytes, bytes = 4096;

	if (!want) {
		want = RING_CPU_BYTES * libbpf_num_possible_cpus();
		if (want < min)
			want = min;
	}
	while (bytes < want && bytes < MAX_RING_BYTES)
		bytes *= 2;
	return bytes;
}

static struct bpf_program *sampling_program(const struct sampler *s)
{
	return s->opts.event.is_tracepoint ? s->skel->progs.eddy_tracepoint
					   : s->skel->progs.eddy_perf_event;
}

static void read_program(const struct sampler *s, struct bpf_prog_info *ret_info)
{
	uint32_t bytes = sizeof(*ret_info);

	*ret_info = (struct bpf_prog_info){ 0 };
	bpf_obj_get_info_by_fd(bpf_program__fd(sampling_program(s)), ret_info, &bytes);
}

/* Does the program take its time itself? */
static bool is_timed(const struct sampler *s)
{
	return s->stats_fd < 0;
}

/* How the events and the program stand now, at the end of a window. */
static void note_events(struct sampler *s)
{
	cpu_events_get_totals(s->events, &s->events_then);
	read_program(s, &s->program_then);
}

/* ---- draining ----------------------------------------------------------------------------- */

int sampler_drain_ring(struct sampler *s)
{
	return drain_ring(s->drain);
}

int sampler_poll_fd(const struct sampler *s)
{
	return drain_poll_fd(s->drain);
}

int sampler_table_fd(const struct sampler *s)
{
	return s->loader ? unwind_loader_poll_fd(s->loader) : -1;
}

int sampler_relieve_counts(struct sampler *s)
{
	return drain_relieve(s->drain);
}

int sampler_end_window(struct sampler *s, struct instant *ret_end)
{
	int r = drain_prepare_end(s->drain);

	if (r < 0)
		return r;
	note_events(s);
	return drain_end_window(s->drain, ret_end);
}

/* ---- life --------------------------------------------------------------------------------- */

/* Frames that bpf_get_stack() gives at most; nobody can change that while the program is loaded. */
static uint32_t max_kernel_frames(void)
{
	int64_t nr;

	if (host_sysctl(HOST_MAX_STACK, &nr) < 0 || nr < 0 || nr > EDDY_MAX_KERNEL_FRAMES)
		return EDDY_MAX_KERNEL_FRAMES;
	return nr;
}

/* struct backing_file with a path behind the file ("fs: store real path instead of fake path"). */
static bool has_backing_files(void)
{
	unsigned int major, minor;

	host_kernel_version(&major, &minor);
	return major > 6 || (major == 6 && minor >= 7);
}

static void config_fill(struct eddy_config *c, const struct sampler_opts *opts, bool is_timed)
{
	if (getrandom(&c->seed, sizeof(c->seed), 0) != sizeof(c->seed))
		c->seed = (uintptr_t)c;
	c->wake_bytes = ring_bytes(opts) / 4;
	c->page_bytes = sysconf(_SC_PAGESIZE);
	c->thread_bytes = 16384; /* until a task's stack area tells */
	c->ra_mask = host_user_address_mask();
	c->period = opts->rate.period ? opts->rate.period : 1;
	c->identity = opts->identity;
	c->keep_idle = opts->keep_idle;
	c->max_user_frames = opts->max_user_frames;
	c->max_kernel_frames = max_kernel_frames();
	c->unwind = opts->unwind;
	c->kernel_check_every = opts->check_kernel ? 1 : KERNEL_CHECK_EVERY;
	c->has_backing_files = has_backing_files();
	c->is_timed = is_timed;
	if (opts->copy_all)
		c->copy = EDDY_COPY_ALL;
	else if (opts->unwind != EDDY_UNWIND_FP)
		c->copy = EDDY_COPY_PENDING;
	if (opts->tasks)
		c->filter |= opts->by_thread ? EDDY_FILTER_TID : EDDY_FILTER_PID;
	if (opts->comm) {
		c->filter |= EDDY_FILTER_COMM;
		strncpy(c->comm, opts->comm, sizeof(c->comm) - 1);
	}
	if (opts->cgroup_path)
		c->filter |= EDDY_FILTER_CGROUP;
	if (opts->user_only)
		c->filter |= EDDY_FILTER_USER;
	if (opts->kernel_only)
		c->filter |= EDDY_FILTER_KERNEL;
	if (opts->event.is_tracepoint && opts->cpus)
		c->filter |= EDDY_FILTER_CPU;
}

static void skel_configure(struct sampler *s)
{
	const struct sampler_opts *o = &s->opts;
	struct sampler_bpf *skel = s->skel;

	config_fill(&skel->rodata->config, o, is_timed(s));
	bpf_map__set_max_entries(skel->maps.ring, ring_bytes(o));
	bpf_map__set_max_entries(skel->maps.late, libbpf_num_possible_cpus());
	bpf_map__set_max_entries(skel->maps.cpus, o->nr_cpus ? o->nr_cpus : 1);
	if (!o->tasks) /* 1.3 MiB of locked memory before 5.11, where 8 MiB may be all there is */
		bpf_map__set_max_entries(skel->maps.tasks, 1);
	bpf_program__set_autoload(skel->progs.eddy_perf_event, !o->event.is_tracepoint);
	bpf_program__set_autoload(skel->progs.eddy_tracepoint, o->event.is_tracepoint);
	bpf_program__set_autoload(skel->progs.eddy_fork, o->follow_forks);
	bpf_program__set_autoload(skel->progs.eddy_free, o->tasks);
	if (!has_tables(o)) {
		/* No tables: no memory for them either. */
		bpf_map__set_max_entries(skel->maps.files, 1);
		bpf_map__set_max_entries(skel->maps.slabs, 1);
		bpf_map__set_max_entries(skel->maps.late, 1);
	}
}

/* What is said meanwhile is kept: the line that tells why for the diag, all of it for who asks. */
static int skel_load(struct sampler *s, struct diag *ret_diag)
{
	struct load_log log = { 0 };
	int err = 0;

	load_log_begin(&log);
	s->skel = sampler_bpf__open();
	if (s->skel)
		skel_configure(s);
	if (!s->skel || sampler_bpf__load(s->skel) < 0)
		err = errno;
	load_log_end(&log);
	if (err) {
		if (s->consumer.load_log && log.text.len)
			s->consumer.load_log(s->consumer.ctx, log.text.bytes);
		load_error(err, log.text.len ? log.text.bytes : "", ret_diag);
	}
	strbuf_deinit(&log.text);
	return -err;
}

static int map_add(const struct bpf_map *map, uint32_t key)
{
	uint8_t one = 1;

	return bpf_map_update_elem(bpf_map__fd(map), &key, &one, BPF_ANY) < 0 ? -errno : 0;
}

static void on_file(void *ctx, uint32_t file, int fd, const char *path)
{
	struct sampler *s = ctx;

	s->consumer.file(s->consumer.ctx, file, fd, path);
}

static void on_file_gone(void *ctx, uint32_t file)
{
	struct sampler *s = ctx;

	if (s->consumer.file_gone)
		s->consumer.file_gone(s->consumer.ctx, file);
}

static int loader_open(struct sampler *s, struct diag *ret_diag)
{
	const struct unwind_loader_opts opts = {
		.fds = { .slabs = bpf_map__fd(s->skel->maps.slabs),
			 .pages = bpf_map__fd(s->skel->maps.pages),
			 .rules = bpf_map__fd(s->skel->maps.rules),
			 .files = bpf_map__fd(s->skel->maps.files) },
		.max_bytes =
			s->opts.max_table_bytes ? s->opts.max_table_bytes : DEFAULT_TABLE_BYTES,
		.on_file = on_file,
		.on_file_gone = on_file_gone,
		.ctx = s,
	};
	int r = unwind_loader_new(&opts, &s->loader, ret_diag);

	if (r < 0)
		return r;
	drain_use_loader(s->drain, s->loader, s->opts.max_user_frames,
			 s->opts.unwind == EDDY_UNWIND_EH);
	unwind_loader_preload(s->loader);
	return 0;
}

static int cgroup_use(struct sampler *s, struct diag *ret_diag)
{
	const char *path = s->opts.cgroup_path;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint32_t zero = 0;

	if (fd < 0)
		return diag_set(ret_diag, errno, "cgroup '%s': %s", path, strerror(errno));
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.cgroups), &zero, &fd, BPF_ANY) < 0)
		return diag_set(ret_diag, errno, "'%s' is not a directory of cgroup version 2",
				path);
	return 0;
}

static int maps_fill(struct sampler *s, struct diag *ret_diag)
{
	const struct sampler_opts *o = &s->opts;
	int r = 0;

	for (size_t i = 0; i < o->nr_tasks && r >= 0; i++)
		r = map_add(s->skel->maps.tasks, o->tasks[i]);
	for (size_t i = 0; i < o->nr_cpus && r >= 0; i++)
		r = map_add(s->skel->maps.cpus, o->cpus[i]);
	if (r < 0)
		return diag_set(ret_diag, -r, "too many tasks to sample: %s", strerror(-r));
	if (o->cgroup_path) {
		r = cgroup_use(s, ret_diag);
		if (r < 0)
			return r;
	}
	return drain_new(
		&(struct drain_opts){
			.ring_fd = bpf_map__fd(s->skel->maps.ring),
			.counts_fd = bpf_map__fd(s->skel->maps.active),
			.counters_fd = bpf_map__fd(s->skel->maps.counters),
			.ring_bytes = ring_bytes(o),
			.map_bytes = o->map_bytes ? o->map_bytes : DEFAULT_MAP_BYTES,
			.turn = &s->skel->bss->turn,
			.consumer = &s->consumer,
			.copy_all = o->copy_all,
		},
		&s->drain, ret_diag);
}

int sampler_open(const struct sampler_opts *opts, const struct sampler_consumer *consumer,
		 struct sampler **ret_sampler, struct diag *ret_diag)
{
	_cleanup_(sampler_freep) struct sampler *s = xcalloc(1, sizeof(*s));
	int r;

	s->opts = *opts;
	s->consumer = *consumer;
	/* Wants CAP_SYS_ADMIN; without, the program takes its time itself. */
	s->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	/* Events first: that a machine forbids them is said better there than by the BPF loader. */
	r = cpu_events_open(&opts->event, &opts->rate, opts->cpus, opts->nr_cpus, &s->events,
			    ret_diag);
	if (r < 0)
		return r;
	r = skel_load(s, ret_diag);
	if (r < 0)
		return r;
	r = maps_fill(s, ret_diag);
	if (r >= 0 && has_tables(opts))
		r = loader_open(s, ret_diag);
	if (r < 0)
		return r;
	*ret_sampler = take_ptr(s);
	return 0;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	cpu_events_free(s->events);
	bpf_link__destroy(s->exec_link);
	bpf_link__destroy(s->fork_link);
	bpf_link__destroy(s->free_link);
	drain_free(s->drain);
	unwind_loader_free(s->loader);
	if (s->skel)
		sampler_bpf__destroy(s->skel);
	if (s->stats_fd >= 0)
		close(s->stats_fd);
	free(s);
}

void sampler_set_idle(struct sampler *s, const struct eddy_range *ranges, size_t nr)
{
	struct eddy_idle *idle = &s->skel->bss->idle;

	for (size_t i = 0; i < nr && i < EDDY_MAX_IDLE_RANGES; i++)
		idle->range[idle->nr_ranges++] = ranges[i];
}

void sampler_set_orc(struct sampler *s, const struct eddy_orc *orc)
{
	s->skel->bss->kernel_orc = *orc;
}

int sampler_start(struct sampler *s, struct diag *ret_diag)
{
	s->exec_link = bpf_program__attach(s->skel->progs.eddy_exec);
	if (!s->exec_link)
		return diag_set(ret_diag, errno, "attaching to sched_process_exec: %s",
				strerror(errno));
	if (s->opts.follow_forks) {
		s->fork_link = bpf_program__attach(s->skel->progs.eddy_fork);
		if (!s->fork_link)
			return diag_set(ret_diag, errno, "attaching to sched_process_fork: %s",
					strerror(errno));
	}
	if (s->opts.tasks) {
		s->free_link = bpf_program__attach(s->skel->progs.eddy_free);
		if (!s->free_link)
			return diag_set(ret_diag, errno, "attaching to sched_process_free: %s",
					strerror(errno));
	}
	return cpu_events_start(s->events, sampling_program(s), ret_diag);
}

int sampler_check_cpus(struct sampler *s, struct diag *ret_diag)
{
	cpu_events_poll(s->events);
	return cpu_events_follow_hotplug(s->events, ret_diag);
}

int sampler_set_rate(struct sampler *s, const struct capture_rate *rate, struct diag *ret_diag)
{
	return cpu_events_set_rate(s->events, rate, ret_diag);
}

void sampler_get_cost(struct sampler *s, uint64_t *ret_bpf_ns, uint64_t *ret_enabled_ns)
{
	struct cpu_events_totals totals;
	struct eddy_counters counters;
	struct bpf_prog_info info;

	cpu_events_get_totals(s->events, &totals);
	if (is_timed(s)) {
		drain_get_counters(s->drain, &counters);
		*ret_bpf_ns = counters.run_ns;
	} else {
		read_program(s, &info);
		*ret_bpf_ns = info.run_time_ns;
	}
	*ret_enabled_ns = totals.enabled_ns;
}

void sampler_age(struct sampler *s)
{
	if (s->loader)
		unwind_loader_age(s->loader);
}

int sampler_stop(struct sampler *s)
{
	if (s->is_stopped)
		return 0;
	s->is_stopped = true;
	cpu_events_stop(s->events);
	note_events(s);
	return drain_finish(s->drain);
}

void sampler_get_stats(const struct sampler *s, struct sampler_stats *ret_stats)
{
	const struct cpu_events_totals *t = &s->events_then;
	const struct bpf_prog_info *info = &s->program_then;
	const struct eddy_counters *c;
	struct drain_totals d;

	drain_get_totals(s->drain, &d);
	c = &d.counters;
	*ret_stats = (struct sampler_stats){
		.due = t->due_is_known ? t->due : c->delivered,
		.due_is_known = t->due_is_known,
		.delivered = c->delivered,
		.idle = c->idle,
		.filtered = c->filtered,
		.kept = d.handed_over,
		.lost = { c->lost_map_full, c->lost_map_busy, d.lost_ring_full },
		.spilled = c->spilled,
		.late = c->late,
		.kernel_walked = c->kernel_walked,
		.kernel_checked = c->kernel_checked,
		.kernel_differed = c->kernel_differed,
		.hash_conflicts = c->hash_conflicts,
		.ring_retries = c->ring_full,
		.throttled = t->throttled,
		.enabled_ns = t->enabled_ns,
		.running_ns = t->running_ns,
		.nr_cpus = t->nr_cpus,
		.bpf_runs = is_timed(s) ? c->delivered : info->run_cnt,
		.bpf_ns = is_timed(s) ? c->run_ns : info->run_time_ns,
		.bpf_misses = info->recursion_misses,
		.nr_stacks = d.nr_stacks,
		.nr_rotations = d.nr_relieved,
		.user_bytes = drain_bytes(s->drain),
	};
	if (s->loader)
		unwind_loader_get_stats(s->loader, &ret_stats->tables);
}

void sampler_stats_since(struct sampler_stats *now, const struct sampler_stats *before)
{
	now->due -= before->due;
	now->delivered -= before->delivered;
	now->idle -= before->idle;
	now->filtered -= before->filtered;
	now->kept -= before->kept;
	for (size_t i = 0; i < NR_SAMPLER_LOSSES; i++)
		now->lost[i] -= before->lost[i];
	now->spilled -= before->spilled;
	now->hash_conflicts -= before->hash_conflicts;
	now->ring_retries -= before->ring_retries;
	now->late -= before->late;
	now->kernel_walked -= before->kernel_walked;
	now->kernel_checked -= before->kernel_checked;
	now->kernel_differed -= before->kernel_differed;
	now->throttled -= before->throttled;
	now->enabled_ns -= before->enabled_ns;
	now->running_ns -= before->running_ns;
	now->bpf_runs -= before->bpf_runs;
	now->bpf_ns -= before->bpf_ns;
	now->bpf_misses -= before->bpf_misses;
	now->nr_stacks -= before->nr_stacks;
	now->nr_rotations -= before->nr_rotations;
	now->tables.nr_requests -= before->tables.nr_requests;
	now->tables.nr_gone -= before->tables.nr_gone;
	now->tables.nr_refused -= before->tables.nr_refused;
	now->tables.nr_rewritten -= before->tables.nr_rewritten;
	now->tables.nr_rules_refused -= before->tables.nr_rules_refused;
	now->tables.maps.nr_evicted -= before->tables.maps.nr_evicted;
}
