// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One struct sidecar whose pointers are to our own copies.  Counts by name are few, so a name is
 * looked for from the front.
 */
#include "output/sidecar_sum.h"

#include <stdarg.h>
#include <string.h>

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

/* Nanoseconds a sample of both, weighted by samples; what is not known of one is not known. */
static double add_bpf_ns(const struct sidecar *a, const struct sidecar *b)
{
	double x = a->samples.delivered, y = b->samples.delivered;

	if (a->cost.bpf_ns_per_sample < 0 || b->cost.bpf_ns_per_sample < 0)
		return x && y ? -1 : x ? a->cost.bpf_ns_per_sample : b->cost.bpf_ns_per_sample;
	return x + y > 0 ? (a->cost.bpf_ns_per_sample * x + b->cost.bpf_ns_per_sample * y) / (x + y)
			 : a->cost.bpf_ns_per_sample;
}

static void add_cost(struct sidecar *to, const struct sidecar *next)
{
	to->cost.bpf_ns_per_sample = add_bpf_ns(to, next);
	to->cost.cpu_seconds += next->cost.cpu_seconds;
	to->cost.rss_bytes = next->cost.rss_bytes;
	if (to->cost.max_rss_bytes < next->cost.max_rss_bytes)
		to->cost.max_rss_bytes = next->cost.max_rss_bytes;
}

void sidecar_sum_add(struct sidecar_sum *s, const struct sidecar *next)
{
	struct sidecar *to = &s->sidecar;

	add_cost(to, next); /* before the samples: it weighs by them */
	to->freq_hz = next->freq_hz;
	to->period = next->period;
	to->nr_cpus = to->nr_cpus > next->nr_cpus ? to->nr_cpus : next->nr_cpus;
	to->end_ms = next->end_ms;
	to->samples.due += next->samples.due;
	to->samples.delivered += next->samples.delivered;
	to->samples.idle += next->samples.idle;
	to->samples.filtered += next->samples.filtered;
	to->samples.kept += next->samples.kept;
	to->samples.lost += next->samples.lost;
	to->dropped += next->dropped;
	to->user_stacks.total += next->user_stacks.total;
	to->user_stacks.complete += next->user_stacks.complete;
	to->user_stacks.fp_steps += next->user_stacks.fp_steps;
	to->frames.user += next->frames.user;
	to->frames.user_named += next->frames.user_named;
	to->frames.kernel += next->frames.kernel;
	to->frames.kernel_named += next->frames.kernel_named;
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
