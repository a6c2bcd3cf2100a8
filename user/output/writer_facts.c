// SPDX-License-Identifier: GPL-2.0-or-later
/* A period is given only where each sample stands for as much. */
#include "output/writer_facts.h"

#include <string.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
/* Until the year 2200: what is beyond is no time of a capture, and nothing below overflows. */
#define MAX_MS UINT64_C(7258118400000)

void writer_facts_set_event(struct writer_facts *f, const char *event)
{
	if (strlen(event) < sizeof(f->event))
		memcpy(f->event, event, strlen(event) + 1);
}

void writer_facts_set_period(struct writer_facts *f, bool is_clock, uint64_t freq_hz,
			     uint64_t period)
{
	if (is_clock && freq_hz)
		f->period_ns = NS_PER_S / freq_hz;
	else if (is_clock)
		f->period_ns = period;
	else if (!f->is_weighed)
		f->period = period;
}

void writer_facts_set_time(struct writer_facts *f, uint64_t start_ms, uint64_t end_ms)
{
	if (!start_ms || end_ms < start_ms || end_ms > MAX_MS)
		return;
	f->start_ns = start_ms * NS_PER_MS;
	f->duration_ns = (end_ms - start_ms) * NS_PER_MS;
}
