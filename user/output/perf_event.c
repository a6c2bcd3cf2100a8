// SPDX-License-Identifier: GPL-2.0-or-later
/* Records that stand before all others. */
#include "output/perf_event.h"

#include <linux/perf_event.h>
#include <string.h>

#include "output/perf_record.h"
#include "util/mem.h"

#define RECORD_ATTR   64 /* PERF_RECORD_HEADER_ATTR and its like: not in the kernel's header */
#define RECORD_UPDATE 78
#define UPDATE_NAME   2
#define ATTR_BYTES    PERF_ATTR_SIZE_VER5

static const struct known_event {
	const char *name;
	uint32_t type, config;
} known_events[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
};

/* Another event is a dummy of that name: what it is decides nothing for who reads it. */
void perf_event_write(FILE *to, const char *event, struct strbuf *record)
{
	const char *name = *event ? event : "samples";
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_BYTES,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
	};

	for (size_t i = 0; i < ARRAY_SIZE(known_events); i++)
		if (!strcmp(known_events[i].name, name)) {
			attr.type = known_events[i].type;
			attr.config = known_events[i].config;
		}
	perf_record_begin(record, RECORD_ATTR, 0);
	strbuf_add(record, &attr, ATTR_BYTES);
	perf_record_end(record, to);
	perf_record_begin(record, RECORD_UPDATE, 0);
	perf_record_add64(record, UPDATE_NAME);
	perf_record_add64(record, 0);
	perf_record_add_text(record, name, strlen(name));
	perf_record_end(record, to);
}
