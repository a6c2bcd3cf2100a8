/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When windows end: at multiples of their length on the wall clock, so that those of many machines
 * lie side by side.  Pure: it is told the time.
 *
 * What clocks do: one that is set forward ends the window; one that is set back by more than a
 * tenth of the length does too (nobody waits for an hour to come again), by less it makes the
 * window longer.  After that, and after a window that ended late, the next one ends at the next
 * multiple that is at least a tenth of the length away: there are no tiny windows, and no two ends
 * of the same name, unless the clock was set back.
 */
#ifndef EDDY_RUN_WINDOW_CLOCK_H
#define EDDY_RUN_WINDOW_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "util/clock.h"

struct window_clock {
	uint64_t every_ns;	 /* length of a window; 0: there is only one, without an end */
	struct instant start;	 /* of the window that is on */
	uint64_t planned_end_ns; /* of CLOCK_REALTIME */
};

/* What was unusual about a window that has ended; zeros when it was as planned. */
struct window_lapse {
	int64_t stepped_ns;    /* the clock was set by so much; below zero: back */
	uint64_t suspended_ns; /* the machine was */
	uint64_t late_ns; /* the end came so much later than planned, or than a clock set back made
			     it */
};

/*
 * The first window begins now.  It ends, as all others, at a multiple of every_ns of the wall
 * clock: the next one that is not nearer than a tenth of it.
 */
void window_clock_begin(struct window_clock *w, uint64_t every_ns, const struct instant *now);
/* Is its planned end reached, or was the clock set back by more than a tenth of its length? */
bool window_clock_is_over(const struct window_clock *w, const struct instant *now);
/* Nanoseconds until the window is over, if nobody sets the clock; UINT64_MAX: it has no end. */
uint64_t window_clock_left_ns(const struct window_clock *w, const struct instant *now);
/* The window has ended and the next one has begun. */
void window_clock_next(struct window_clock *w, const struct instant *end,
		       struct window_lapse *ret_lapse);

#endif
