// SPDX-License-Identifier: GPL-2.0-or-later
/* Every sample that was due is accounted for here, in words and as JSON, from the same numbers. */
#include "cli/account.h"

#include <inttypes.h>
#include <string.h>

#include "unwind/unwind_end.h"
#include "util/mem.h"
#include "util/strbuf.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 100.0;
}

/* "2 CPUs x 99 Hz x 20.0 s", or what else the samples were due by. */
static void print_due(FILE *to, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	fprintf(to, "eddy: %" PRIu64 " samples due (", s->due);
	if (a->rate_changed)
		fprintf(to, "%s at a rate that changed", a->event->name);
	else if (a->event->is_clock && a->rate.freq_hz)
		fprintf(to, "%" PRIu64 " CPU%s x %" PRIu64 " Hz x %.1f s", s->nr_cpus,
			s->nr_cpus == 1 ? "" : "s", a->rate.freq_hz,
			s->nr_cpus ? s->enabled_ns / 1e9 / s->nr_cpus : 0);
	else if (a->rate.period)
		fprintf(to, "%s, every %" PRIu64 "%s", a->event->name, a->rate.period,
			a->event->is_clock ? " ns" : "");
	else
		fprintf(to, "%s at %" PRIu64 " Hz", a->event->name, a->rate.freq_hz);
	fprintf(to, "), %" PRIu64 " delivered: %" PRIu64 " idle, ", s->delivered, s->idle);
	if (s->filtered)
		fprintf(to, "%" PRIu64 " filtered, ", s->filtered);
	fprintf(to, "%" PRIu64 " kept, %" PRIu64 " lost\n", s->kept, a->nr_lost);
}

static void print_stacks(FILE *to, const struct capture_account *a,
			 const struct account_extra *extra)
{
	const struct collector_stats *c = &a->collector;
	uint64_t named = c->frames_user_named + c->frames_kernel_named;

	fprintf(to, "eddy: user stacks complete %.1f %%", percent(c->user_complete, c->user_total));
	if (c->user_fp)
		fprintf(to, " (%.1f %% with frame-pointer steps)",
			percent(c->user_fp, c->user_total));
	fprintf(to, ", symbols %.1f %%; %" PRIu64 " distinct stacks\n",
		percent(named, c->frames_user + c->frames_kernel), extra->distinct_stacks);
}

static void print_cost(FILE *to, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;

	fputs("eddy: cost ", to);
	if (s->bpf_runs)
		fprintf(to, "%.1f us a sample in the kernel, ", s->bpf_ns / 1e3 / s->bpf_runs);
	fprintf(to, "%.1f %% of one CPU and %.1f MiB in eddy\n",
		a->seconds > 0 ? 100 * a->cpu_seconds / a->seconds : 0,
		a->max_rss_bytes / 1048576.0);
}

static void print_list(FILE *to, const char *title, const struct sidecar_count *counts, size_t nr)
{
	const char *comma = "";

	fprintf(to, "eddy: %s:", title);
	for (size_t i = 0; i < nr; i++) {
		if (!counts[i].value)
			continue;
		fprintf(to, "%s %" PRIu64 " %s", comma, counts[i].value, counts[i].name);
		comma = ",";
	}
	fputs(*comma ? "\n" : " none\n", to);
}

static size_t list_losses(const struct capture_account *a, struct sidecar_count *counts)
{
	for (int i = 0; i < NR_SAMPLER_LOSSES; i++)
		counts[i] = (struct sidecar_count){ sampler_loss_name(i), a->sampler.lost[i] };
	return NR_SAMPLER_LOSSES;
}

static size_t list_broken(const struct capture_account *a, struct sidecar_count *counts)
{
	for (int i = 0; i < EDDY_NR_ENDS; i++)
		counts[i] =
			(struct sidecar_count){ unwind_end_name(i), a->collector.user_broken[i] };
	return EDDY_NR_ENDS;
}

static void print_verbose(FILE *to, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;
	struct sidecar_count broken[EDDY_NR_ENDS], misses[NR_SYMBOL_MISSES];

	list_broken(a, broken);
	print_list(to, "samples with a broken user stack", broken, ARRAY_SIZE(broken));
	for (int i = 0; i < NR_SYMBOL_MISSES; i++)
		misses[i] = (struct sidecar_count){ symbol_miss_name(i), a->symbolizer.misses[i] };
	print_list(to, "addresses without a name", misses, ARRAY_SIZE(misses));
	fprintf(to,
		"eddy: %" PRIu64 " stacks sent, %" PRIu64 " samples spilled, %" PRIu64
		" hash conflicts, %" PRIu64 " sends repeated, %" PRIu64 " maps filled\n",
		s->nr_stacks, s->spilled, s->hash_conflicts, s->ring_retries, s->nr_rotations);
	fprintf(to,
		"eddy: kernel stacks: %" PRIu64 " walked by eddy, %" PRIu64
		" of them compared with the kernel's own, %" PRIu64 " differed\n",
		s->kernel_walked, s->kernel_checked, s->kernel_differed);
	fprintf(to,
		"eddy: unwind tables: %" PRIu64 " files before the start in %.2f s, %" PRIu64
		" asked for later (%" PRIu64 " gone, %" PRIu64 " could not be opened), %" PRIu64
		" samples waited; %.1f MiB of rows in %.0f MiB, %" PRIu64 " evicted, %" PRIu64
		" rewritten, %" PRIu64 " rules refused\n",
		s->tables.nr_preloaded, s->tables.preload_ns / 1e9, s->tables.nr_requests,
		s->tables.nr_gone, s->tables.nr_refused, s->late,
		s->tables.maps.row_bytes / 1048576.0, s->tables.maps.slab_bytes / 1048576.0,
		s->tables.maps.nr_evicted, s->tables.nr_rewritten, s->tables.nr_rules_refused);
}

void account_print(FILE *to, const struct capture_account *a, const struct account_extra *extra,
		   bool verbose)
{
	struct sidecar_count losses[NR_SAMPLER_LOSSES];

	print_due(to, a);
	print_stacks(to, a, extra);
	irq_account_print(to, &a->irq, verbose);
	print_cost(to, a);
	if (a->nr_lost)
		print_list(to, "lost", losses, list_losses(a, losses));
	if (extra->dropped)
		fprintf(to, "eddy: %" PRIu64 " samples left out by the passes\n", extra->dropped);
	if (verbose)
		print_verbose(to, a);
	/* The first note is what the event cannot see: it is always true, and known after a while.
	 */
	for (size_t i = verbose ? 0 : 1; i < a->nr_notes; i++)
		fprintf(to, "eddy: note: %s\n", a->notes[i]);
}

void account_sidecar(const struct capture_account *a, const struct account_extra *extra,
		     struct account_sidecar *to)
{
	const struct sampler_stats *s = &a->sampler;
	const struct collector_stats *c = &a->collector;

	*to = (struct account_sidecar){ .uts.nodename = "" };
	uname(&to->uts);
	to->sidecar = (struct sidecar){
		.host = to->uts.nodename,
		.kernel = to->uts.release,
		.arch = to->uts.machine,
		.event = a->event->name,
		.freq_hz = a->rate.freq_hz,
		.period = a->rate.period,
		.nr_cpus = s->nr_cpus,
		.start_ms = a->start_ms,
		.end_ms = a->end_ms,
		.samples = { s->due, s->delivered, s->idle, s->filtered, s->kept, a->nr_lost },
		.dropped = extra->dropped,
		.losses = to->losses,
		.nr_losses = list_losses(a, to->losses),
		.user_stacks = { c->user_total, c->user_complete, c->user_fp, to->broken,
				 list_broken(a, to->broken) },
		.frames = { c->frames_user, c->frames_user_named, c->frames_kernel,
			    c->frames_kernel_named },
		.distinct_stacks = extra->distinct_stacks,
		.irq = { &a->irq.counts, &a->irq.agreement },
		.cost = { s->bpf_runs ? (double)s->bpf_ns / s->bpf_runs : -1, a->cpu_seconds,
			  a->max_rss_bytes, a->rss_bytes, -1 },
		.notes = (const char *const *)a->notes,
		.nr_notes = a->nr_notes,
	};
}

void account_write_json(FILE *to, const struct capture_account *a,
			const struct account_extra *extra)
{
	struct account_sidecar s;

	account_sidecar(a, extra, &s);
	sidecar_write(to, &s.sidecar);
}
