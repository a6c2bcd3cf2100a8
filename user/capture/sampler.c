// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sampler that was put together (sampler_open.c) goes through its life: it starts, its parts are
 * asked and told what they need, it stops, and says what it has counted.
 */
#include "capture/sampler.h"

#include <errno.h>
#include <unistd.h>

#include "capture/sampler_parts.h"
#include "util/mem.h"

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
	/* Right before the turn is raised: what is due until here is delivered until there. */
	note_events(s);
	r = drain_end_window(s->drain, ret_end);
	if (r >= 0)
		due_samples_judge(&s->due, drain_get_cpu, s->drain);
	return r;
}

/* ---- life --------------------------------------------------------------------------------- */

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

/*
 * Sampling comes last: when a program began and which tasks are meant is known by then, or a sample
 * would meet a process whose exec or fork nobody saw.
 */
int sampler_start(struct sampler *s, struct diag *ret_diag)
{
	int r = sampler_attach(s->skel->progs.eddy_rename, &s->rename_link, ret_diag);

	if (r >= 0)
		r = sampler_attach(s->skel->progs.eddy_exec, &s->exec_link, ret_diag);
	if (r >= 0 && s->opts.follow_forks)
		r = sampler_attach(s->skel->progs.eddy_fork, &s->fork_link, ret_diag);
	if (r >= 0 && s->opts.tasks && s->host.pid_space)
		r = sampler_attach(s->skel->progs.eddy_exit, &s->exit_link, ret_diag);
	if (r >= 0 && s->opts.tasks)
		r = sampler_attach(s->skel->progs.eddy_free, &s->free_link, ret_diag);
	if (r < 0)
		return r;
	/* NULL is fine: a kernel without modules has no such tracepoints, and misses nothing. */
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
