// SPDX-License-Identifier: GPL-2.0-or-later
/* The same words for a capture and for the file that it wrote. */
#include "archive/count_unit.h"

#include <inttypes.h>

#include "util/clock_event.h"
#include "util/mem.h"

char *count_unit_words(enum sidecar_unit unit, const char *event, bool is_clock, uint64_t period)
{
	switch (unit) {
	case SIDECAR_EVENTS:
		return xasprintf("%s, each sample weighed by its period", event);
	case SIDECAR_MICROSECONDS:
		return xstrdup("microseconds");
	case SIDECAR_SAMPLES:
		break;
	}
	if (period > 1 && !is_clock)
		return xasprintf("samples, each stands for %" PRIu64 " %s", period, event);
	return NULL;
}

char *count_unit_of_sidecar(const struct json *sidecar)
{
	const char *event = json_string(sidecar, json_member(sidecar, JSON_ROOT, "event"));

	return count_unit_words(sidecar_unit(sidecar), event, clock_event_is_name(event),
				json_integer(sidecar, json_member(sidecar, JSON_ROOT, "period")));
}
