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

#include "profile/profile.h"
#include "sampler_abi.h"
#include "symbol/symbolizer.h"
#include "unwind_abi.h"
#include "util/cleanup.h"

/* The frame that stands over a task's frames. */
enum collect_root {
	COLLECT_ROOT_COMM,    /* comm */
	COLLECT_ROOT_PROCESS, /* comm-PID */
	COLLECT_ROOT_THREAD,  /* comm-PID/TID */
	COLLECT_ROOT_CPU,     /* cpu-N */
	COLLECT_ROOT_CGROUP,  /* the cgroup's path */
	COLLECT_ROOT_NONE,
};

struct collector_opts {
	enum collect_root root;
	bool kernel_only;	/* user stacks were not asked for: their absence says nothing */
	const char *cgroup_dir; /* where cgroup v2 is mounted; NULL: found in /proc/self/mounts */
};

struct collector;

/* Uses the symbolizer (not owned), and its frame table. */
struct collector *collector_new(struct symbolizer *s, struct frame_table *frames,
				const struct collector_opts *opts);
void collector_free(struct collector *c);
DEFINE_FREE(collector, struct collector *, collector_free)

/* Names a stack; the answer is its tag for collector_count(). */
uint32_t collector_stack(struct collector *c, const struct eddy_stack_event *ev);
/* Adds samples to a stack. */
void collector_count(struct collector *c, uint32_t tag, uint64_t samples);
/* Samples that were taken but whose stack is not known: they stand as "[lost:REASON]". */
void collector_lost(struct collector *c, const char *reason, uint64_t samples);

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
	uint64_t user_broken[EDDY_NR_ENDS]; /* not complete, by reason */
	uint64_t kernel_broken;		    /* kernel stack unreadable or cut */
	uint64_t frames_user, frames_user_named;
	uint64_t frames_kernel, frames_kernel_named;
};
void collector_get_stats(const struct collector *c, struct collector_stats *ret_stats);

/*
 * What the sampler's second opinion says of each node of the profile: off_stack[n] samples of the
 * node were taken off their task's stack, user_mode[n] in user mode.  Both arrays have
 * profile_nr_nodes(collector_profile(c)) elements and are overwritten.
 */
void collector_get_modes(const struct collector *c, uint64_t *off_stack, uint64_t *user_mode);

/* Is it the name of a function in which threads begin: _start, clone3, start_thread, ...? */
bool collector_is_root_name(const char *name);

#endif
