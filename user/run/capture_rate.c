// SPDX-License-Identifier: GPL-2.0-or-later
/* Two reasons to change the rate of a capture that goes on: its cost, and samples without room. */
#include "run/capture_rate.h"

#include "util/clock.h"

#define COST_INTERVAL_NS 5000000000ull
#define LOSS_INTERVAL_NS 50000000ull
#define STOPPED_NS	 1000000000ull /* who looks so late was stopped himself */

struct cost_reading capture_rate_read_cost(struct capture_run *run)
{
	struct cost_reading c = { .mono_ns = clock_ns(CLOCK_MONOTONIC) };
	struct worker_pool_stats workers;

	worker_pool_get_stats(run->source.pool, &workers);
	c.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + workers.cpu_ns;
	sampler_get_cost(run->source.sampler, &c.bpf_ns, &c.enabled_ns);
	return c;
}

static void note_rate(struct capture_run *run, const struct capture_rate *before, double cost)
{
	const struct capture_rate *r = &run->source.rate;
	bool is_lowered = r->freq_hz ? r->freq_hz < before->freq_hz : r->period > before->period;

	run->account.rate_changed = true;
	capture_account_note(
		&run->account,
		"sampling was %s from %s%llu to %llu%s: eddy cost %.2f %% of the CPUs' time, "
		"--max-overhead is %.4g %%",
		is_lowered ? "lowered" : "raised again", r->freq_hz ? "" : "every ",
		(unsigned long long)(r->freq_hz ? before->freq_hz : before->period),
		(unsigned long long)(r->freq_hz ? r->freq_hz : r->period), r->freq_hz ? " Hz" : "",
		100 * cost, 100 * run->overhead.max);
}

int capture_rate_keep_overhead(struct capture_run *run, uint64_t now_ns, struct diag *ret_diag)
{
	const struct cost_reading *then = &run->cost_then;
	struct capture_rate before = run->source.rate;
	struct cost_reading now;
	double cost;

	if (!run->overhead.max || now_ns < then->mono_ns + COST_INTERVAL_NS)
		return 0;
	now = capture_rate_read_cost(run);
	if (now.enabled_ns == then->enabled_ns)
		return 0;
	cost = (double)(now.cpu_ns - then->cpu_ns + now.bpf_ns - then->bpf_ns) /
	       (now.enabled_ns - then->enabled_ns);
	run->cost_then = now;
	if (!overhead_adapt(&run->overhead, cost))
		return 0;
	run->source.rate = overhead_rate(&run->overhead);
	note_rate(run, &before, cost);
	return sampler_set_rate(run->source.sampler, &run->source.rate, ret_diag);
}

int capture_rate_keep_up(struct capture_run *run, uint64_t now_ns, struct diag *ret_diag)
{
	const struct loss_reading then = run->loss_then;
	struct capture_rate before = run->source.rate;
	struct loss_reading now = { .mono_ns = now_ns };

	if (run->request.every_ns || run->request.options->off_cpu ||
	    now_ns < then.mono_ns + LOSS_INTERVAL_NS)
		return 0;
	sampler_get_squeezed(run->source.sampler, &now.taken, &now.squeezed);
	run->loss_then = now;
	if (now_ns - then.mono_ns > STOPPED_NS ||
	    !overhead_relieve(&run->overhead, now.taken - then.taken, now.squeezed - then.squeezed))
		return 0;
	run->source.rate = overhead_rate(&run->overhead);
	run->account.rate_changed = true;
	if (!run->account.lowered_from_hz)
		run->account.lowered_from_hz = before.freq_hz;
	run->account.lowered_to_hz = run->source.rate.freq_hz;
	return sampler_set_rate(run->source.sampler, &run->source.rate, ret_diag);
}
