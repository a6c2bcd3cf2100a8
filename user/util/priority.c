// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By nice(2), and by a policy of another class for a while.  The kernel's own guard leaves a
 * twentieth of a CPU to others whatever real-time threads do; RLIMIT_RTTIME is ours.
 */
#include "util/priority.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"

#define HIGHEST_NICE  (-20)
#define MOST_OF_A_CPU 16      /* nice -10 has a third of it then */
#define MAX_RUN_US    1000000 /* without a pause */
#define PERIOD_NS     50000000ull

static bool nice_of(pid_t pid, int *ret_nice)
{
	errno = 0; /* -1 is a nice value too */
	*ret_nice = getpriority(PRIO_PROCESS, (id_t)pid);
	return !errno;
}

void priority_raise(void)
{
	int before;

	if (!nice_of(0, &before) || before)
		return;
	/* Refused: it goes on as it is. */
	if (setpriority(PRIO_PROCESS, 0, PRIORITY_NICE) < 0)
		errno = 0;
}

/* "0.20 0.18 0.12 RUNNABLE/ALL PID" */
bool priority_is_crowded(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/loadavg", "re");
	unsigned long nr;

	return f && fscanf(f, "%*s %*s %*s %lu/", &nr) == 1 &&
	       nr > MOST_OF_A_CPU * (unsigned long)sysconf(_SC_NPROCESSORS_ONLN);
}

/* ---- policies ----------------------------------------------------------------------------- */

/* sched_setattr(2): the headers of some kernels and libraries define it, and not side by side. */
struct schedule {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t rt_priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

static bool schedule_set(pid_t pid, struct schedule s)
{
	s.size = sizeof(s);
	return !syscall(SYS_sched_setattr, pid, &s, 0);
}

static bool set_round_robin(pid_t pid)
{
	return schedule_set(pid, (struct schedule){ .policy = SCHED_RR, .rt_priority = 1 });
}

/* The nice value stands still while a policy has no use for it. */
static void set_ordinary(pid_t pid)
{
	int nice;

	if (nice_of(pid, &nice))
		schedule_set(pid, (struct schedule){ .policy = SCHED_OTHER, .nice = nice });
}

static bool may_hurry(pid_t pid)
{
	int nice;

	return nice_of(pid, &nice) && nice <= PRIORITY_NICE &&
	       sched_getscheduler(pid) == SCHED_OTHER;
}

/* ---- hurry -------------------------------------------------------------------------------- */

/* Of the thread that ran too long, to which the kernel sends the signal. */
static void on_too_long(int sig)
{
	int saved = errno;

	set_ordinary(0);
	errno = saved;
}

void priority_guard(void)
{
	const struct sigaction action = { .sa_handler = on_too_long, .sa_flags = SA_RESTART };

	sigaction(SIGXCPU, &action, NULL);
}

/* The hard limit stays: it would end who comes to it. */
static bool bound_run(pid_t pid)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_RTTIME, NULL, &limit) < 0)
		return false;
	if (limit.rlim_cur > MAX_RUN_US)
		limit.rlim_cur = MAX_RUN_US;
	return !prlimit(pid, RLIMIT_RTTIME, &limit, NULL);
}

bool priority_hurry(void)
{
	if (!may_hurry(0) || !bound_run(0))
		return false;
	priority_guard();
	return set_round_robin(0);
}

void priority_relax(void)
{
	set_ordinary(0);
}

void priority_lend(pid_t pid, bool is_urgent)
{
	if (!is_urgent)
		set_ordinary(pid);
	else if (may_hurry(pid) && bound_run(pid))
		set_round_robin(pid);
}

/*
 * A deadline is refused where not all CPUs may be used, and where others have reserved their time.
 */
void priority_measure_out(pid_t pid, bool is_urgent)
{
	const struct schedule part = { .policy = SCHED_DEADLINE,
				       .runtime_ns = PERIOD_NS * 3 / 10,
				       .deadline_ns = PERIOD_NS,
				       .period_ns = PERIOD_NS };

	if (!is_urgent)
		schedule_set(pid,
			     (struct schedule){ .policy = SCHED_OTHER, .nice = PRIORITY_NICE });
	else if (!schedule_set(pid, part))
		schedule_set(pid, (struct schedule){ .policy = SCHED_OTHER, .nice = HIGHEST_NICE });
}
