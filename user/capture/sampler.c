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
#include <unistd.h>

#include "capture/cpu_events.h"
#include "capture/drain.h"
#include "capture/due_samples.h"
#include "capture/event_end.h"
#include "capture/pid_space.h"
#include "capture/sampler_config.h"
#include "capture/sampler_skel.h"
#include "capture/unwind_loader.h"
#include "capture/wait_programs.h"
#include "util/mem.h"

#define DEFAULT_MAP_BYTES   (16ull << 20)
#define DEFAULT_TABLE_BYTES (128ull << 20)
#define TABLES_WAIT_NS	    3000000000ull /* for those that are not read when all else is ready */

struct sampler {
	struct sampler_opts opts;
	struct sampler_consumer consumer;
	struct sampler_bpf *skel;
	struct cpu_events *events; /* NULL: waits alone are charged */
	struct event_end *end;	   /* NULL: they end when they are told to */
	struct wait_programs waits;
	struct open_waits_opts open_waits;
	struct bpf_link *exec_link, *rename_link, *fork_link, *exit_link, *free_link;
	struct bpf_link *cgroup_link;	  /* NULL: not asked for */
	struct bpf_link *module_links[2]; /* NULL where the kernel has no modules */
	struct sampler_host host;
	struct unwind_loader *loader; /* NULL: stacks are walked by frame pointer only */
	struct drain *drain;
	struct due_samples due;
	struct bpf_prog_info program_then; /* at the end of the last window */
	struct other_programs others;
	bool is_stopped;
};

static struct bpf_program *sampling_program(const struct sampler *s)
{
	if (s->opts.waits)
		return s->skel->progs.eddy_switch;
	return s->opts.event.is_tracepoint ? s->skel->progs.eddy_tracepoint
					   : s->skel->progs.eddy_perf_event;
}

static void read_program(const struct sampler *s, struct bpf_prog_info *ret_info)
{
	uint32_t bytes = sizeof(*ret_info);

	*ret_info = (struct bpf_prog_info){ 0 };
	bpf_obj_get_info_by_fd(bpf_program__fd(sampling_program(s)), ret_info, &bytes);
}

/* How the events and the program stand now, at the end of a window. */
static void note_events(struct sampler *s)
{
	if (s->events)
		due_samples_note(&s->due, s->events);
	read_program(s, &s->program_then);
	other_programs_update(&s->others);
}

/* ---- draining ----------------------------------------------------------------------------- */

int sampler_drain_ring(struct sampler *s)
{
	if (s->events)
		cpu_events_poll(s->events);
	return drain_ring_part(s->drain);
}

int sampler_poll_fd(const struct sampler *s)
{
	return drain_poll_fd(s->drain);
}

int sampler_table_fd(const struct sampler *s)
{
	return s->loader ? unwind_loader_poll_fd(s->loader) : -1;
}

void sampler_ask_file_again(struct sampler *s, uint32_t file)
{
	if (s->loader)
		unwind_loader_ask_again(s->loader, file);
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
	r = drain_end_window(s->drain, ret_end);
	if (r >= 0)
		due_samples_judge(&s->due, drain_get_cpu, s->drain);
	return r;
}

/* ---- life --------------------------------------------------------------------------------- */

static int map_add(const struct bpf_map *map, uint32_t key)
{
	uint8_t one = 1;

	return bpf_map_update_elem(bpf_map__fd(map), &key, &one, BPF_ANY) < 0 ? -errno : 0;
}

static void on_file(void *ctx, uint32_t file, const struct met_file *met)
{
	struct sampler *s = ctx;

	s->consumer.file(s->consumer.ctx, file, met);
}

static void on_file_gone(void *ctx, uint32_t file)
{
	struct sampler *s = ctx;

	if (s->consumer.file_gone)
		s->consumer.file_gone(s->consumer.ctx, file);
}

/* It reads files while the programs are verified. */
static int loader_open(struct sampler *s, struct diag *ret_diag)
{
	const struct unwind_loader_opts opts = {
		.max_bytes =
			s->opts.max_table_bytes ? s->opts.max_table_bytes : DEFAULT_TABLE_BYTES,
		.pool = s->opts.pool,
		.is_to_end = s->opts.is_to_end,
		.on_file = on_file,
		.on_file_gone = on_file_gone,
		.ctx = s,
	};

	return unwind_loader_new(&opts, &s->loader, ret_diag);
}

static int loader_use_maps(struct sampler *s, struct diag *ret_diag)
{
	const struct unwind_maps_fds fds = {
		.slabs = bpf_map__fd(s->skel->maps.slabs),
		.pages = bpf_map__fd(s->skel->maps.pages),
		.rules = bpf_map__fd(s->skel->maps.rules),
		.files = bpf_map__fd(s->skel->maps.files),
	};

	drain_use_loader(s->drain, s->loader, s->opts.max_user_frames,
			 s->opts.unwind == EDDY_UNWIND_EH);
	return unwind_loader_use_maps(
		s->loader, &fds, s->opts.tables_wait_ns ? s->opts.tables_wait_ns : TABLES_WAIT_NS,
		ret_diag);
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
	s->open_waits = (struct open_waits_opts){
		.waiters_fd = bpf_map__fd(s->skel->maps.waiters),
		.window = &s->skel->bss->wait_window,
		.min_wait_ns = o->min_wait_ns,
		.is_wall = o->wall,
	};
	return drain_new(
		&(struct drain_opts){
			.ring_fd = bpf_map__fd(s->skel->maps.ring),
			.counts_fd = bpf_map__fd(s->skel->maps.active),
			.counters_fd = bpf_map__fd(s->skel->maps.counters),
			.ring_bytes = sampler_ring_bytes(o, s->host.nr_cpus),
			.map_bytes = o->map_bytes ? o->map_bytes : DEFAULT_MAP_BYTES,
			.turn = &s->skel->bss->turn,
			.begun_ns = s->skel->bss->begun_ns,
			.consumer = &s->consumer,
			/* A wait may end long after its stack was told. */
			.max_stacks = o->waits ? 0 : o->max_stacks,
			.copy_all = o->copy_all,
			.is_weighed = o->waits || capture_is_weighed(&o->event, &o->rate),
			.has_times = o->times,
			.marks_fd = bpf_map__fd(s->skel->maps.marks),
			.waits = o->waits ? &s->open_waits : NULL,
		},
		&s->drain, ret_diag);
}

/* Attaches a program to a raw tracepoint, whose name the section tells. */
static int program_attach(struct bpf_program *prog, struct bpf_link **ret_link,
			  struct diag *ret_diag)
{
	*ret_link = bpf_program__attach(prog);
	if (!*ret_link)
		return diag_set(ret_diag, errno, "attaching to %s: %s",
				strchrnul(bpf_program__section_name(prog), '/') + 1,
				strerror(errno));
	return 0;
}

int sampler_open(const struct sampler_opts *opts, const struct sampler_consumer *consumer,
		 struct sampler **ret_sampler, struct diag *ret_diag)
{
	_cleanup_(sampler_freep) struct sampler *s = xcalloc(1, sizeof(*s));
	uint32_t pid_space;
	int r;

	s->opts = *opts;
	s->consumer = *consumer;
	r = pid_space_find(&pid_space, ret_diag);
	if (r < 0)
		return r;
	sampler_host_read(&s->host, pid_space);
	/* Events first: that a machine forbids them is said better there than by the BPF loader. */
	if (!opts->waits || opts->wall)
		r = cpu_events_open(&opts->event, &opts->rate, opts->cpus, opts->nr_cpus,
				    &s->events, ret_diag);
	if (r < 0)
		return r;
	if (sampler_has_tables(opts))
		r = loader_open(s, ret_diag);
	if (r < 0)
		return r;
	r = sampler_skel_load(opts, &s->host, consumer, &s->skel, ret_diag);
	if (r < 0)
		return r;
	r = maps_fill(s, ret_diag);
	if (r >= 0 && s->loader)
		r = loader_use_maps(s, ret_diag);
	/* Before who names cgroups looks which there are: none is made in between unseen. */
	if (r >= 0 && opts->identity & EDDY_IDENTITY_CGROUP)
		r = program_attach(s->skel->progs.eddy_cgroup_mkdir, &s->cgroup_link, ret_diag);
	if (r < 0)
		return r;
	*ret_sampler = take_ptr(s);
	return 0;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	event_end_free(s->end);
	if (s->events)
		cpu_events_free(s->events);
	wait_programs_deinit(&s->waits);
	bpf_link__destroy(s->cgroup_link);
	bpf_link__destroy(s->exec_link);
	bpf_link__destroy(s->rename_link);
	bpf_link__destroy(s->module_links[0]);
	bpf_link__destroy(s->module_links[1]);
	bpf_link__destroy(s->fork_link);
	bpf_link__destroy(s->exit_link);
	bpf_link__destroy(s->free_link);
	drain_free(s->drain);
	unwind_loader_free(s->loader);
	if (s->skel)
		sampler_bpf__destroy(s->skel);
	due_samples_deinit(&s->due);
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

void sampler_set_schedule(struct sampler *s, uint64_t start, uint64_t bytes)
{
	s->skel->bss->wait_window.schedule = start;
	s->skel->bss->wait_window.schedule_bytes = bytes;
}

int sampler_start(struct sampler *s, struct diag *ret_diag)
{
	int r = program_attach(s->skel->progs.eddy_rename, &s->rename_link, ret_diag);

	if (r >= 0)
		r = program_attach(s->skel->progs.eddy_exec, &s->exec_link, ret_diag);
	if (r >= 0 && s->opts.follow_forks)
		r = program_attach(s->skel->progs.eddy_fork, &s->fork_link, ret_diag);
	if (r >= 0 && s->opts.tasks && s->host.pid_space)
		r = program_attach(s->skel->progs.eddy_exit, &s->exit_link, ret_diag);
	if (r >= 0 && s->opts.tasks)
		r = program_attach(s->skel->progs.eddy_free, &s->free_link, ret_diag);
	if (r < 0)
		return r;
	s->module_links[0] = bpf_program__attach(s->skel->progs.eddy_module_load);
	s->module_links[1] = bpf_program__attach(s->skel->progs.eddy_module_free);
	read_program(s, &s->program_then);
	other_programs_begin(&s->others, s->program_then.id);
	if (s->opts.waits)
		r = wait_programs_start(&s->waits, s->skel, ret_diag);
	if (r >= 0 && s->events)
		r = cpu_events_start(s->events,
				     s->opts.waits ? s->skel->progs.eddy_perf_event
						   : sampling_program(s),
				     ret_diag);
	return r;
}

uint64_t sampler_begun_ns(const struct sampler *s, uint32_t pid)
{
	return __atomic_load_n(&s->skel->bss->begun_ns[pid % EDDY_NR_BEGUN], __ATOMIC_ACQUIRE);
}

void sampler_set_text(struct sampler *s, uint64_t start, uint64_t bytes, uint64_t bpf_seq)
{
	struct eddy_text *text = &s->skel->bss->text;

	text->start = start;
	text->bytes = bytes;
	text->bpf_seq = bpf_seq;
}

void sampler_note_text(struct sampler *s)
{
	struct eddy_text *text = &s->skel->bss->text;

	if (!text->bpf_seq)
		text->bpf_serial++;
}

uint32_t sampler_module_seq(const struct sampler *s)
{
	return __atomic_load_n(&s->skel->bss->text.module_seq, __ATOMIC_ACQUIRE);
}

int sampler_check_cpus(struct sampler *s, struct diag *ret_diag)
{
	other_programs_look(&s->others);
	return s->events ? cpu_events_follow_hotplug(s->events, ret_diag) : 0;
}

int sampler_set_rate(struct sampler *s, const struct capture_rate *rate, struct diag *ret_diag)
{
	return !s->events ? 0 : cpu_events_set_rate(s->events, rate, ret_diag);
}

void sampler_get_cost(struct sampler *s, uint64_t *ret_bpf_ns, uint64_t *ret_enabled_ns)
{
	struct cpu_events_totals totals = { 0 };
	struct eddy_counters counters;

	if (s->events)
		cpu_events_get_totals(s->events, &totals);
	drain_get_counters(s->drain, &counters);
	*ret_bpf_ns = counters.run_ns;
	*ret_enabled_ns = totals.enabled_ns;
}

void sampler_get_progress(const struct sampler *s, uint64_t *ret_taken, uint64_t *ret_lost)
{
	struct eddy_counters counters;

	drain_get_counters(s->drain, &counters);
	*ret_taken = counters.delivered;
	*ret_lost = counters.lost_map_full + counters.lost_map_busy;
}

void sampler_get_squeezed(const struct sampler *s, uint64_t *ret_taken, uint64_t *ret_squeezed)
{
	struct eddy_counters counters;

	drain_get_counters(s->drain, &counters);
	*ret_taken = counters.delivered;
	*ret_squeezed = counters.lost_map_full + counters.lost_map_busy + counters.ring_retries;
}

void sampler_age(struct sampler *s)
{
	if (s->loader)
		unwind_loader_age(s->loader);
}

const struct other_programs *sampler_other_programs(const struct sampler *s)
{
	return &s->others;
}

void sampler_end_at(struct sampler *s, uint64_t mono_ns)
{
	if (s->opts.waits)
		wait_programs_end_at(s->skel, mono_ns);
	event_end_free(s->end);
	s->end = s->events ? event_end_new(s->events, mono_ns) : NULL;
}

int sampler_stop(struct sampler *s, struct instant *ret_end)
{
	int r;

	if (s->events)
		cpu_events_stop(s->events, ret_end);
	if (s->opts.waits)
		wait_programs_stop(s->skel, ret_end);
	if (s->is_stopped)
		return 0;
	s->is_stopped = true;
	note_events(s);
	r = drain_finish(s->drain);
	if (r >= 0)
		due_samples_judge(&s->due, drain_get_cpu, s->drain);
	return r;
}

void sampler_get_cpu(const struct sampler *s, uint32_t cpu, uint64_t *ret_delivered,
		     uint64_t *ret_idle)
{
	struct drain_cpu c = drain_get_cpu(s->drain, cpu);

	*ret_delivered = c.delivered;
	*ret_idle = c.idle_task;
}

/* Waits that the program did not see end. */
static void add_open_waits(struct sampler_stats *stats, const struct drain_totals *d)
{
	const struct open_waits *o = &d->open;

	stats->delivered += o->waits + o->idle + o->filtered;
	stats->idle += o->idle;
	stats->filtered += o->filtered;
	stats->weight.delivered += o->ns + o->idle_ns + o->short_ns;
	stats->weight.idle += o->idle_ns;
	stats->weight.filtered += o->short_ns;
}

void sampler_get_stats(const struct sampler *s, struct sampler_stats *ret_stats)
{
	const struct cpu_events_totals *t = &s->due.totals;
	const struct bpf_prog_info *info = &s->program_then;
	struct drain_totals d;

	drain_get_totals(s->drain, &d);
	*ret_stats = (struct sampler_stats){
		.due = t->due_is_known ? t->due : d.counters.delivered,
		.due_is_known = t->due_is_known,
		.kept = d.kept,
		.lost[SAMPLER_LOST_RING_FULL] = d.lost_ring_full,
		.is_weighed = s->opts.waits || capture_is_weighed(&s->opts.event, &s->opts.rate),
		.is_time = s->opts.waits,
		.not_taken = s->due.not_taken,
		.not_taken_slack = s->due.slack,
		.throttled = t->throttled,
		.enabled_ns = t->enabled_ns,
		.running_ns = t->running_ns,
		.nr_cpus = s->opts.waits ? (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) : t->nr_cpus,
		.bpf_runs = info->run_cnt,
		.bpf_misses = info->recursion_misses,
		.nr_stacks = d.nr_stacks,
		.nr_rotations = d.nr_relieved,
		.user_bytes = drain_bytes(s->drain),
	};
	if (ret_stats->is_weighed) {
		ret_stats->weight.counted = t->counted;
		ret_stats->weight.kept = d.weight_kept;
		ret_stats->weight.lost[SAMPLER_LOST_RING_FULL] = d.weight_lost_ring_full;
	}
	sampler_stats_set(ret_stats, &d.counters);
	add_open_waits(ret_stats, &d);
	if (s->loader)
		unwind_loader_get_stats(s->loader, &ret_stats->tables);
}
