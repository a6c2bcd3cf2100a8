// SPDX-License-Identifier: GPL-2.0-or-later
/* The same words for a capture and for the file that it wrote. */
#include "cli/count_unit.h"

#include <inttypes.h>
#include <string.h>

#include "archive/sidecar_read.h"
#include "util/mem.h"

static char *weighed(const char *event)
{
	return xasprintf("%s, each sample weighed by its period", event);
}

static char *periodic(const char *event, uint64_t period)
{
	return xasprintf("samples, each stands for %" PRIu64 " %s", period, event);
}

char *count_unit_of_capture(const struct capture_account *a)
{
	if (a->sampler.is_time)
		return xstrdup("microseconds");
	if (a->sampler.is_weighed)
		return weighed(a->event->name);
	if (a->rate.period > 1 && !a->event->is_clock)
		return periodic(a->event->name, a->rate.period);
	return NULL;
}

char *count_unit_of_sidecar(const struct json *sidecar)
{
	const char *event = json_string(sidecar, json_member(sidecar, JSON_ROOT, "event"));
	uint64_t period = json_integer(sidecar, json_member(sidecar, JSON_ROOT, "period"));

	switch (sidecar_unit(sidecar)) {
	case SIDECAR_EVENTS:
		return weighed(event);
	case SIDECAR_MICROSECONDS:
		return xstrdup("microseconds");
	case SIDECAR_SAMPLES:
		break;
	}
	if (period > 1 && !capture_event_is_clock_name(event))
		return periodic(event, period);
	return NULL;
}
