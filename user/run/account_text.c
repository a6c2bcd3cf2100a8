// SPDX-License-Identifier: GPL-2.0-or-later
/* Every sample that was due is accounted for here, in words. */
#include "run/account_text.h"

#include <inttypes.h>
#include <string.h>

#include "util/mem.h"
#include "util/sandbox.h"

/* One decimal; less than the whole is never 100. */
static double percent(uint64_t part, uint64_t whole)
{
	double p = 100.0 * part / whole;

	return part < whole && p > 99.9 ? 99.9 : p;
}

/* "2 CPUs x 99 Hz; 3960 expected", or what else samples came by. */
static void print_expected(FILE *to, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	if (a->rate_changed)
		fprintf(to, "%s at a rate that changed", a->event->name);
	else if (a->event->is_clock && a->rate.freq_hz)
		fprintf(to, "%" PRIu64 " CPU%s x %" PRIu64 " Hz", s->nr_cpus,
			s->nr_cpus == 1 ? "" : "s", a->rate.freq_hz);
	else if (a->rate.period)
		fprintf(to, "%s, every %" PRIu64 "%s", a->event->name, a->rate.period,
			a->event->is_clock ? " ns" : "");
	else
		fprintf(to, "%s at %" PRIu64 " Hz", a->event->name, a->rate.freq_hz);
	fprintf(to, "; %" PRIu64 " %s", s->due, s->due_is_known ? "expected" : "taken");
}

/* Where the expected samples are that were not kept: with these they are all there. */
static void print_others(FILE *to, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	fprintf(to, ", %" PRIu64 " idle", s->idle);
	if (s->filtered)
		fprintf(to, ", %" PRIu64 " filtered", s->filtered);
	if (s->due > s->delivered)
		fprintf(to, ", %" PRIu64 " not taken", s->due - s->delivered);
	fprintf(to, ", %" PRIu64 " lost", a->nr_lost);
}

static void print_percents(FILE *to, const struct capture_account *a)
{
	const struct collector_stats *c = &a->collector;
	uint64_t named = c->frames_user_named + c->frames_kernel_named;
	uint64_t frames = c->frames_user + c->frames_kernel;
	const char *before = "; stacks";

	if (c->user_total) {
		fprintf(to, "%s whole %.1f %%", before, percent(c->user_complete, c->user_total));
		before = ",";
	}
	if (frames)
		fprintf(to, "%s named %.1f %%", before, percent(named, frames));
	putc('\n', to);
}

/* As a person says it. */
static const char *time_words(const char *name)
{
	if (!strcmp(name, "disk_sleep"))
		return "disk sleep";
	if (!strcmp(name, "on_cpu"))
		return "on CPUs";
	return strcmp(name, "unsampled") ? name : "on CPUs without a sample";
}

/* The one line of waits: every second of every thread that waited. */
static void print_times(FILE *to, const struct capture_account *a)
{
	struct account_count times[ACCOUNT_NR_TIMES];
	size_t nr = account_list_times(a, times), nr_states = EDDY_NR_WAITS - 1;
	uint64_t kept = times[nr_states].value;
	const char *comma = "";

	fprintf(to,
		a->collector.wait_us[EDDY_WAIT_ON_CPU] || a->collector.wait_us[EDDY_WAIT_UNSAMPLED]
			? "%.3f s of threads' time in %.1f s (%" PRIu64 " threads, %" PRIu64
			  " parts; "
			: "%.3f s of waiting in %.1f s (%" PRIu64 " threads, %" PRIu64 " waits; ",
		kept / 1e6, a->seconds, a->sampler.waiters, a->collector.waits);
	for (size_t i = 0; i < nr; i++) {
		if (i == nr_states || !times[i].value)
			continue;
		fprintf(to, "%s%.3f s %s", comma, times[i].value / 1e6, time_words(times[i].name));
		comma = ", ";
	}
	fprintf(to, "%s)", *comma ? "" : "none");
	print_percents(to, a);
}

/* The one line: every sample, and how good the stacks are. */
static void print_summary(FILE *to, const struct capture_account *a)
{
	fprintf(to, "%" PRIu64 " sample%s in %.1f s (", a->sampler.kept,
		a->sampler.kept == 1 ? "" : "s", a->seconds);
	print_expected(to, a);
	print_others(to, a);
	putc(')', to);
	print_percents(to, a);
}

char *account_text_not_taken(const struct not_taken *n)
{
	return xasprintf("%" PRIu64 " samples not taken: %" PRIu64 " on busy CPUs, %" PRIu64
			 " on idle ones, %" PRIu64 " throttled, %" PRIu64
			 " stolen by the hypervisor",
			 not_taken_total(n), n->busy, n->idle, n->throttled, n->stolen);
}

static void print_not_taken(FILE *to, const struct capture_account *a)
{
	_cleanup_free_ char *text = account_text_not_taken(&a->sampler.not_taken);

	if (capture_account_is_many(a, not_taken_total(&a->sampler.not_taken)))
		fprintf(to, "%s\n", text);
}

/* Others had the counters in turn with ours. */
static void print_scale(FILE *to, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	if (!s->running_ns || s->running_ns >= s->enabled_ns ||
	    !capture_event_is_hardware(a->event))
		return;
	fprintf(to, "; in %.1f %% of the time, for all of it times %.3f",
		100.0 * s->running_ns / s->enabled_ns, (double)s->enabled_ns / s->running_ns);
	if (s->weight.counted)
		fprintf(to, ": %.0f", (double)s->weight.counted * s->enabled_ns / s->running_ns);
}

/* What a count is, where it is not one sample. */
static void print_unit(FILE *to, const struct capture_account *a)
{
	_cleanup_free_ char *unit = capture_account_unit(a);
	const struct sampler_weights *w = &a->sampler.weight;

	if (!unit || a->sampler.is_time)
		return;
	fprintf(to, "counts are %s", unit);
	if (a->sampler.is_weighed)
		fprintf(to, ": %" PRIu64 " counted, samples stand for %" PRIu64, w->counted,
			w->delivered);
	print_scale(to, a);
	putc('\n', to);
}

static void print_stacks(FILE *to, const struct capture_account *a,
			 const struct account_extra *extra)
{
	const struct collector_stats *c = &a->collector;

	fprintf(to, "%" PRIu64 " distinct stacks", extra->distinct_stacks);
	if (c->user_fp)
		fprintf(to, "; %.1f %% of the user stacks with frame-pointer steps",
			percent(c->user_fp, c->user_total));
	if (c->user_code)
		fprintf(to, "; %.1f %% of the user stacks through code without unwind tables",
			percent(c->user_code, c->user_total));
	putc('\n', to);
}

static void print_cost(FILE *to, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	fputs("cost ", to);
	if (s->is_time && s->switches)
		fprintf(to, "%.1f us a switch in the kernel, ", s->bpf_ns / 1e3 / s->switches);
	else if (s->delivered)
		fprintf(to, "%.1f us a sample in the kernel, ", s->bpf_ns / 1e3 / s->delivered);
	fprintf(to, "%.1f %% of one CPU and %.1f MiB in eddy\n",
		a->seconds > 0 ? 100 * a->cpu_seconds / a->seconds : 0,
		a->max_rss_bytes / 1048576.0);
}

static void print_list(FILE *to, const char *title, const struct account_count *counts, size_t nr)
{
	const char *comma = "";

	fprintf(to, "%s:", title);
	for (size_t i = 0; i < nr; i++) {
		if (!counts[i].value)
			continue;
		fprintf(to, "%s %" PRIu64 " %s", comma, counts[i].value, counts[i].name);
		comma = ",";
	}
	fputs(*comma ? "\n" : " none\n", to);
}

static void print_verbose(FILE *to, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;
	struct account_count broken[EDDY_NR_ENDS], misses[NR_SYMBOL_MISSES];

	account_list_broken(a, broken);
	print_list(to,
		   s->is_time ? "microseconds with a broken user stack"
			      : "samples with a broken user stack",
		   broken, ARRAY_SIZE(broken));
	if (a->collector.kernel_broken)
		fprintf(to,
			"%s with a kernel stack that is cut or could not be read: %" PRIu64 "\n",
			s->is_time ? "microseconds" : "samples", a->collector.kernel_broken);
	for (int i = 0; i < NR_SYMBOL_MISSES; i++)
		misses[i] = (struct account_count){ symbol_miss_name(i), a->symbolizer.misses[i] };
	print_list(to, "addresses without a name", misses, ARRAY_SIZE(misses));
	fprintf(to,
		"%" PRIu64 " stacks sent, %" PRIu64 " samples spilled, %" PRIu64
		" hash conflicts, %" PRIu64 " sends repeated, %" PRIu64 " maps filled\n",
		s->nr_stacks, s->spilled, s->hash_conflicts, s->ring_retries, s->nr_rotations);
	fprintf(to,
		"kernel stacks: %" PRIu64 " walked by eddy, %" PRIu64
		" of them compared with the kernel's own, %" PRIu64 " differed\n",
		s->kernel_walked, s->kernel_checked, s->kernel_differed);
	fprintf(to,
		"unwind tables: %" PRIu64 " files before the start in %.2f s, %" PRIu64
		" asked for later (%" PRIu64 " gone, %" PRIu64 " could not be opened, %" PRIu64
		" not in time), %" PRIu64 " samples waited; %.1f MiB of rows in %.0f MiB, %" PRIu64
		" evicted, %" PRIu64 " rewritten, %" PRIu64 " looked at again; %" PRIu64 " rules\n",
		s->tables.nr_preloaded, s->tables.preload_ns / 1e9, s->tables.nr_requests,
		s->tables.nr_gone, s->tables.nr_refused, s->tables.nr_stalled, s->late,
		s->tables.maps.row_bytes / 1048576.0, s->tables.maps.slab_bytes / 1048576.0,
		s->tables.maps.nr_evicted, s->tables.nr_rewritten, s->tables.nr_unsure,
		s->tables.maps.nr_rules);
	fprintf(to,
		"files and mappings are read by %" PRIu64 " processes (%.2f s of CPU): %" PRIu64
		" questions not answered in time, %" PRIu64 " refused, %" PRIu64
		" processes died, %" PRIu64 " wait still\n",
		a->workers.nr_workers, a->workers.cpu_ns / 1e9, a->workers.nr_stalled,
		a->workers.nr_refused, a->workers.nr_died, a->workers.nr_stuck);
}

static void print_notes(FILE *to, const struct capture_account *a, size_t from)
{
	for (size_t i = from; i < a->nr_notes; i++)
		fprintf(to, "note: %s\n", a->notes[i]);
}

static void print_account(FILE *to, const struct capture_account *a,
			  const struct account_extra *extra)
{
	struct account_count losses[NR_SAMPLER_LOSSES];

	if (!a->sampler.is_time)
		print_not_taken(to, a);
	print_stacks(to, a, extra);
	if (!a->sampler.is_time)
		account_text_irq(to, &a->irq);
	print_cost(to, a);
	if (a->nr_lost)
		print_list(to, "lost", losses, account_list_losses(a, losses));
	if (extra->dropped)
		fprintf(to, "%" PRIu64 " samples left out by --irq, --focus or --ignore\n",
			extra->dropped);
	print_verbose(to, a);
	print_notes(to, a, 0);
}

void account_text_parsers(FILE *to)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	sandbox_say(&text);
	fprintf(to, "%s\n", text.bytes);
}

void account_text_write(FILE *to, const struct capture_account *a,
			const struct account_extra *extra, bool verbose)
{
	if (a->sampler.is_time)
		print_times(to, a);
	else
		print_summary(to, a);
	print_unit(to, a);
	if (verbose)
		print_account(to, a, extra);
	else
		print_notes(to, a, a->nr_usual_notes);
}
