// SPDX-License-Identifier: GPL-2.0-or-later
/* Cost is taken as proportional to the rate; what is fixed in it makes the next step a second one.
 */
#include "run/overhead.h"

#define MARGIN	  0.9  /* of the limit is aimed at */
#define RAISE	  0.5  /* below so much of the limit it is raised */
#define LOST	  0.01 /* more of the samples are too many */
#define MIN_LOST  100  /* fewer say nothing about the rate */
#define FOLLOWED  0.8  /* of what found room is aimed at */
#define MIN_SHARE 1e-6 /* of a period that was asked for; a frequency ends at 1 Hz */

void overhead_init(struct overhead *o, double max, const struct capture_rate *asked)
{
	*o = (struct overhead){ .max = max, .asked = *asked, .share = 1 };
}

struct capture_rate overhead_rate(const struct overhead *o)
{
	struct capture_rate rate = o->asked;

	if (o->share < 1) {
		rate.freq_hz *= o->share;
		rate.period /= o->share;
	}
	if (o->asked.freq_hz && !rate.freq_hz)
		rate.freq_hz = 1;
	return rate;
}

static double least_share(const struct overhead *o)
{
	return o->asked.freq_hz ? 1.0 / o->asked.freq_hz : MIN_SHARE;
}

bool overhead_adapt(struct overhead *o, double cost)
{
	struct capture_rate before = overhead_rate(o), after;
	double factor = 1;

	if (!o->max)
		return false;
	if (cost > o->max)
		factor = o->max / cost * MARGIN;
	else if (cost < o->max * RAISE && o->share < 1)
		factor = cost * 2 < o->max * MARGIN ? 2 : o->max / cost * MARGIN;
	o->share *= factor;
	if (o->share > 1)
		o->share = 1;
	if (o->share < least_share(o))
		o->share = least_share(o);
	after = overhead_rate(o);
	return after.freq_hz != before.freq_hz || after.period != before.period;
}

bool overhead_relieve(struct overhead *o, uint64_t taken, uint64_t lost)
{
	struct capture_rate rate = overhead_rate(o);
	uint64_t before = rate.freq_hz;

	if (!before || lost < MIN_LOST || lost > taken || (double)lost < LOST * (double)taken)
		return false;
	rate.freq_hz = (uint64_t)((double)before * FOLLOWED * (double)(taken - lost) / taken);
	if (!rate.freq_hz)
		rate.freq_hz = 1;
	o->asked = rate;
	o->share = 1;
	return rate.freq_hz != before;
}
