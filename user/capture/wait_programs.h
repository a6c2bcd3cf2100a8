/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BPF programs that charge waits (bpf/waits.bpf.h): what they need, and when they run. */
#ifndef EDDY_CAPTURE_WAIT_PROGRAMS_H
#define EDDY_CAPTURE_WAIT_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler_abi.h"
#include "util/clock.h"
#include "util/diag.h"

struct bpf_link;
struct sampler_bpf;

/* Does sched_switch tell the state of the task that goes (5.18)? */
bool wait_programs_have_state(void);
/* Threads that the map of waiters should hold: several times those that there are now. */
uint32_t wait_programs_room(void);

struct wait_programs {
	struct bpf_link *links[3];
};

/*
 * Attaches the programs, finds the threads that wait already, and begins the window; 0 or -errno
 * with words.
 */
int wait_programs_start(struct wait_programs *p, struct sampler_bpf *skel, struct diag *ret_diag);
/* The window ends at that time of CLOCK_MONOTONIC: no program looks at what comes later. */
void wait_programs_end_at(struct sampler_bpf *skel, uint64_t mono_ns);
/* It ends now, unless it has; *ret_end (may be NULL): when it did. */
void wait_programs_stop(struct sampler_bpf *skel, struct instant *ret_end);
void wait_programs_deinit(struct wait_programs *p); /* zero-filled is fine */

#endif
