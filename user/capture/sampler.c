// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads the BPF sampler, gives it its maps and hands what it counts to the consumer.
 *
 * Counts in the kernel only grow while their map is in use; a drain reads them and takes the
 * difference to what it read before.  When the map fills up it is replaced: putting a new map
 * into the outer one waits until no program uses the old (see bpf/maps.bpf.h), whose counts are
 * then final.  So a window's end never counts a sample twice and never loses one.
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
#include <time.h>
#include <unistd.h>

#include "capture/counts.h"
#include "capture/cpu_events.h"
#include "capture/host.h"
#include "capture/late_samples.h"
#include "capture/stack_table.h"
#include "capture/unwind_loader.h"
#include "sampler.skel.h"
#include "util/mem.h"

#define DEFAULT_MAP_BYTES   (16ull << 20)
#define MIN_RING_BYTES	    (1ull << 20)
#define RING_CPU_BYTES	    (128ull << 10)
#define MAX_RING_BYTES	    (64ull << 20)
#define DEFAULT_TABLE_BYTES (128ull << 20)

struct sampler {
	struct sampler_opts opts;
	struct sampler_consumer consumer;
	struct sampler_bpf *skel;
	struct cpu_events *events;
	struct ring_buffer *ring;
	struct bpf_link *exec_link, *fork_link;
	struct unwind_loader *loader; /* NULL: stacks are walked by frame pointer only */
	struct late_samples *late;    /* NULL: the same */
	struct stack_table *stacks;
	struct counts *counts;
	int stats_fd; /* keeps the kernel counting BPF run time */
	bool is_stopped;

	uint64_t ring_size, ring_taken; /* bytes; taken since sampler_drain_ring() was called */
	uint64_t handed_over;		/* samples given to the consumer */
	uint64_t lost_ring_full;
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

static uint64_t ring_bytes(const struct sampler_opts *opts)
{
	uint64_t want = opts->ring_bytes, bytes = 4096;

	if (!want) {
		want = RING_CPU_BYTES * libbpf_num_possible_cpus();
		if (want < MIN_RING_BYTES)
			want = MIN_RING_BYTES;
	}
	while (bytes < want && bytes < MAX_RING_BYTES)
		bytes *= 2;
	return bytes;
}

/* ---- ring --------------------------------------------------------------------------------- */

static void hand_over(struct sampler *s, uint32_t tag, uint64_t samples)
{
	if (!samples)
		return;
	s->handed_over += samples;
	s->consumer.count(s->consumer.ctx, tag, samples);
}

static void on_stack(struct sampler *s, const struct eddy_stack_event *ev)
{
	uint32_t tag;

	if (ev->weight) { /* spilled: it may share its hash with another stack */
		tag = s->consumer.stack(s->consumer.ctx, ev);
		hand_over(s, tag, ev->weight);
		return;
	}
	counts_stack_sent(s->counts);
	if (stack_table_find(s->stacks, &ev->key))
		return; /* two CPUs met it at once, or the map is a new one */
	tag = s->consumer.stack(s->consumer.ctx, ev);
	stack_table_add(s->stacks, &ev->key, tag);
}

static void on_spill(struct sampler *s, const struct eddy_spill_event *ev)
{
	struct stack_entry *e = stack_table_find(s->stacks, &ev->key);

	if (e)
		hand_over(s, e->tag, ev->weight);
	else
		s->lost_ring_full += ev->weight;
}

static int on_record(void *ctx, void *data, size_t bytes)
{
	struct sampler *s = ctx;
	const struct eddy_stack_event *ev = data;

	switch (*(uint32_t *)data) {
	case EDDY_EVENT_STACK:
		if (bytes >= sizeof(*ev) + ((size_t)ev->nr_kernel + ev->nr_user) * sizeof(uint64_t))
			on_stack(s, ev);
		break;
	case EDDY_EVENT_SPILL:
		on_spill(s, data);
		break;
	case EDDY_EVENT_LATE:
		if (s->opts.copy_all)
			s->consumer.copy(s->consumer.ctx, data);
		else if (s->late)
			late_samples_add(s->late, data, bytes);
		break;
	case EDDY_EVENT_FILE:
		if (s->loader)
			unwind_loader_request(s->loader, data);
		break;
	case EDDY_EVENT_EXEC:
		s->consumer.exec(s->consumer.ctx, data);
		break;
	}
	/* A record has a header of 8 bytes and is padded to 8. */
	s->ring_taken += (bytes + 15) / 8 * 8;
	return s->ring_taken < s->ring_size ? 0 : -EAGAIN;
}

/*
 * At most one ring full: all that was there when the call began.  Without a bound, samples that
 * come faster than they can be handled would keep it from ever returning.
 */
int sampler_drain_ring(struct sampler *s)
{
	int nr;

	s->ring_taken = 0;
	nr = ring_buffer__consume(s->ring);
	if (nr == -EAGAIN)
		nr = 1;
	if (s->loader) {
		unwind_loader_poll(s->loader);
		if (late_samples_nr(s->late))
			late_samples_poll(s->late, false);
	}
	return nr;
}

int sampler_poll_fd(const struct sampler *s)
{
	return ring_buffer__epoll_fd(s->ring);
}

int sampler_table_fd(const struct sampler *s)
{
	return s->loader ? unwind_loader_poll_fd(s->loader) : -1;
}

/* ---- counts ------------------------------------------------------------------------------- */

/*
 * Stacks whose definition is still on its way stay for the next time, unless it is the last: then
 * they are lost, nobody knows what they were.
 */
struct taking {
	struct sampler *s;
	bool is_last;
};

static void take_count(void *ctx, const struct eddy_stack_key *key, uint64_t count)
{
	const struct taking *t = ctx;
	struct sampler *s = t->s;
	struct stack_entry *e = stack_table_find(s->stacks, key);

	if (e)
		hand_over(s, e->tag, stack_entry_take(e, count, counts_generation(s->counts)));
	else if (t->is_last)
		s->lost_ring_full += count;
}

/* Replaces the map and takes what the old one held, finally. */
static int rotate_counts(struct sampler *s)
{
	struct taking t = { .s = s, .is_last = true };
	int r = counts_replace(s->counts);

	if (r < 0)
		return r;
	sampler_drain_ring(s); /* the last definitions of stacks in the old map */
	return counts_take_replaced(s->counts, take_count, &t);
}

/* A map three quarters full is replaced, before stacks have to be spilled. */
int sampler_relieve_counts(struct sampler *s)
{
	return counts_is_filling(s->counts) ? rotate_counts(s) : 0;
}

int sampler_drain_counts(struct sampler *s)
{
	struct taking t = { .s = s };

	sampler_drain_ring(s);
	if (counts_is_filling(s->counts))
		return rotate_counts(s);
	return counts_take(s->counts, take_count, &t);
}

/* ---- life --------------------------------------------------------------------------------- */

static void config_fill(struct eddy_config *c, const struct sampler_opts *opts)
{
	if (getrandom(&c->seed, sizeof(c->seed), 0) != sizeof(c->seed))
		c->seed = (uintptr_t)c;
	c->wake_bytes = ring_bytes(opts) / 4;
	c->page_bytes = sysconf(_SC_PAGESIZE);
	c->thread_bytes = 16384; /* until a task's stack area tells */
	c->period = opts->rate.period ? opts->rate.period : 1;
	c->identity = opts->identity;
	c->keep_idle = opts->keep_idle;
	c->max_user_frames = opts->max_user_frames;
	c->unwind = opts->unwind;
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

static int load_failed(int err, struct diag *ret_diag)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return diag_set(
			ret_diag, err,
			"this kernel has no BTF (/sys/kernel/btf/vmlinux): eddy needs one built "
			"with CONFIG_DEBUG_INFO_BTF");
	if (err == EPERM && host_bpf_memory_limit() != UINT64_MAX)
		return diag_set(ret_diag, err,
				"BPF maps may take %" PRIu64
				" KiB only (RLIMIT_MEMLOCK, which counts "
				"before Linux 5.11): run 'ulimit -l unlimited' before, or grant "
				"CAP_SYS_RESOURCE, or try '--unwind fp --map-memory 1M'",
				host_bpf_memory_limit() >> 10);
	/* The verifier says EACCES too: then it is not for want of privileges. */
	if (!host_has_capability(HOST_CAP_SYS_ADMIN) &&
	    !(host_has_capability(HOST_CAP_BPF) && host_has_capability(HOST_CAP_PERFMON)))
		return diag_set(
			ret_diag, err,
			"loading BPF programs is not permitted: run as root, or grant CAP_BPF "
			"and CAP_PERFMON ('eddy doctor' tells what is missing)");
	return diag_set(
		ret_diag, err,
		"the BPF sampler cannot be loaded: %s ('eddy doctor' tells what is missing)",
		strerror(err));
}

static int skel_load(struct sampler *s, struct diag *ret_diag)
{
	const struct sampler_opts *o = &s->opts;
	struct sampler_bpf *skel = sampler_bpf__open();

	if (!skel)
		return load_failed(errno, ret_diag);
	s->skel = skel;
	config_fill(&skel->rodata->config, o);
	s->ring_size = ring_bytes(o);
	bpf_map__set_max_entries(skel->maps.ring, s->ring_size);
	bpf_map__set_max_entries(skel->maps.cpus, o->nr_cpus ? o->nr_cpus : 1);
	bpf_program__set_autoload(skel->progs.eddy_perf_event, !o->event.is_tracepoint);
	bpf_program__set_autoload(skel->progs.eddy_tracepoint, o->event.is_tracepoint);
	bpf_program__set_autoload(skel->progs.eddy_fork, o->follow_forks);
	if (o->unwind == EDDY_UNWIND_FP || o->kernel_only) {
		/* No tables: no memory for them either. */
		bpf_map__set_max_entries(skel->maps.files, 1);
		bpf_map__set_max_entries(skel->maps.slabs, 1);
	}
	if (sampler_bpf__load(skel) < 0)
		return load_failed(errno, ret_diag);
	return 0;
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

static void on_late(void *ctx, const struct eddy_stack_event *ev)
{
	on_stack(ctx, ev);
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
		.ctx = s,
	};
	int r = unwind_loader_new(&opts, &s->loader, ret_diag);

	if (r < 0)
		return r;
	s->late = late_samples_new(s->loader, s->opts.max_user_frames, on_late, s);
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
	r = counts_new(bpf_map__fd(s->skel->maps.active),
		       o->map_bytes ? o->map_bytes : DEFAULT_MAP_BYTES, &s->counts, ret_diag);
	if (r < 0)
		return r;
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.ring), on_record, s, NULL);
	if (!s->ring)
		return diag_set(ret_diag, errno, "the ring cannot be mapped: %s", strerror(errno));
	return 0;
}

int sampler_open(const struct sampler_opts *opts, const struct sampler_consumer *consumer,
		 struct sampler **ret_sampler, struct diag *ret_diag)
{
	_cleanup_(sampler_freep) struct sampler *s = xcalloc(1, sizeof(*s));
	int r;

	s->opts = *opts;
	s->consumer = *consumer;
	s->stats_fd = -1;
	s->stacks = stack_table_new();
	/* Events first: that a machine forbids them is said better there than by the BPF loader. */
	r = cpu_events_open(&opts->event, &opts->rate, opts->cpus, opts->nr_cpus, &s->events,
			    ret_diag);
	if (r < 0)
		return r;
	r = skel_load(s, ret_diag);
	if (r < 0)
		return r;
	r = maps_fill(s, ret_diag);
	if (r >= 0 && opts->unwind != EDDY_UNWIND_FP && !opts->kernel_only)
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
	ring_buffer__free(s->ring);
	late_samples_free(s->late);
	unwind_loader_free(s->loader);
	if (s->skel)
		sampler_bpf__destroy(s->skel);
	counts_free(s->counts);
	if (s->stats_fd >= 0)
		close(s->stats_fd);
	stack_table_free(s->stacks);
	free(s);
}

void sampler_set_idle(struct sampler *s, const struct eddy_range *ranges, size_t nr)
{
	struct eddy_idle *idle = &s->skel->bss->idle;

	for (size_t i = 0; i < nr && i < EDDY_MAX_IDLE_RANGES; i++)
		idle->range[idle->nr_ranges++] = ranges[i];
}

static struct bpf_program *sampling_program(const struct sampler *s)
{
	return s->opts.event.is_tracepoint ? s->skel->progs.eddy_tracepoint
					   : s->skel->progs.eddy_perf_event;
}

int sampler_start(struct sampler *s, struct diag *ret_diag)
{
	s->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME); /* 5.8; without it cost is not known */
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
	return cpu_events_start(s->events, sampling_program(s), ret_diag);
}

int sampler_check_cpus(struct sampler *s, struct diag *ret_diag)
{
	cpu_events_poll(s->events);
	return cpu_events_follow_hotplug(s->events, ret_diag);
}

/* The last samples may have asked for tables: they get a moment to come. */
static void late_finish(struct sampler *s)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	sampler_drain_ring(s);
	if (!s->late)
		return;
	for (int i = 0; i < 50 && late_samples_nr(s->late) && unwind_loader_is_busy(s->loader);
	     i++) {
		nanosleep(&pause, NULL);
		sampler_drain_ring(s);
	}
	late_samples_poll(s->late, true);
}

int sampler_stop(struct sampler *s)
{
	if (s->is_stopped)
		return 0;
	s->is_stopped = true;
	cpu_events_stop(s->events);
	late_finish(s);
	/* An empty map in the old one's place: returns when the last program has finished. */
	return rotate_counts(s);
}

static void counters_sum(struct sampler *s, struct eddy_counters *sum)
{
	int nr_cpus = libbpf_num_possible_cpus();
	_cleanup_free_ struct eddy_counters *all = xcalloc(nr_cpus, sizeof(*all));
	uint32_t zero = 0;

	*sum = (struct eddy_counters){ 0 };
	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.counters), &zero, all) < 0)
		return;
	for (int i = 0; i < nr_cpus; i++)
		for (size_t k = 0; k < sizeof(*sum) / sizeof(__u64); k++)
			((__u64 *)sum)[k] += ((__u64 *)&all[i])[k];
}

void sampler_get_stats(struct sampler *s, struct sampler_stats *ret_stats)
{
	struct bpf_prog_info info = { 0 };
	uint32_t info_bytes = sizeof(info);
	struct cpu_events_totals t;
	struct eddy_counters c;

	cpu_events_get_totals(s->events, &t);
	counters_sum(s, &c);
	bpf_obj_get_info_by_fd(bpf_program__fd(sampling_program(s)), &info, &info_bytes);
	*ret_stats = (struct sampler_stats){
		.due = t.due_is_known ? t.due : c.delivered,
		.due_is_known = t.due_is_known,
		.delivered = c.delivered,
		.idle = c.idle,
		.filtered = c.filtered,
		.kept = s->handed_over,
		.lost = { c.lost_map_full, c.lost_map_busy, s->lost_ring_full },
		.spilled = c.spilled,
		.late = c.late,
		.hash_conflicts = c.hash_conflicts,
		.ring_retries = c.ring_full,
		.throttled = t.throttled,
		.enabled_ns = t.enabled_ns,
		.running_ns = t.running_ns,
		.nr_cpus = t.nr_cpus,
		.bpf_runs = info.run_cnt,
		.bpf_ns = info.run_time_ns,
		.bpf_misses = info.recursion_misses,
		.nr_stacks = stack_table_nr(s->stacks),
		.nr_rotations = counts_nr_replaced(s->counts) - s->is_stopped,
		.user_bytes = stack_table_bytes(s->stacks),
	};
	if (s->loader)
		unwind_loader_get_stats(s->loader, &ret_stats->tables);
}
