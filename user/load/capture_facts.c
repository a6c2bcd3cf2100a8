// SPDX-License-Identifier: GPL-2.0-or-later
/* One look at each `.json`; what files do not agree on is not known of all. */
#include "load/capture_facts.h"

#include <string.h>

#include "archive/sidecar_read.h"
#include "load/file_facts.h"
#include "output/writer_facts.h"
#include "util/clock_event.h"

static struct writer_facts facts_of_sidecar(const struct json *j)
{
	struct writer_facts f = {
		.is_weighed = sidecar_unit(j) == SIDECAR_EVENTS,
		.is_time = sidecar_unit(j) == SIDECAR_MICROSECONDS,
	};
	const char *event = json_string(j, json_member(j, JSON_ROOT, "event"));

	file_facts_base_frames(j, &f.root);
	writer_facts_set_event(&f, event);
	writer_facts_set_period(&f, clock_event_is_name(event),
				json_integer(j, json_member(j, JSON_ROOT, "freq_hz")),
				json_integer(j, json_member(j, JSON_ROOT, "period")));
	writer_facts_set_time(&f, sidecar_time_ms(j, "start"), sidecar_time_ms(j, "end"));
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
