// SPDX-License-Identifier: GPL-2.0-or-later
/* A period is given only where it is one: not where the rate was changed meanwhile. */
#include "cli/capture_facts.h"

#include <string.h>

#include "archive/sidecar_read.h"
#include "cli/file_facts.h"

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
/* Until the year 2200: what is beyond is no time of a capture, and nothing below overflows. */
#define MAX_MS UINT64_C(7258118400000)

static void set_event(struct writer_facts *f, const char *event)
{
	if (strlen(event) < sizeof(f->event))
		memcpy(f->event, event, strlen(event) + 1);
}

static void set_period(struct writer_facts *f, bool is_clock, uint64_t freq_hz, uint64_t period)
{
	if (is_clock && freq_hz)
		f->period_ns = NS_PER_S / freq_hz;
	else if (is_clock)
		f->period_ns = period;
	else if (!f->is_weighed)
		f->period = period;
}

static void set_time(struct writer_facts *f, uint64_t start_ms, uint64_t end_ms)
{
	if (!start_ms || end_ms < start_ms || end_ms > MAX_MS)
		return;
	f->start_ns = start_ms * NS_PER_MS;
	f->duration_ns = (end_ms - start_ms) * NS_PER_MS;
}

struct writer_facts capture_facts(const struct capture_account *a)
{
	struct writer_facts f = {
		.is_weighed = a->sampler.is_weighed && !a->sampler.is_time,
		.is_time = a->sampler.is_time,
		.root = a->root,
	};

	set_event(&f, a->event->name);
	if (!a->rate_changed)
		set_period(&f, a->event->is_clock, a->rate.freq_hz, a->rate.period);
	set_time(&f, a->start_ms, a->end_ms);
	return f;
}

static struct writer_facts facts_of_sidecar(const struct json *j)
{
	struct writer_facts f = {
		.is_weighed = sidecar_unit(j) == SIDECAR_EVENTS,
		.is_time = sidecar_unit(j) == SIDECAR_MICROSECONDS,
	};
	const char *event = json_string(j, json_member(j, JSON_ROOT, "event"));

	file_facts_base_frames(j, &f.root);
	set_event(&f, event);
	set_period(&f, capture_event_is_clock_name(event),
		   json_integer(j, json_member(j, JSON_ROOT, "freq_hz")),
		   json_integer(j, json_member(j, JSON_ROOT, "period")));
	set_time(&f, sidecar_time_ms(j, "start"), sidecar_time_ms(j, "end"));
	return f;
}

static void add_facts(struct writer_facts *to, const struct writer_facts *f)
{
	if (strcmp(to->event, f->event))
		*to->event = '\0';
	if (to->period_ns != f->period_ns)
		to->period_ns = 0;
	if (to->period != f->period)
		to->period = 0;
	to->root = base_frames_common(&to->root, &f->root);
	if (!f->start_ns || !to->start_ns) {
		to->start_ns = to->duration_ns = 0;
		return;
	}
	if (f->start_ns < to->start_ns)
		to->start_ns = f->start_ns;
	if (__builtin_add_overflow(to->duration_ns, f->duration_ns, &to->duration_ns))
		to->start_ns = to->duration_ns = 0;
}

struct writer_facts capture_facts_of_files(const struct stack_files *files)
{
	struct writer_facts all = { 0 };

	for (size_t i = 0; i < files->nr; i++) {
		_cleanup_json_ struct json *sidecar = NULL;
		struct writer_facts f = { 0 };

		if (stack_files_sidecar(files, i, &sidecar, NULL) >= 0)
			f = facts_of_sidecar(sidecar);
		if (i)
			add_facts(&all, &f);
		else
			all = f;
	}
	return all;
}
