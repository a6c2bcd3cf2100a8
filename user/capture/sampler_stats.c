// SPDX-License-Identifier: GPL-2.0-or-later
/* Two lists that must be whole: of what is told, and of what the program counts. */
#include "capture/sampler_stats.h"

#include <stddef.h>

#include "util/mem.h"

const char *sampler_loss_name(enum sampler_loss loss)
{
	static const char *const names[] = {
		[SAMPLER_LOST_MAP_FULL] = "map-full",
		[SAMPLER_LOST_MAP_BUSY] = "map-busy",
		[SAMPLER_LOST_RING_FULL] = "ring-full",
		[SAMPLER_LOST_SWITCH] = "switch",
	};

	_Static_assert(ARRAY_SIZE(names) == NR_SAMPLER_LOSSES, "every loss has a name");
	return names[loss];
}

/*
 * Every number of struct sampler_stats, once: those that GROW since the start, of which two
 * readings have a difference, and those that tell how things STAND.
 */
#define NUMBERS(GROW, STAND)          \
	GROW(due)                     \
	GROW(delivered)               \
	GROW(idle)                    \
	GROW(filtered)                \
	GROW(kept)                    \
	GROW(lost)                    \
	GROW(idle_task)               \
	GROW(not_taken)               \
	STAND(not_taken_slack)        \
	GROW(weight)                  \
	GROW(spilled)                 \
	GROW(hash_conflicts)          \
	GROW(ring_retries)            \
	GROW(late)                    \
	GROW(kernel_walked)           \
	GROW(kernel_checked)          \
	GROW(kernel_differed)         \
	GROW(throttled)               \
	GROW(enabled_ns)              \
	GROW(running_ns)              \
	STAND(nr_cpus)                \
	GROW(bpf_ns)                  \
	GROW(bpf_runs)                \
	GROW(bpf_misses)              \
	GROW(switches)                \
	GROW(waiters)                 \
	GROW(unfollowed)              \
	GROW(unseen)                  \
	GROW(unwoken_ns)              \
	GROW(nr_stacks)               \
	GROW(nr_rotations)            \
	STAND(user_bytes)             \
	STAND(tables.maps.nr_tables)  \
	STAND(tables.maps.row_bytes)  \
	STAND(tables.maps.slab_bytes) \
	GROW(tables.maps.nr_evicted)  \
	STAND(tables.maps.nr_rules)   \
	GROW(tables.maps.limits)      \
	STAND(tables.nr_files)        \
	GROW(tables.nr_requests)      \
	GROW(tables.nr_rewritten)     \
	GROW(tables.nr_unsure)        \
	GROW(tables.nr_gone)          \
	GROW(tables.nr_refused)       \
	GROW(tables.nr_stalled)       \
	STAND(tables.preload_ns)      \
	STAND(tables.nr_preloaded)

/*
 * Every counter of the program, once, and the number that it becomes: the PLACES where samples are,
 * which are weighed too, their DETAILS, and what is told by the drain, which knows more.
 */
#define COUNTERS(PLACE, DETAIL, DRAIN)                        \
	PLACE(delivered, delivered)                           \
	PLACE(idle, idle)                                     \
	PLACE(filtered, filtered)                             \
	DRAIN(recorded) /* kept, or SAMPLER_LOST_RING_FULL */ \
	PLACE(lost_map_full, lost[SAMPLER_LOST_MAP_FULL])     \
	PLACE(lost_map_busy, lost[SAMPLER_LOST_MAP_BUSY])     \
	PLACE(lost_switch, lost[SAMPLER_LOST_SWITCH])         \
	DETAIL(spilled, spilled)                              \
	DETAIL(hash_conflicts, hash_conflicts)                \
	DETAIL(ring_retries, ring_retries)                    \
	DETAIL(late, late)                                    \
	DETAIL(kernel_walked, kernel_walked)                  \
	DETAIL(kernel_checked, kernel_checked)                \
	DETAIL(kernel_differed, kernel_differed)              \
	DETAIL(run_ns, bpf_ns)                                \
	DETAIL(idle_task, idle_task)                          \
	DETAIL(switches, switches)                            \
	DETAIL(waiters, waiters)                              \
	DETAIL(unfollowed, unfollowed)                        \
	DETAIL(unseen, unseen)                                \
	DETAIL(unwoken_ns, unwoken_ns)

#define NOTHING(...)
#define STATS_BYTES(member)	    +sizeof(((struct sampler_stats *)0)->member)
#define COUNTER_BYTES(counter, ...) +sizeof(((struct eddy_counters *)0)->counter)
#define WEIGHT_BYTES(counter, ...)  +sizeof(((struct eddy_weights *)0)->counter)

_Static_assert(offsetof(struct sampler_stats, due_is_known) == 0 NUMBERS(STATS_BYTES, STATS_BYTES),
	       "every number stands in the list, before what is none");
_Static_assert(sizeof(struct sampler_stats) ==
		       offsetof(struct sampler_stats, due_is_known) + sizeof(uint64_t),
	       "no number stands behind what is none");
_Static_assert(sizeof(struct eddy_counters) ==
		       sizeof(struct eddy_weights)
			       COUNTERS(COUNTER_BYTES, COUNTER_BYTES, COUNTER_BYTES),
	       "every counter stands in the list");
_Static_assert(sizeof(struct eddy_weights) == 0 COUNTERS(WEIGHT_BYTES, NOTHING, WEIGHT_BYTES),
	       "places are weighed, details are not");

static const struct number {
	uint16_t at, bytes; /* one, or an array or struct of them */
	bool grows;
} numbers[] = {
#define NUMBER(member, grows)                                                                  \
	{ offsetof(struct sampler_stats, member), sizeof(((struct sampler_stats *)0)->member), \
	  grows },
#define GROWING(member)	 NUMBER(member, true)
#define STANDING(member) NUMBER(member, false)
	NUMBERS(GROWING, STANDING)
};

static const struct counter {
	uint16_t from, to;
	bool is_weight;
} counters[] = {
#define COUNTER(counter, member) \
	{ offsetof(struct eddy_counters, counter), offsetof(struct sampler_stats, member), false },
#define WEIGHT(counter, member)                           \
	{ offsetof(struct eddy_counters, weight.counter), \
	  offsetof(struct sampler_stats, weight.member), true },
#define WEIGHED(counter, member) COUNTER(counter, member) WEIGHT(counter, member)
	COUNTERS(WEIGHED, COUNTER, NOTHING)
};

void sampler_stats_set(struct sampler_stats *stats, const struct eddy_counters *from)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		const struct counter *c = &counters[i];

		if (stats->is_weighed || !c->is_weight)
			*(uint64_t *)((char *)stats + c->to) =
				*(const __u64 *)((const char *)from + c->from);
	}
}

static uint64_t *number_in(struct sampler_stats *stats, const struct number *n)
{
	return (uint64_t *)((char *)stats + n->at);
}

void sampler_stats_since(struct sampler_stats *now, const struct sampler_stats *before)
{
	struct sampler_stats then = *before;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		for (size_t k = 0; numbers[i].grows && k < numbers[i].bytes / sizeof(uint64_t); k++)
			number_in(now, &numbers[i])[k] -= number_in(&then, &numbers[i])[k];
}

void sampler_stats_add(struct sampler_stats *sum, const struct sampler_stats *next)
{
	struct sampler_stats before = *sum;

	*sum = *next;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		for (size_t k = 0; numbers[i].grows && k < numbers[i].bytes / sizeof(uint64_t); k++)
			number_in(sum, &numbers[i])[k] += number_in(&before, &numbers[i])[k];
}
