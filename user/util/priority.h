/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The share of the CPUs that a capture has beside those who compute.  At the priority of all others
 * a hundred threads that spin make its start last 20 s, and its ring full before it is read; five
 * hundred leave too little to nice -10 too, so there is a hurry for the parts that are waited for.
 *
 * Who hurries comes before all whose scheduling is the ordinary one (SCHED_RR), and so does what it
 * makes.  It must be over soon: what computes for a second without a pause loses it.  Foreign bytes
 * are never parsed so, but with a third of a CPU that the kernel measures out (SCHED_DEADLINE).
 *
 * Without the right to (CAP_SYS_NICE, RLIMIT_RTPRIO) nothing changes, and an error is none: it
 * takes longer then.
 */
#ifndef EDDY_UTIL_PRIORITY_H
#define EDDY_UTIL_PRIORITY_H

#include <stdbool.h>
#include <sys/types.h>

#define PRIORITY_NICE (-10) /* some nine times the share of nice 0 */

/* Of this thread and those it makes from now on; a nice value that somebody chose is kept. */
void priority_raise(void);

/* So many threads want a CPU that priority_raise() is not enough: more than 16 for each. */
bool priority_is_crowded(void);

/*
 * This thread hurries.  False: it does not; only who was raised, or chosen to be, may, for who was
 * told to step back does.
 */
bool priority_hurry(void);
/*
 * No longer, as priority_raise() left it; for who hurries alone, each thread that was made
 * meanwhile for itself.  SIGXCPU stays caught, for the last of them.
 */
void priority_relax(void);

/* The same of a process of ours, which has called priority_guard(). */
void priority_lend(pid_t pid, bool is_urgent);
/* This process and its children lose a hurry when they compute for too long (SIGXCPU). */
void priority_guard(void);

/* The same of one that parses; 0: this one, which was made in a hurry. */
void priority_measure_out(pid_t pid, bool is_urgent);

#endif
