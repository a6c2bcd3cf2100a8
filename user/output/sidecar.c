// SPDX-License-Identifier: GPL-2.0-or-later
/* One JSON object, written field by field: small enough that a library would not make it clearer.
 */
#include "output/sidecar.h"

#include <inttypes.h>
#include <time.h>

#include "util/strbuf.h"
#include "util/text_escape.h"

static void write_string(FILE *to, const char *s)
{
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT;

	text_escape(&plain, s, __builtin_strlen(s)); /* no control characters, valid UTF-8 */
	putc('"', to);
	for (const char *p = plain.bytes; *p; p++) {
		if (*p == '"' || *p == '\\')
			putc('\\', to);
		putc(*p, to);
	}
	putc('"', to);
}

static void write_text(FILE *to, const char *name, const char *value)
{
	fprintf(to, "  \"%s\": ", name);
	write_string(to, value);
	fputs(",\n", to);
}

static void write_time(FILE *to, const char *name, uint64_t ms)
{
	time_t seconds = ms / 1000;
	char text[64];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(to, "  \"%s\": \"%s.%03uZ\",\n", name, text, (unsigned int)(ms % 1000));
}

static void write_counts(FILE *to, const struct sidecar_count *counts, size_t nr)
{
	const char *comma = "";

	putc('{', to);
	for (size_t i = 0; i < nr; i++) {
		if (!counts[i].value)
			continue;
		fputs(comma, to);
		write_string(to, counts[i].name);
		fprintf(to, ": %" PRIu64, counts[i].value);
		comma = ", ";
	}
	putc('}', to);
}

static void write_samples(FILE *to, const struct sidecar *s)
{
	fprintf(to,
		"  \"samples\": {\"due\": %" PRIu64 ", \"delivered\": %" PRIu64
		", \"idle\": %" PRIu64 ", \"filtered\": %" PRIu64 ", \"kept\": %" PRIu64
		", \"lost\": %" PRIu64 "},\n",
		s->samples.due, s->samples.delivered, s->samples.idle, s->samples.filtered,
		s->samples.kept, s->samples.lost);
	if (s->dropped)
		fprintf(to, "  \"dropped\": %" PRIu64 ",\n", s->dropped);
	fputs("  \"losses\": ", to);
	write_counts(to, s->losses, s->nr_losses);
	fprintf(to,
		",\n  \"user_stacks\": {\"total\": %" PRIu64 ", \"complete\": %" PRIu64
		", \"fp_steps\": %" PRIu64 ", \"broken\": ",
		s->user_stacks.total, s->user_stacks.complete, s->user_stacks.fp_steps);
	write_counts(to, s->user_stacks.broken, s->user_stacks.nr_broken);
	fprintf(to,
		"},\n  \"frames\": {\"user\": %" PRIu64 ", \"user_named\": %" PRIu64
		", \"kernel\": %" PRIu64 ", \"kernel_named\": %" PRIu64 "},\n",
		s->frames.user, s->frames.user_named, s->frames.kernel, s->frames.kernel_named);
	fprintf(to, "  \"distinct_stacks\": %" PRIu64 ",\n", s->distinct_stacks);
}

/*
 * Samples by class, and the matrix of the two methods: "matrix": {"hardirq": {"task": samples on
 * the task's stack, "off": off it, "user": in user mode}, ...}.
 */
static void write_irq(FILE *to, const struct irq_counts *counts,
		      const struct irq_agreement *agreement)
{
	static const struct irq_counts no_counts;
	static const struct irq_agreement no_agreement;
	const struct irq_counts *c = counts ? counts : &no_counts;
	const struct irq_agreement *a = agreement ? agreement : &no_agreement;

	fprintf(to,
		"  \"irq\": {\"hardirq\": %" PRIu64 ", \"softirq\": %" PRIu64
		", \"softirq_inline\": %" PRIu64 ", \"nmi\": %" PRIu64 ", \"exit_work\": %" PRIu64
		",\n    \"agree\": %" PRIu64 ", \"disagree\": %" PRIu64 ", \"silent\": %" PRIu64
		",\n    \"matrix\": {",
		c->samples[IRQ_HARDIRQ], irq_counts_softirq(c), c->samples[IRQ_SOFTIRQ_INLINE],
		c->samples[IRQ_NMI], c->samples[IRQ_EXIT_WORK], a->agree, a->disagree, a->silent);
	for (int k = 0; k < NR_IRQ_CLASSES; k++) {
		fprintf(to, "%s\n      \"%s\": {", k ? "," : "", irq_class_name(k));
		for (int stack = 0; stack < NR_IRQ_STACKS; stack++)
			fprintf(to, "%s\"%s\": %" PRIu64, stack ? ", " : "", irq_stack_name(stack),
				a->samples[k][stack]);
		putc('}', to);
	}
	fputs("}},\n", to);
}

static void write_rate(FILE *to, const struct sidecar *s)
{
	if (s->rates_differ) {
		fputs("  \"freq_hz\": null,\n", to);
		return;
	}
	fprintf(to, "  \"freq_hz\": %" PRIu64 ",\n", s->freq_hz);
	if (s->period)
		fprintf(to, "  \"period\": %" PRIu64 ",\n", s->period);
}

void sidecar_write(FILE *to, const struct sidecar *s)
{
	fputs("{\n  \"version\": 1,\n", to);
	write_text(to, "host", s->host);
	write_text(to, "kernel", s->kernel);
	write_text(to, "arch", s->arch);
	write_text(to, "event", s->event);
	write_rate(to, s);
	fprintf(to, "  \"cpus\": %" PRIu64 ",\n", s->nr_cpus);
	write_time(to, "start", s->start_ms);
	write_time(to, "end", s->end_ms);
	write_samples(to, s);
	write_irq(to, s->irq.counts, s->irq.agreement);
	fputs("  \"cost\": {\"bpf_ns_per_sample\": ", to);
	if (s->cost.bpf_ns_per_sample < 0)
		fputs("null", to);
	else
		fprintf(to, "%.1f", s->cost.bpf_ns_per_sample);
	fprintf(to,
		", \"cpu_seconds\": %.3f, \"max_rss_bytes\": %" PRIu64 ", \"rss_bytes\": %" PRIu64,
		s->cost.cpu_seconds, s->cost.max_rss_bytes, s->cost.rss_bytes);
	if (s->cost.bytes_written >= 0)
		fprintf(to, ", \"bytes_written\": %" PRId64, s->cost.bytes_written);
	fputs("},\n", to);
	fputs("  \"notes\": [", to);
	for (size_t i = 0; i < s->nr_notes; i++) {
		fputs(i ? ",\n    " : "\n    ", to);
		write_string(to, s->notes[i]);
	}
	fputs(s->nr_notes ? "\n  ]\n}\n" : "]\n}\n", to);
}
