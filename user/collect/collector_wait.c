// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits come in nanoseconds and count in microseconds, under a leaf that names their state. */
#include <string.h>

#include "collect/collector_table.h"
#include "util/mem.h"

const char *collector_wait_mark(enum eddy_wait state)
{
	static const char *const marks[] = {
		[EDDY_WAIT_NONE] = "[waits]",
		[EDDY_WAIT_SLEEP] = "[sleep]",
		[EDDY_WAIT_IO] = "[io]",
		[EDDY_WAIT_DISK] = "[disk-sleep]",
		[EDDY_WAIT_STOPPED] = "[stopped]",
		[EDDY_WAIT_RUNQUEUE] = "[runqueue]",
		[EDDY_WAIT_PREEMPTED] = "[preempted]",
		[EDDY_WAIT_ON_CPU] = NULL,
		[EDDY_WAIT_UNSAMPLED] = "[on-cpu]",
	};

	_Static_assert(ARRAY_SIZE(marks) == EDDY_NR_WAITS, "every state has a mark");
	return marks[state < EDDY_NR_WAITS ? state : EDDY_WAIT_NONE];
}

static uint64_t whole_us(struct collector *c, uint64_t ns)
{
	uint64_t all = ns + c->rest_ns;

	c->rest_ns = all % 1000;
	return all / 1000;
}

void collector_wait(struct collector *c, uint32_t tag, enum eddy_wait state, uint64_t waits,
		    uint64_t ns)
{
	const char *mark = collector_wait_mark(state);
	uint64_t us = whole_us(c, ns);
	struct stack *stack = &c->stacks[tag];
	node_id at = stack->node;

	if (state >= EDDY_NR_WAITS)
		state = EDDY_WAIT_NONE;
	c->waits += waits;
	c->wait_us[state] += us;
	stack->samples += us;
	stack->weight += us;
	if (!us)
		return;
	if (mark && !c->opts.no_wait_marks)
		at = profile_child(c->profile, at,
				   frame_table_add_text(c->frames, mark, strlen(mark)));
	profile_add(c->profile, at, us);
}

void collector_lost_wait(struct collector *c, const char *reason, uint64_t ns)
{
	uint64_t us = ns ? whole_us(c, ns) : 0;

	c->lost_us += us;
	collector_lost(c, reason, us);
}
