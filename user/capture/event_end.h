/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of sampling at a moment that was said before.  Who drains may be busy then, or wait for a
 * CPU behind hundreds of others; samples of the time after would belong to nobody's question.
 */
#ifndef EDDY_CAPTURE_EVENT_END_H
#define EDDY_CAPTURE_EVENT_END_H

#include <stdint.h>

#include "capture/cpu_events.h"

struct event_end;

/*
 * Stops the events at that time of CLOCK_MONOTONIC, by a thread; free it before them.  NULL: no
 * thread can be made, and nobody stops them.
 */
struct event_end *event_end_new(struct cpu_events *events, uint64_t mono_ns);
/* NULL is fine; a time that has not come will not. */
void event_end_free(struct event_end *e);

#endif
