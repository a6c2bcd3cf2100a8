// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs come in any order and with any numbers; what one left to its next window stays by number. */
#include "capture/due_samples.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void due_samples_deinit(struct due_samples *d)
{
	free(d->cpus);
	free(d->judged);
}

void due_samples_note(struct due_samples *d, struct cpu_events *events)
{
	free(d->cpus);
	cpu_events_get_cpus(events, &d->totals, &d->cpus);
}

static struct not_taken_cpu *judged_of(struct due_samples *d, uint32_t cpu)
{
	size_t nr = (size_t)cpu + 1;

	if (nr > d->nr_judged) {
		d->judged = xreallocarray(d->judged, nr, sizeof(*d->judged));
		memset(d->judged + d->nr_judged, 0, (nr - d->nr_judged) * sizeof(*d->judged));
		d->nr_judged = nr;
	}
	return &d->judged[cpu];
}

void due_samples_judge(struct due_samples *d,
		       struct drain_cpu (*counted)(const struct drain *drain, uint32_t cpu),
		       const struct drain *drain)
{
	d->slack = 0;
	for (size_t i = 0; d->totals.due_is_known && i < d->totals.nr_cpus; i++) {
		const struct cpu_events_cpu *c = &d->cpus[i];
		struct drain_cpu of_cpu = counted(drain, c->cpu);
		const struct cpu_samples now = {
			.due = c->due,
			.delivered = of_cpu.delivered,
			.idle_due = c->idle,
			.idle_delivered = of_cpu.idle_task,
			.throttled_due = c->throttled,
			.stolen_due = c->stolen,
			.slack = c->slack,
		};

		not_taken_judge(judged_of(d, c->cpu), &now, &d->not_taken);
		d->slack += c->slack;
	}
}
