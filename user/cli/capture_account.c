// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums only grow; a window is the difference of two readings of them. */
#include "cli/capture_account.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/cpus.h"
#include "util/mem.h"

/* The end of a window is planned; a busy machine may be so late without anything to tell. */
#define LATE_MIN_NS 250000000ull

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

void capture_read(const struct capture_parts *parts, struct capture_reading *ret_reading)
{
	struct symbolizer_stats symbolizer;

	symbolizer_get_stats(parts->symbolizer, &symbolizer);
	sampler_get_stats(parts->sampler, &ret_reading->sampler);
	memcpy(ret_reading->misses, symbolizer.misses, sizeof(symbolizer.misses));
	ret_reading->cpu_seconds = clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
	ret_reading->idle_cpu_seconds = cpus_idle_seconds(parts->cpus, parts->nr_cpus);
	ret_reading->max_sample_rate_hz = capture_max_sample_rate_hz();
}

void capture_account_begin(struct capture_account *a, const struct capture_parts *parts,
			   const struct capture_rate *rate, const struct instant *start)
{
	*a = (struct capture_account){
		.event = parts->event,
		.rate = *rate,
		.start_ms = start->real_ns / 1000000,
	};
	capture_account_note(a, "%s", capture_event_blind_spot(parts->event));
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
	if (s->running_ns < s->enabled_ns)
		capture_account_note(a, "counters were shared: the event ran %.1f %% of the time",
				     100.0 * s->running_ns / s->enabled_ns);
	if (!s->due_is_known && !a->event->is_tracepoint)
		capture_account_note(
			a,
			"due samples are not known for a frequency on %s, the kernel adapts the "
			"period; those delivered stand in their place",
			a->event->name);
}

static void note_missing(struct capture_account *a)
{
	uint64_t due = a->sampler.due, delivered = a->sampler.delivered;

	if (a->sampler.bpf_misses)
		capture_account_note(
			a,
			"the kernel skipped the sampler %llu times because another BPF program "
			"was running on the CPU",
			(unsigned long long)a->sampler.bpf_misses);
	/* A sample of each CPU may fall behind the end. */
	if (due <= delivered + due / 200 + a->sampler.nr_cpus || !a->event->is_clock)
		return;
	capture_account_note(
		a,
		"%llu samples were due and not delivered, %.2f s of CPU time; the CPUs were idle "
		"for %.2f s, and an idle CPU's clock may not tick",
		(unsigned long long)(due - delivered),
		a->sampler.enabled_ns / 1e9 * (due - delivered) / due, a->idle_cpu_seconds);
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
		collector_lost(parts->collector, sampler_loss_name(i), a->sampler.lost[i]);
	}
	collector_get_stats(parts->collector, &a->collector);
	symbolizer_get_stats(parts->symbolizer, &a->symbolizer);
	for (int i = 0; i < NR_SYMBOL_MISSES; i++)
		a->symbolizer.misses[i] -= before->misses[i];
	irq_account_take(&a->irq, parts->collector);
	a->cpu_seconds = after->cpu_seconds - before->cpu_seconds;
	a->idle_cpu_seconds = after->idle_cpu_seconds - before->idle_cpu_seconds;
	getrusage(RUSAGE_SELF, &usage);
	a->max_rss_bytes = usage.ru_maxrss * 1024ull;
	a->rss_bytes = rss_bytes();
	note_lapse(a);
	note_rates(a, before, after);
	note_missing(a);
	note_kernel_stacks(a);
}
