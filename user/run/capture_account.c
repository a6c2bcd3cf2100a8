// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums only grow; a window is the difference of two readings of them. */
#include "run/capture_account.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "archive/count_unit.h"
#include "profile/profile_trim.h"
#include "run/naming.h"
#include "util/mem.h"
#include "util/strbuf.h"

/* The end of a window is planned; a busy machine may be so late without anything to tell. */
#define LATE_MIN_NS	   250000000ull
#define MAX_NAMED_PROGRAMS 8
#define JIT_PERCENT	   5 /* of the user stacks, from which on it is noted */

char *capture_account_unit(const struct capture_account *a)
{
	enum sidecar_unit unit = a->sampler.is_weighed ? SIDECAR_EVENTS : SIDECAR_SAMPLES;

	if (a->sampler.is_time)
		unit = SIDECAR_MICROSECONDS;
	return count_unit_words(unit, a->event->name, a->event->is_clock, a->rate.period);
}

void capture_account_deinit(struct capture_account *a)
{
	for (size_t i = 0; i < a->nr_notes; i++)
		free(a->notes[i]);
	free(a->notes);
	irq_account_deinit(&a->irq);
	*a = (struct capture_account){ 0 };
}

void capture_account_note(struct capture_account *a, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		array_reserve(a->notes, a->cap_notes, a->nr_notes + 1);
		a->notes[a->nr_notes++] = text;
	}
	va_end(ap);
}

void capture_read(const struct capture_parts *parts, struct capture_reading *reading)
{
	struct symbolizer_stats symbolizer;

	symbolizer_get_stats(parts->symbolizer, &symbolizer);
	memcpy(reading->misses, symbolizer.misses, sizeof(symbolizer.misses));
	reading->limits = symbolizer.limits;
	limit_counts_add(&reading->limits, &reading->sampler.tables.maps.limits);
	collector_add_limits(parts->collector, &reading->limits);
	if (parts->naming)
		naming_add_limits(parts->naming, &reading->limits);
	worker_pool_get_stats(parts->pool, &reading->workers);
	reading->limits.nr[LIMIT_STALLED] = reading->workers.nr_stalled;
	reading->limits.nr[LIMIT_UNASKED] = reading->workers.nr_refused;
	reading->cpu_seconds = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) + reading->workers.cpu_ns) / 1e9;
	reading->max_sample_rate_hz = capture_max_sample_rate_hz();
}

void capture_account_begin(struct capture_account *a, const struct capture_parts *parts,
			   const struct capture_rate *rate, const struct instant *start)
{
	_cleanup_strbuf_ struct strbuf blind = STRBUF_INIT;

	capture_event_blind_spot(parts->event, &blind);
	*a = (struct capture_account){
		.event = parts->event,
		.rate = *rate,
		.start_ms = start->real_ns / 1000000,
	};
	capture_account_note(a, "%s",
			     parts->wall ? "time on a CPU is exact, and laid over the stacks of "
					   "each thread's samples"
			     : parts->waits
				     ? "waiting is charged when it ends, to the microsecond; "
				       "time on a CPU is not in it"
				     : blind.bytes);
}

uint64_t capture_account_lasted_ms(const struct capture_account *a)
{
	return (uint64_t)(a->seconds * 1000) + a->lapse.suspended_ns / 1000000;
}

static void note_lapse(struct capture_account *a)
{
	const struct window_lapse *l = &a->lapse;

	if (l->stepped_ns)
		capture_account_note(a, "the clock was set %s by %.3f s during this window",
				     l->stepped_ns < 0 ? "back" : "forward",
				     (l->stepped_ns < 0 ? -l->stepped_ns : l->stepped_ns) / 1e9);
	if (l->suspended_ns)
		capture_account_note(a,
				     "the machine was suspended for %.1f s during this window, in "
				     "which nothing was sampled",
				     l->suspended_ns / 1e9);
	if (l->late_ns >= LATE_MIN_NS)
		capture_account_note(a,
				     "this window ended %.1f s late: eddy was stopped, or did not "
				     "get a CPU; it holds what was sampled until then",
				     l->late_ns / 1e9);
}

/* Other perf events of the machine had the counters in turn with ours. */
static void note_sharing(struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	if (s->running_ns >= s->enabled_ns)
		return;
	if (s->running_ns)
		capture_account_note(a,
				     "counters were shared: the event ran %.1f %% of the time; "
				     "what it counted times %.3f is the estimate for all of it, "
				     "shares stay",
				     100.0 * s->running_ns / s->enabled_ns,
				     (double)s->enabled_ns / s->running_ns);
	else
		capture_account_note(a, "the event never ran: others had all counters (another "
					"perf, the NMI watchdog: 'sysctl kernel.nmi_watchdog=0')");
}

static void note_rates(struct capture_account *a, const struct capture_reading *before,
		       const struct capture_reading *after)
{
	const struct sampler_stats *s = &a->sampler;

	if (s->throttled)
		capture_account_note(
			a,
			"the kernel throttled sampling %llu times: more samples in a tick than "
			"kernel.perf_event_max_sample_rate allows",
			(unsigned long long)s->throttled);
	if (after->max_sample_rate_hz < before->max_sample_rate_hz)
		capture_account_note(
			a,
			"the kernel lowered perf_event_max_sample_rate from %llu to %llu Hz "
			"meanwhile, because interrupts took too long",
			(unsigned long long)before->max_sample_rate_hz,
			(unsigned long long)after->max_sample_rate_hz);
	note_sharing(a);
	if (!s->due_is_known && !a->event->is_tracepoint)
		capture_account_note(
			a,
			"for a frequency on %s the kernel adapts the period: each sample weighs "
			"the "
			"events of its period, and counts are events; how many samples to expect "
			"is "
			"not known, those taken stand in their place",
			a->event->name);
}

/*
 * The kernel adapts the period at ticks: after a burst the next event is a sample and has the
 * period of the burst, and what comes after the last sample is in none (perf_adjust_period()).
 */
static void note_weights(struct capture_account *a)
{
	const struct sampler_weights *w = &a->sampler.weight;
	uint64_t apart =
		w->delivered > w->counted ? w->delivered - w->counted : w->counted - w->delivered;

	if (a->sampler.is_weighed && apart > w->counted / 10)
		capture_account_note(
			a,
			"samples stand for %llu of %llu %s: they come in bursts, which "
			"the kernel's adapted period does not follow; a fixed one "
			"(--count) is exact",
			(unsigned long long)w->delivered, (unsigned long long)w->counted,
			a->event->name);
}

bool capture_account_is_many(const struct capture_account *a, uint64_t nr)
{
	return nr > a->sampler.due / 200 + a->sampler.nr_cpus + a->sampler.not_taken_slack;
}

/* Which has run longest, else which was loaded last. */
static int by_time(const void *a, const void *b)
{
	const struct other_program *x = *(const struct other_program *const *)a;
	const struct other_program *y = *(const struct other_program *const *)b;

	if (x->run_ns != y->run_ns)
		return x->run_ns > y->run_ns ? -1 : 1;
	return x->id > y->id ? -1 : x->id < y->id;
}

static void program_add(struct strbuf *to, const struct other_program *p)
{
	strbuf_addf(to, "%s %s (id %u", p->kind, *p->name ? p->name : "without a name", p->id);
	if (p->run_ns)
		strbuf_addf(to, ", ran %.3f s", p->run_ns / 1e9);
	strbuf_addstr(to, p->is_gone ? ", gone by now)" : ")");
}

char *capture_account_programs(const struct other_programs *o)
{
	const struct other_program *list[MAX_OTHER_PROGRAMS];
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t nr_named, nr_more;

	if (!o || !o->is_known)
		return xstrdup("");
	for (size_t i = 0; i < o->nr; i++)
		list[i] = &o->items[i];
	qsort(list, o->nr, sizeof(void *), by_time);
	nr_named = o->nr < MAX_NAMED_PROGRAMS ? o->nr : MAX_NAMED_PROGRAMS;
	nr_more = o->nr - nr_named + o->nr_more;
	strbuf_addf(&text, "; of such programs %s", nr_named ? "there were " : "none was seen");
	for (size_t i = 0; i < nr_named; i++) {
		strbuf_addstr(&text, i ? ", " : "");
		program_add(&text, list[i]);
	}
	if (nr_more)
		strbuf_addf(&text, " and %llu more", (unsigned long long)nr_more);
	return xstrdup(text.bytes);
}

static void note_missing(struct capture_account *a, const struct other_programs *others)
{
	_cleanup_free_ char *programs = capture_account_programs(others);
	const struct sampler_stats *s = &a->sampler;

	if (s->bpf_misses)
		capture_account_note(
			a,
			"the kernel skipped the sampler %llu times because another BPF program "
			"was running on the CPU%s",
			(unsigned long long)s->bpf_misses, programs);
	if (capture_account_is_many(a, s->not_taken.busy))
		capture_account_note(
			a,
			"%llu samples of busy CPUs are missing: the kernel does not let anybody "
			"sample BPF programs on kprobes, tracepoints and perf events, nor bpf() "
			"calls on maps, and a timer that is late skips samples%s",
			(unsigned long long)s->not_taken.busy, programs);
	if (capture_account_is_many(a, s->not_taken.idle))
		capture_account_note(a,
				     "%llu expected samples are missing (CPU idle, timer "
				     "stopped)",
				     (unsigned long long)s->not_taken.idle);
	if (capture_account_is_many(a, s->not_taken.stolen))
		capture_account_note(a,
				     "%llu expected samples are missing (stolen: the "
				     "hypervisor ran others)",
				     (unsigned long long)s->not_taken.stolen);
}

static void note_lowered(struct capture_account *a)
{
	if (a->lowered_from_hz)
		capture_account_note(a,
				     "sampling was lowered from %llu Hz to %llu Hz: samples came "
				     "faster than they can be taken in here",
				     (unsigned long long)a->lowered_from_hz,
				     (unsigned long long)a->lowered_to_hz);
}

static void note_waits(struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	if (s->bpf_misses)
		capture_account_note(a, "the kernel skipped %llu switches between threads",
				     (unsigned long long)s->bpf_misses);
	if (s->unseen)
		capture_account_note(
			a,
			"the kernel did not tell %llu switches and wake-ups: when a thread was "
			"switched is known by the time that it has run, where it waited may not be "
			"([lost:switch]), and %.3f s that count as blocked ended as waits for a "
			"CPU",
			(unsigned long long)s->unseen, s->unwoken_ns / 1e9);
	if (s->unfollowed)
		capture_account_note(a,
				     "threads were switched out %llu times for which there was no "
				     "room: their waits are not known",
				     (unsigned long long)s->unfollowed);
}

static void note_kernel_stacks(struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	if (s->kernel_differed)
		capture_account_note(
			a,
			"%llu of %llu kernel stacks that were compared with the kernel's own "
			"differed; the kernel is asked for all of them from then on, but of the "
			"%llu walked before some may be wrong: please report it",
			(unsigned long long)s->kernel_differed,
			(unsigned long long)s->kernel_checked,
			(unsigned long long)s->kernel_walked);
}

static void note_hidden(struct capture_account *a)
{
	uint64_t nr = a->collector.user_broken[EDDY_END_HIDDEN];

	if (nr)
		capture_account_note(
			a,
			"%llu samples are of processes outside of this PID namespace, which have "
			"no number here: their user stacks end at the first file that no process "
			"in it has mapped",
			(unsigned long long)nr);
}

/* What ends in such code, or by frame pointers in what it has called. */
static void note_jit(struct capture_account *a)
{
	const struct collector_stats *c = &a->collector;
	uint64_t nr = c->user_broken[EDDY_END_JIT];

	if (nr && nr * 100 > c->user_total * JIT_PERCENT)
		capture_account_note(
			a,
			"%llu of %llu user stacks end in code compiled at run time without frame "
			"pointers: java keeps them with -XX:+PreserveFramePointer; names come from "
			"/tmp/perf-PID.map (node --perf-basic-prof, java -XX:+DumpPerfMapAtExit, "
			".NET DOTNET_PerfMapEnabled=1) or a jitdump",
			(unsigned long long)nr, (unsigned long long)c->user_total);
}

static void note_limits(struct capture_account *a)
{
	for (int i = 0; i < NR_LIMITS; i++)
		if (a->limits.nr[i])
			capture_account_note(a, "%llu %s", (unsigned long long)a->limits.nr[i],
					     limit_text(i, a->limits.nr[i]));
}

static uint64_t rss_bytes(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long pages;

	if (!f || fscanf(f, "%*u %llu", &pages) != 1)
		return 0;
	return pages * sysconf(_SC_PAGESIZE);
}

void capture_account_fill(struct capture_account *a, const struct capture_parts *parts,
			  const struct capture_reading *before, const struct capture_reading *after)
{
	struct rusage usage;

	a->sampler = after->sampler;
	sampler_stats_since(&a->sampler, &before->sampler);
	for (int i = 0; i < NR_SAMPLER_LOSSES; i++) {
		a->nr_lost += a->sampler.lost[i];
		a->weight_lost += a->sampler.weight.lost[i];
		if (a->sampler.is_time)
			collector_lost_wait(parts->collector, sampler_loss_name(i),
					    a->sampler.weight.lost[i]);
		else
			collector_lost(parts->collector, sampler_loss_name(i),
				       a->sampler.is_weighed ? a->sampler.weight.lost[i]
							     : a->sampler.lost[i]);
	}
	collector_get_stats(parts->collector, &a->collector);
	symbolizer_get_stats(parts->symbolizer, &a->symbolizer);
	for (int i = 0; i < NR_SYMBOL_MISSES; i++)
		a->symbolizer.misses[i] -= before->misses[i];
	a->limits = after->limits;
	limit_counts_since(&a->limits, &before->limits);
	a->limits.nr[LIMIT_CUT_STACKS] = profile_cut_weight(collector_profile(parts->collector));
	a->workers = after->workers;
	worker_pool_stats_since(&a->workers, &before->workers);
	irq_account_take(&a->irq, parts->collector);
	a->cpu_seconds = after->cpu_seconds - before->cpu_seconds;
	getrusage(RUSAGE_SELF, &usage);
	a->rss_bytes = rss_bytes();
	a->max_rss_bytes = usage.ru_maxrss * 1024ull;
	/* The kernel adds the two up at different times: pages that CPUs counted come later. */
	if (a->max_rss_bytes < a->rss_bytes)
		a->max_rss_bytes = a->rss_bytes;
	note_lapse(a);
	if (a->sampler.is_time) {
		note_waits(a);
	} else {
		note_rates(a, before, after);
		note_weights(a);
		note_missing(a, parts->sampler ? sampler_other_programs(parts->sampler) : NULL);
	}
	a->nr_usual_notes = a->nr_notes;
	note_lowered(a);
	note_kernel_stacks(a);
	note_hidden(a);
	note_jit(a);
	note_limits(a);
}
