// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every sample that was due is accounted for here.  Counts that are mostly 0 are there and not
 * written, so that they keep their places when windows are merged.
 */
#include "run/account_sidecar.h"

#include <sys/utsname.h>

#include "run/account_modules.h"
#include "unwind/unwind_end.h"
#include "util/mem.h"

static const struct json_style on_line = { .on_line = true }, hide_zero = { .hide_zero = true };

size_t account_list_losses(const struct capture_account *a, struct account_count *counts)
{
	for (int i = 0; i < NR_SAMPLER_LOSSES; i++)
		counts[i] = (struct account_count){ sampler_loss_name(i), a->sampler.lost[i] };
	return NR_SAMPLER_LOSSES;
}

size_t account_list_times(const struct capture_account *a, struct account_count *counts)
{
	static const char *const names[] = {
		[EDDY_WAIT_SLEEP] = "sleep",	   [EDDY_WAIT_IO] = "io",
		[EDDY_WAIT_DISK] = "disk_sleep",   [EDDY_WAIT_STOPPED] = "stopped",
		[EDDY_WAIT_RUNQUEUE] = "runqueue", [EDDY_WAIT_PREEMPTED] = "preempted",
		[EDDY_WAIT_ON_CPU] = "on_cpu",	   [EDDY_WAIT_UNSAMPLED] = "unsampled",
	};
	uint64_t kept = 0;
	size_t nr = 0;

	_Static_assert(ARRAY_SIZE(names) == EDDY_NR_WAITS, "every state has a name");
	for (int i = EDDY_WAIT_NONE + 1; i < EDDY_NR_WAITS; i++) {
		counts[nr++] = (struct account_count){ names[i], a->collector.wait_us[i] };
		kept += a->collector.wait_us[i];
	}
	counts[nr++] = (struct account_count){ "kept", kept };
	counts[nr++] = (struct account_count){ "lost", a->collector.lost_us };
	counts[nr++] = (struct account_count){ "idle", a->sampler.weight.idle / 1000 };
	counts[nr++] = (struct account_count){ "short", a->sampler.weight.filtered / 1000 };
	return nr;
}

size_t account_list_broken(const struct capture_account *a, struct account_count *counts)
{
	for (int i = 0; i < EDDY_NR_ENDS; i++)
		counts[i] =
			(struct account_count){ unwind_end_name(i), a->collector.user_broken[i] };
	return EDDY_NR_ENDS;
}

/* An object of counts in this order. */
static json_id add_counts(struct json *j, json_id to, const char *name,
			  const struct account_count *counts, size_t nr)
{
	json_id object = json_add(j, to, name, JSON_OBJECT);

	for (size_t i = 0; i < nr; i++)
		json_add_integer(j, object, counts[i].name, counts[i].value);
	return object;
}

/* The same of counts that are mostly 0. */
static void add_reasons(struct json *j, json_id to, const char *name,
			const struct account_count *counts, size_t nr)
{
	json_id object = add_counts(j, to, name, counts, nr);

	for (json_id id = json_first(j, object); id != JSON_NONE; id = json_next(j, id))
		json_set_style(j, id, hide_zero);
}

static json_id add_number(struct json *j, json_id to, const char *name, double value,
			  uint8_t decimals)
{
	json_id id = json_add(j, to, name, value < 0 ? JSON_NULL : JSON_NUMBER);

	if (value >= 0)
		json_set_number(j, id, value);
	json_set_style(j, id, (struct json_style){ .decimals = decimals });
	return id;
}

static void add_capture(struct json *j, const struct capture_account *a, const char *host)
{
	struct utsname uts = { .nodename = "" };
	_cleanup_strbuf_ struct strbuf root = STRBUF_INIT;

	uname(&uts);
	json_add_integer(j, JSON_ROOT, "version", 1);
	json_add_string(j, JSON_ROOT, "host", host ? host : uts.nodename);
	json_add_string(j, JSON_ROOT, "kernel", uts.release);
	json_add_string(j, JSON_ROOT, "arch", uts.machine);
	json_add_string(j, JSON_ROOT, "event", a->event->name);
	json_add_string(j, JSON_ROOT, "unit",
			a->sampler.is_time	? "microseconds"
			: a->sampler.is_weighed ? "events"
						: "samples");
	base_frames_print(&root, &a->root);
	json_add_string(j, JSON_ROOT, "root", root.bytes);
	if (a->command)
		json_add_string(j, JSON_ROOT, "command", a->command);
	if (*a->filter)
		json_add_string(j, JSON_ROOT, "filter", a->filter);
	json_add_integer(j, JSON_ROOT, "freq_hz", a->rate.freq_hz);
	json_set_style(j, json_add_integer(j, JSON_ROOT, "period", a->rate.period), hide_zero);
	json_add_integer(j, JSON_ROOT, "cpus", a->sampler.nr_cpus);
	sidecar_add_time(j, "start", a->start_ms);
	sidecar_add_time(j, "end", a->end_ms);
}

/* Of hardware: how long the event was wanted, and had a counter (which others use in turn). */
static void add_counter(struct json *j, const struct capture_account *a)
{
	const struct account_count counts[] = {
		{ "enabled_ns", a->sampler.enabled_ns },
		{ "running_ns", a->sampler.running_ns },
	};

	if (capture_event_is_hardware(a->event))
		add_counts(j, JSON_ROOT, "counter", counts, ARRAY_SIZE(counts));
}

/* Where the time of waits is, and how many there were. */
static void add_times(struct json *j, const struct capture_account *a, uint64_t dropped)
{
	const struct sampler_stats *s = &a->sampler;
	struct account_count times[ACCOUNT_NR_TIMES], losses[NR_SAMPLER_LOSSES];
	size_t nr = account_list_times(a, times);
	json_id samples = add_counts(j, JSON_ROOT, "samples", times, nr);

	json_add_integer(j, samples, "waits", a->collector.waits);
	json_add_integer(j, samples, "threads", s->waiters);
	json_add_integer(j, samples, "switches", s->switches);
	json_set_style(j, json_add_integer(j, samples, "unfollowed", s->unfollowed), hide_zero);
	json_set_style(j, json_add_integer(j, samples, "unseen", s->unseen), hide_zero);
	json_set_style(j, json_add_integer(j, samples, "unwoken", s->unwoken_ns / 1000), hide_zero);
	json_set_style(j, json_add_integer(j, JSON_ROOT, "dropped", dropped), hide_zero);
	nr = account_list_losses(a, losses);
	for (size_t i = 0; i < nr; i++)
		losses[i].value = s->weight.lost[i] / 1000;
	add_reasons(j, JSON_ROOT, "losses", losses, nr);
}

/* Where the samples are; delivered = idle + filtered + kept + lost. */
static void add_samples(struct json *j, const struct capture_account *a, uint64_t dropped)
{
	const struct sampler_stats *s = &a->sampler;
	const struct sampler_weights *w = &s->weight;
	const struct account_count samples[] = {
		{ "due", s->due },	     { "delivered", s->delivered },
		{ "idle", s->idle },	     { "filtered", s->filtered },
		{ "kept", s->kept },	     { "lost", a->nr_lost },
	}, weight[] = {
		{ "due", w->counted },	     { "delivered", w->delivered },
		{ "idle", w->idle },	     { "filtered", w->filtered },
		{ "kept", w->kept },	     { "lost", a->weight_lost },
	}, not_taken[] = {
		{ "idle", s->not_taken.idle },	   { "throttled", s->not_taken.throttled },
		{ "stolen", s->not_taken.stolen }, { "busy", s->not_taken.busy },
	};
	struct account_count losses[NR_SAMPLER_LOSSES];

	if (s->is_time) {
		add_times(j, a, dropped);
		return;
	}
	add_counts(j, JSON_ROOT, "samples", samples, ARRAY_SIZE(samples));
	add_counts(j, JSON_ROOT, "not_taken", not_taken, ARRAY_SIZE(not_taken));
	/*
	 * A frequency on an event that is no clock: each sample weighs its period, the counts of
	 * the file are events and add up to kept + lost of these.  `due`: what the kernel counted.
	 */
	if (s->is_weighed)
		add_counts(j, JSON_ROOT, "weight", weight, ARRAY_SIZE(weight));
	add_counter(j, a);
	/* Of kept, what passes left out of the file. */
	json_set_style(j, json_add_integer(j, JSON_ROOT, "dropped", dropped), hide_zero);
	add_reasons(j, JSON_ROOT, "losses", losses, account_list_losses(a, losses));
}

static void add_stacks(struct json *j, const struct capture_account *a, uint64_t distinct_stacks)
{
	const struct collector_stats *c = &a->collector;
	const struct account_count stacks[] = {
		{ "total", c->user_total },
		{ "complete", c->user_complete },
		{ "fp_steps", c->user_fp },
		{ "code_steps", c->user_code },
	}, frames[] = {
		{ "user", c->frames_user },	{ "user_named", c->frames_user_named },
		{ "kernel", c->frames_kernel }, { "kernel_named", c->frames_kernel_named },
	};
	struct account_count broken[EDDY_NR_ENDS];
	json_id object = add_counts(j, JSON_ROOT, "user_stacks", stacks, ARRAY_SIZE(stacks));

	add_reasons(j, object, "broken", broken, account_list_broken(a, broken));
	add_counts(j, JSON_ROOT, "frames", frames, ARRAY_SIZE(frames));
	json_set_style(j, json_add_integer(j, JSON_ROOT, "kernel_broken", c->kernel_broken),
		       hide_zero);
	json_add_integer(j, JSON_ROOT, "distinct_stacks", distinct_stacks);
}

/*
 * Samples by class before any pass, and the matrix of the two methods: "matrix": {"hardirq":
 * {"task": samples on the task's stack, "off": off it, "user": in user mode}, ...}.
 */
static void add_irq(struct json *j, const struct irq_account *irq)
{
	const uint64_t *of = irq->counts.samples;
	const struct irq_agreement *a = &irq->agreement;
	const struct account_count classes[] = {
		{ "hardirq", of[IRQ_HARDIRQ] },
		{ "softirq", irq_counts_softirq(&irq->counts) },
		{ "softirq_inline", of[IRQ_SOFTIRQ_INLINE] },
		{ "nmi", of[IRQ_NMI] },
		{ "exit_work", of[IRQ_EXIT_WORK] },
	};
	json_id object = add_counts(j, JSON_ROOT, "irq", classes, ARRAY_SIZE(classes)), matrix;

	json_set_style(j, json_add_integer(j, object, "agree", a->agree), on_line);
	json_add_integer(j, object, "disagree", a->disagree);
	json_add_integer(j, object, "silent", a->silent);
	matrix = json_add(j, object, "matrix", JSON_OBJECT);
	json_set_style(j, matrix, on_line);
	for (int class = 0; class < NR_IRQ_CLASSES; class ++) {
		struct account_count counts[NR_IRQ_STACKS];

		for (int i = 0; i < NR_IRQ_STACKS; i++)
			counts[i] =
				(struct account_count){ irq_stack_name(i), a->samples[class][i] };
		json_set_style(j,
			       add_counts(j, matrix, irq_class_name(class), counts, NR_IRQ_STACKS),
			       on_line);
	}
}

/* Whom interrupts hit that stand under marks in the stacks: the split took that away there. */
static void add_interrupts(struct json *j, const struct irq_account *irq,
			   const struct irq_opts *opts)
{
	json_id object;

	if (!opts || opts->mode != IRQ_MODE_SPLIT)
		return;
	object = json_add(j, JSON_ROOT, "interrupts", JSON_OBJECT);
	for (size_t i = 0; i < irq->nr_rows; i++)
		if (irq_class_is_interrupt(irq->rows[i].class) || opts->split_inline)
			json_add_integer(j, object, irq->rows[i].text, irq->rows[i].weight);
}

static void add_times_of_samples(struct json *j, const struct capture_times *t)
{
	const struct account_count counts[] = {
		{ "slots", t->nr_slots },
		{ "timed", t->nr_timed },
		{ "untimed", t->nr_untimed },
	};
	json_id object;

	if (!t->slot_ns)
		return;
	object = add_counts(j, JSON_ROOT, "timeline", counts, ARRAY_SIZE(counts));
	add_number(j, object, "slot_ms", t->slot_ns / 1e6, 3);
}

/* Bounds that were met (util/limit.h). */
static void add_limits(struct json *j, const struct capture_account *a)
{
	struct account_count limits[NR_LIMITS];

	for (int i = 0; i < NR_LIMITS; i++)
		limits[i] = (struct account_count){ limit_name(i), a->limits.nr[i] };
	add_reasons(j, JSON_ROOT, "limits", limits, NR_LIMITS);
}

static void add_cost(struct json *j, const struct capture_account *a)
{
	const struct sampler_stats *s = &a->sampler;
	uint64_t nr_runs = s->is_time ? s->switches : s->delivered;
	double bpf_ns = nr_runs ? (double)s->bpf_ns / nr_runs : -1;
	json_id cost = json_add(j, JSON_ROOT, "cost", JSON_OBJECT);

	add_number(j, cost, "bpf_ns_per_sample", bpf_ns, 1);
	add_number(j, cost, "cpu_seconds", a->cpu_seconds, 3);
	json_add_integer(j, cost, "max_rss_bytes", a->max_rss_bytes);
	json_add_integer(j, cost, "rss_bytes", a->rss_bytes);
}

struct json *account_sidecar(const struct capture_account *a, const struct account_extra *extra)
{
	struct json *j = json_new();
	json_id notes;

	add_capture(j, a, extra->host);
	add_samples(j, a, extra->dropped);
	add_stacks(j, a, extra->distinct_stacks);
	if (!a->sampler.is_time) {
		add_irq(j, &a->irq);
		add_interrupts(j, &a->irq, extra->irq);
	}
	add_times_of_samples(j, &a->times);
	add_cost(j, a);
	add_limits(j, a);
	notes = json_add(j, JSON_ROOT, "notes", JSON_ARRAY);
	json_set_style(j, notes, (struct json_style){ .lines = true });
	for (size_t i = 0; i < a->nr_notes; i++)
		json_add_string(j, notes, NULL, a->notes[i]);
	if (extra->functions)
		account_modules_add(j, extra->functions, extra->no_annotate);
	return j;
}
