// SPDX-License-Identifier: GPL-2.0-or-later
/* The wall clock says when; the other two say how long it really was. */
#include "run/window_clock.h"

/* Less than this is what reading three clocks one after the other, and slewing, make. */
#define STEP_MIN_NS 20000000

static uint64_t tenth(const struct window_clock *w)
{
	return w->every_ns / 10;
}

/* The next multiple that is not too near. */
static uint64_t plan_end(const struct window_clock *w)
{
	uint64_t real = w->start.real_ns, end = (real / w->every_ns + 1) * w->every_ns;

	return end - real < tenth(w) ? end + w->every_ns : end;
}

void window_clock_begin(struct window_clock *w, uint64_t every_ns, const struct instant *now)
{
	*w = (struct window_clock){ .every_ns = every_ns, .start = *now };
	w->planned_end_ns = every_ns ? plan_end(w) : UINT64_MAX;
}

static int64_t stepped_ns(const struct window_clock *w, const struct instant *now)
{
	return (int64_t)(now->real_ns - w->start.real_ns) -
	       (int64_t)(now->boot_ns - w->start.boot_ns);
}

bool window_clock_is_over(const struct window_clock *w, const struct instant *now)
{
	if (!w->every_ns)
		return false;
	return now->real_ns >= w->planned_end_ns || -stepped_ns(w, now) > (int64_t)tenth(w);
}

uint64_t window_clock_left_ns(const struct window_clock *w, const struct instant *now)
{
	if (!w->every_ns)
		return UINT64_MAX;
	return window_clock_is_over(w, now) ? 0 : w->planned_end_ns - now->real_ns;
}

void window_clock_next(struct window_clock *w, const struct instant *end,
		       struct window_lapse *ret_lapse)
{
	uint64_t lasted = end->mono_ns - w->start.mono_ns;
	int64_t stepped = stepped_ns(w, end);
	uint64_t set_back = stepped < 0 ? -stepped : 0; /* by so much it was to be longer */
	uint64_t planned = w->planned_end_ns - w->start.real_ns + set_back;
	int64_t suspended = (int64_t)(end->boot_ns - end->mono_ns) -
			    (int64_t)(w->start.boot_ns - w->start.mono_ns);

	*ret_lapse = (struct window_lapse){
		.stepped_ns = stepped > STEP_MIN_NS || -stepped > STEP_MIN_NS ? stepped : 0,
		.suspended_ns = suspended > STEP_MIN_NS ? suspended : 0,
		.late_ns = w->every_ns && lasted > planned ? lasted - planned : 0,
	};
	w->start = *end;
	if (w->every_ns)
		w->planned_end_ns = plan_end(w);
}
