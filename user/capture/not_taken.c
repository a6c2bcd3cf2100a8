// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Causes are taken in the order of how well they are known.  One that is known in ticks is not
 * carried further than a tick can explain: an error that grew for hours would hide a loss.
 */
#include "capture/not_taken.h"

static int64_t within(int64_t value, int64_t slack)
{
	if (value > slack)
		return slack;
	return value < -slack ? -slack : value;
}

/* Of the missing samples, those that the cause explains. */
static uint64_t take(int64_t *missing, int64_t *cause, int64_t slack)
{
	int64_t nr = *missing < *cause ? *missing : *cause;

	if (nr < 0)
		nr = 0;
	*missing -= nr;
	*cause = within(*cause - nr, slack);
	return nr;
}

void not_taken_judge(struct not_taken_cpu *cpu, const struct cpu_samples *now,
		     struct not_taken *sums)
{
	const struct cpu_samples *then = &cpu->then;
	int64_t slack = now->slack;

	/* Differences wrap: delivered may be ahead of what was due. */
	cpu->missing += (now->due - then->due) - (now->delivered - then->delivered);
	cpu->idle +=
		(now->idle_due - then->idle_due) - (now->idle_delivered - then->idle_delivered);
	cpu->throttled += now->throttled_due - then->throttled_due;
	cpu->stolen += now->stolen_due - then->stolen_due;
	cpu->then = *now;

	sums->throttled += take(&cpu->missing, &cpu->throttled, slack);
	sums->idle += take(&cpu->missing, &cpu->idle, slack);
	sums->stolen += take(&cpu->missing, &cpu->stolen, slack);
	if (cpu->missing > 0) {
		sums->busy += cpu->missing;
		cpu->missing = 0;
	}
	cpu->missing = within(cpu->missing, slack);
}

uint64_t not_taken_total(const struct not_taken *n)
{
	return n->idle + n->throttled + n->stolen + n->busy;
}
