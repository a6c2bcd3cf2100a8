// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One struct sidecar whose pointers are to our own copies.  Counts by name are few, so a name is
 * looked for from the front.
 */
#include "output/sidecar_sum.h"

#include <stdarg.h>
#include <string.h>

#include "output/sidecar_rule.h"
#include "util/mem.h"

#define MAX_NOTES 64 /* one window has a handful; merged ones say mostly the same */

struct counts {
	struct sidecar_count *counts;
	size_t nr, cap;
};

struct sidecar_sum {
	struct sidecar sidecar; /* points to what follows */
	char *host, *kernel, *arch, *event;
	struct counts losses, broken;
	struct irq_counts irq;
	struct irq_agreement agreement;
	struct sidecar_mean bpf_ns;
	char **notes;
	size_t nr_notes, cap_notes;
};

static void count(struct counts *c, const char *name, uint64_t value)
{
	for (size_t i = 0; i < c->nr; i++) {
		if (strcmp(c->counts[i].name, name))
			continue;
		c->counts[i].value += value;
		return;
	}
	array_reserve(c->counts, c->cap, c->nr + 1);
	c->counts[c->nr++] = (struct sidecar_count){ name, value };
}

static void add_counts(struct counts *c, const struct sidecar_count *from, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		count(c, from[i].name, from[i].value);
}

static void add_irq(struct sidecar_sum *s, const struct irq_counts *irq,
		    const struct irq_agreement *a)
{
	struct irq_agreement *to = &s->agreement;

	for (int i = 0; irq && i < NR_IRQ_CLASSES; i++)
		s->irq.samples[i] += irq->samples[i];
	s->irq.total += irq ? irq->total : 0;
	if (!a)
		return;
	for (int i = 0; i < NR_IRQ_CLASSES; i++)
		for (int k = 0; k < NR_IRQ_STACKS; k++)
			to->samples[i][k] += a->samples[i][k];
	to->both += a->both;
	to->neither += a->neither;
	to->name_only += a->name_only;
	to->pointer_only += a->pointer_only;
	to->on_user_code += a->on_user_code;
	to->agree += a->agree;
	to->disagree += a->disagree;
	to->silent += a->silent;
}

static void add_note(struct sidecar_sum *s, const char *note)
{
	for (size_t i = 0; i < s->nr_notes; i++)
		if (!strcmp(s->notes[i], note))
			return;
	if (s->nr_notes == MAX_NOTES)
		return;
	if (s->nr_notes == MAX_NOTES - 1)
		note = "there was more to note than is kept";
	array_reserve(s->notes, s->cap_notes, s->nr_notes + 1);
	s->notes[s->nr_notes++] = xstrdup(note);
}

/* Our copies have moved or grown. */
static void point(struct sidecar_sum *s)
{
	s->sidecar.losses = s->losses.counts;
	s->sidecar.nr_losses = s->losses.nr;
	s->sidecar.user_stacks.broken = s->broken.counts;
	s->sidecar.user_stacks.nr_broken = s->broken.nr;
	s->sidecar.irq.counts = &s->irq;
	s->sidecar.irq.agreement = &s->agreement;
	s->sidecar.notes = (const char *const *)s->notes;
	s->sidecar.nr_notes = s->nr_notes;
}

static void add_pointed(struct sidecar_sum *s, const struct sidecar *from)
{
	add_counts(&s->losses, from->losses, from->nr_losses);
	add_counts(&s->broken, from->user_stacks.broken, from->user_stacks.nr_broken);
	add_irq(s, from->irq.counts, from->irq.agreement);
	for (size_t i = 0; i < from->nr_notes; i++)
		add_note(s, from->notes[i]);
	sidecar_mean_add(&s->bpf_ns, from->cost.bpf_ns_per_sample, from->samples.delivered);
	if (sidecar_mean_get(&s->bpf_ns) >= 0)
		s->sidecar.cost.bpf_ns_per_sample = sidecar_mean_get(&s->bpf_ns);
	point(s);
}

struct sidecar_sum *sidecar_sum_new(const struct sidecar *first)
{
	struct sidecar_sum *s = xcalloc(1, sizeof(*s));

	s->sidecar = *first;
	s->sidecar.host = s->host = xstrdup(first->host);
	s->sidecar.kernel = s->kernel = xstrdup(first->kernel);
	s->sidecar.arch = s->arch = xstrdup(first->arch);
	s->sidecar.event = s->event = xstrdup(first->event);
	add_pointed(s, first);
	return s;
}

void sidecar_sum_free(struct sidecar_sum *s)
{
	if (!s)
		return;
	free(s->host);
	free(s->kernel);
	free(s->arch);
	free(s->event);
	free(s->losses.counts);
	free(s->broken.counts);
	for (size_t i = 0; i < s->nr_notes; i++)
		free(s->notes[i]);
	free(s->notes);
	free(s);
}

/* Integers by their names in the `.json`, where the rules know them. */
#define INTEGER(name, member)                          \
	{                                              \
		name, offsetof(struct sidecar, member) \
	}
static const struct integer {
	const char *name;
	size_t at;
} integers[] = {
	INTEGER("freq_hz", freq_hz),
	INTEGER("period", period),
	INTEGER("due", samples.due),
	INTEGER("delivered", samples.delivered),
	INTEGER("idle", samples.idle),
	INTEGER("filtered", samples.filtered),
	INTEGER("kept", samples.kept),
	INTEGER("lost", samples.lost),
	INTEGER("dropped", dropped),
	INTEGER("total", user_stacks.total),
	INTEGER("complete", user_stacks.complete),
	INTEGER("fp_steps", user_stacks.fp_steps),
	INTEGER("user", frames.user),
	INTEGER("user_named", frames.user_named),
	INTEGER("kernel", frames.kernel),
	INTEGER("kernel_named", frames.kernel_named),
	INTEGER("rss_bytes", cost.rss_bytes),
	INTEGER("max_rss_bytes", cost.max_rss_bytes),
};

static void add_integer(struct sidecar_sum *s, const struct sidecar *next, const struct integer *i)
{
	uint64_t *to = (uint64_t *)((char *)&s->sidecar + i->at);
	const uint64_t *from = (const uint64_t *)((const char *)next + i->at);
	enum sidecar_rule rule = sidecar_rule_of(i->name);

	if (rule == SIDECAR_SAME && *to != *from)
		s->sidecar.rates_differ = true;
	sidecar_rule_join(rule, *to, *from, to); /* nobody takes 2^63 samples */
}

void sidecar_sum_add(struct sidecar_sum *s, const struct sidecar *next)
{
	struct sidecar *to = &s->sidecar;

	to->rates_differ |= next->rates_differ;
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++)
		add_integer(s, next, &integers[i]);
	if (to->rates_differ)
		add_note(s, SIDECAR_RATES_DIFFER);
	/* The clock may have been set back between them: the order tells more than the times. */
	to->end_ms = next->end_ms;
	to->nr_cpus = to->nr_cpus > next->nr_cpus ? to->nr_cpus : next->nr_cpus; /* of one host */
	to->cost.cpu_seconds += next->cost.cpu_seconds;
	add_pointed(s, next);
}

void sidecar_sum_note(struct sidecar_sum *s, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		add_note(s, text);
	va_end(ap);
	point(s);
}

void sidecar_sum_lose(struct sidecar_sum *s, const char *reason, uint64_t samples)
{
	s->sidecar.samples.kept -= samples;
	s->sidecar.samples.lost += samples;
	count(&s->losses, reason, samples);
	point(s);
}

void sidecar_sum_set_stacks(struct sidecar_sum *s, uint64_t distinct_stacks, uint64_t dropped)
{
	s->sidecar.distinct_stacks = distinct_stacks;
	s->sidecar.dropped = dropped;
}

void sidecar_sum_set_bytes_written(struct sidecar_sum *s, uint64_t bytes)
{
	s->sidecar.cost.bytes_written = bytes;
}

const struct sidecar *sidecar_sum_get(const struct sidecar_sum *s)
{
	return &s->sidecar;
}

size_t sidecar_sum_bytes(const struct sidecar_sum *s)
{
	size_t bytes = sizeof(*s) + (s->losses.cap + s->broken.cap) * sizeof(*s->losses.counts) +
		       s->cap_notes * sizeof(*s->notes);

	for (size_t i = 0; i < s->nr_notes; i++)
		bytes += strlen(s->notes[i]) + 1;
	return bytes;
}
