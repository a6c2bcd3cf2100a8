/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what the sampler sends to a profile: each distinct stack is named once, when it is first
 * seen and its process still lives; after that a count is one addition.  The events are the wire
 * structs themselves, so a test builds one on its stack and needs neither BPF nor root.
 */
#ifndef EDDY_COLLECT_COLLECTOR_H
#define EDDY_COLLECT_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/base_frame.h"
#include "profile/profile.h"
#include "profile/timeline.h"
#include "sampler_abi.h"
#include "wait_abi.h"
#include "symbol/symbolizer.h"
#include "unwind_abi.h"
#include "util/cleanup.h"
#include "util/limit.h"

struct collector_opts {
	struct base_frames root;
	bool no_wait_marks;	/* a wait's state is no frame */
	bool kernel_only;	/* user stacks were not asked for: their absence says nothing */
	const char *cgroup_dir; /* where cgroup v2 is mounted; NULL: found in /proc/self/mounts */
	const char *host;	/* base frame of BASE_FRAME_HOST; NULL: the machine's name */
	/*
	 * What a window may take: beyond it its stacks lose detail, each user's by what he has
	 * (profile/profile_trim.h); the profile has owned base frames then.  0: no bound.
	 */
	size_t max_bytes;
	uint64_t slot_ns; /* of a window's timeline; 0: none is kept */
	size_t max_cells; /* that it has room for */
};

struct collector;

/* Uses the symbolizer (not owned), and its frame table. */
struct collector *collector_new(struct symbolizer *s, struct frame_table *frames,
				const struct collector_opts *opts);
void collector_free(struct collector *c);
DEFINE_FREE(collector, struct collector *, collector_free)

/*
 * Once the sampler says which cgroups are made: looks which there are, so that one that is gone
 * when its first sample is looked at has its name.
 */
void collector_look_at_cgroups(struct collector *c);
void collector_new_cgroup(struct collector *c, const struct eddy_cgroup_event *ev);

/* Names a stack; the answer is its tag for collector_count(). */
uint32_t collector_stack(struct collector *c, const struct eddy_stack_event *ev);
/* Adds samples to a stack, and to the profile what they weigh: as many, unless they are weighed. */
void collector_count(struct collector *c, uint32_t tag, uint64_t samples, uint64_t weight);
/*
 * So many waits of a state at a stack, and how long: the profile has them in microseconds, under a
 * leaf that names the state.  What is less than a microsecond is carried to the next, so that the
 * sum of all is that of the nanoseconds.
 */
void collector_wait(struct collector *c, uint32_t tag, enum eddy_wait state, uint64_t waits,
		    uint64_t ns);
/* "[sleep]", "[io]", ...; the leaf of such stacks; NULL: none, the stack is a sample's. */
const char *collector_wait_mark(enum eddy_wait state);
/* collector_lost() of nanoseconds, in the same way. */
void collector_lost_wait(struct collector *c, const char *reason, uint64_t ns);
/*
 * The weight of samples that were taken but whose stack is not known: they stand as
 * "[lost:REASON]".
 */
void collector_lost(struct collector *c, const char *reason, uint64_t weight);

/* With slot_ns, before a window's first sample: when it begins, CLOCK_MONOTONIC. */
void collector_begin_times(struct collector *c, uint64_t start_ns);
/* When a sample was taken, of those that collector_count() is told. */
void collector_time(struct collector *c, uint32_t tag, uint64_t time_ns, uint64_t weight);
/*
 * The window's timeline, over the nodes of its profile: the caller's, before the profile is taken.
 * NULL: none was begun.
 */
struct timeline *collector_take_timeline(struct collector *c, uint64_t end_ns);

/* No tag that was given until now will be counted; what they counted stays in the window. */
void collector_forget_tags(struct collector *c);

/* Another bound; not from none to one, nor back. */
void collector_set_max_bytes(struct collector *c, size_t max_bytes);
/*
 * Before a window is looked at: its frames have their names (symbolizer_settle()), and who lost
 * detail in it, lost it everywhere.
 */
void collector_settle(struct collector *c);

/* What was collected in this window; belongs to the collector and grows with it. */
const struct profile *collector_profile(const struct collector *c);
/*
 * Ends the window: the profile is the caller's (it shares the frame table), the collector goes on
 * with an empty one and has forgotten all tags.  Ask for stats and modes before.
 */
struct profile *collector_take_profile(struct collector *c);

/*
 * After a window was taken: the next one's names go into another table, so that those of all
 * windows before need not be kept.  The symbolizer's goes along.
 */
void collector_use_frames(struct collector *c, struct frame_table *frames);

/* Of this window; all in samples, but for `frames`: frames of samples. */
struct collector_stats {
	uint64_t user_total;	/* samples with user memory whose user stack was wanted */
	uint64_t user_complete; /* walked to their outermost frame */
	uint64_t user_fp;	/* complete or not, some frame was found by frame pointer */
	uint64_t user_code;	/* the same, by what code without unwind tables itself tells */
	uint64_t user_broken[EDDY_NR_ENDS]; /* not complete, by reason */
	uint64_t kernel_broken;		    /* kernel stack unreadable or cut */
	uint64_t frames_user, frames_user_named;
	uint64_t frames_kernel, frames_kernel_named;
	/* Of waits; the numbers above are microseconds then: */
	uint64_t waits, wait_us[EDDY_NR_WAITS], lost_us;
};
void collector_get_stats(const struct collector *c, struct collector_stats *ret_stats);

/*
 * What the sampler's second opinion says of each node of the profile: samples of the node
 * that weigh off_stack[n] were taken off their task's stack, user_mode[n] in user mode.  Both
 * arrays have profile_nr_nodes(collector_profile(c)) elements and are overwritten.
 */
void collector_get_modes(const struct collector *c, uint64_t *off_stack, uint64_t *user_mode);

/* Adds the bounds that were met since the beginning: names of base frames, max_bytes. */
void collector_add_limits(const struct collector *c, struct limit_counts *to);

/* Is it the name of a function in which threads begin: _start, clone3, start_thread, ...? */
bool collector_is_root_name(const char *name);

#endif
