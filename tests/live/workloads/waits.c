// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits MS: threads that wait in known ways for so long, each under a name of its own.  What each
 * did it tells itself, by clocks and by the kernel's own account of run queues:
 *
 *	truth NAME WALL_NS CPU_NS RUNNABLE_NS SLACK_NS
 *
 * from when it got its name to its end; what is left of WALL_NS it was blocked.  SLACK_NS: for so
 * long it was between reading its clocks and changing its name, where it may have been preempted.
 *
 * waits hold: does nothing, so that what is there for a running program is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "work.h"

#define NS_PER_MS    1000000ull
#define MAX_SLACK_NS (2 * NS_PER_MS)

static uint64_t duration_ns;
static int ping[2], pong[2], slow[2];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void pause_ns(uint64_t ns)
{
	struct timespec t = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	syscall(SYS_nanosleep, &t, NULL);
}

static uint64_t runnable_ns(void)
{
	char text[128] = "";
	unsigned long long cpu, runnable = 0;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) > 0)
		sscanf(text, "%llu %llu", &cpu, &runnable);
	close(fd);
	return runnable;
}

static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* ---- each of these is a frame of the stack at which is waited ------------------------------- */

#define UNTIL(end_ns) for (uint64_t end = (end_ns); now_ns() < end;)

NAMED static void wait_nanosleep(uint64_t ns)
{
	UNTIL(now_ns() + ns)
	pause_ns(NS_PER_MS);
}

NAMED static void wait_futex(uint64_t ns)
{
	static int word;
	struct timespec t = { .tv_nsec = 20 * NS_PER_MS };

	UNTIL(now_ns() + ns)
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, NULL, 0);
}

NAMED static void wait_epoll(uint64_t ns)
{
	struct epoll_event ev;
	int fd = epoll_create1(0);

	UNTIL(now_ns() + ns)
	epoll_wait(fd, &ev, 1, 10);
	close(fd);
}

NAMED static void wait_ping(uint64_t ns)
{
	char byte = 1;

	UNTIL(now_ns() + ns)
	{
		if (write(ping[1], &byte, 1) != 1 || read(pong[0], &byte, 1) != 1)
			break;
	}
	close(ping[1]);
}

NAMED static void wait_pong(uint64_t ns)
{
	char byte;

	while (read(ping[0], &byte, 1) == 1 && write(pong[1], &byte, 1) == 1)
		;
}

/* Half of the time one read, half of it short ones. */
NAMED static void wait_read_once(void)
{
	char byte;

	if (read(slow[0], &byte, 1) != 1)
		abort();
}

NAMED static void wait_read_often(uint64_t ns)
{
	char byte;

	UNTIL(now_ns() + ns)
	if (read(slow[0], &byte, 1) != 1)
		abort();
}

static void wait_reads(uint64_t ns)
{
	wait_read_once();
	wait_read_often(ns / 2);
}

static void write_slowly(uint64_t ns)
{
	char byte = 1;

	pause_ns(ns / 2);
	UNTIL(now_ns() + ns / 2 + 100 * NS_PER_MS)
	{
		if (write(slow[1], &byte, 1) != 1)
			break;
		pause_ns(NS_PER_MS);
	}
}

NAMED static void wait_mutex(uint64_t ns)
{
	UNTIL(now_ns() + ns)
	{
		pthread_mutex_lock(&held);
		pthread_mutex_unlock(&held);
		pause_ns(NS_PER_MS);
	}
}

static void hold_mutex(uint64_t ns)
{
	UNTIL(now_ns() + ns)
	{
		pthread_mutex_lock(&held);
		pause_ns(5 * NS_PER_MS);
		pthread_mutex_unlock(&held);
		pause_ns(NS_PER_MS / 2);
	}
}

NAMED static void wait_spinning(uint64_t ns)
{
	pin();
	UNTIL(now_ns() + ns);
}

NAMED static void wait_yielding(uint64_t ns)
{
	pin();
	UNTIL(now_ns() + ns)
	sched_yield();
}

/* ---- threads -------------------------------------------------------------------------------- */

struct role {
	const char *name;
	void (*wait)(uint64_t ns);
};

static const struct role roles[] = {
	{ "w-nanosleep", wait_nanosleep }, { "w-futex", wait_futex },
	{ "w-epoll", wait_epoll },	   { "w-ping", wait_ping },
	{ "w-pong", wait_pong },	   { "w-reads", wait_reads },
	{ "w-writer", write_slowly },	   { "w-mutex", wait_mutex },
	{ "w-holder", hold_mutex },	   { "w-spin-1", wait_spinning },
	{ "w-spin-2", wait_spinning },	   { "w-spin-3", wait_spinning },
	{ "w-yield", wait_yielding },
};
#define NR_ROLES (sizeof(roles) / sizeof(roles[0]))

struct reading {
	uint64_t wall, cpu, runnable;
};

/* Reads all clocks and changes the name; how long that took. */
static uint64_t read_and_rename(struct reading *ret, const char *name)
{
	uint64_t begin = now_ns();

	ret->runnable = runnable_ns();
	ret->cpu = thread_cpu_ns();
	ret->wall = now_ns();
	prctl(PR_SET_NAME, name);
	return now_ns() - begin;
}

/* At the end there is no other try: the name is changed before what takes longer. */
static uint64_t rename_and_read(struct reading *ret, const char *name)
{
	ret->wall = now_ns();
	ret->cpu = thread_cpu_ns();
	prctl(PR_SET_NAME, name);
	ret->runnable = runnable_ns();
	return now_ns() - ret->wall;
}

static void *play(void *arg)
{
	const struct role *role = arg;
	struct reading begin, end;
	uint64_t slack;
	int i = 0;

	while ((slack = read_and_rename(&begin, role->name)) > MAX_SLACK_NS && ++i < 20)
		prctl(PR_SET_NAME, "waits");
	role->wait(duration_ns);
	slack += rename_and_read(&end, "waits");
	printf("truth %s %llu %llu %llu %llu\n", role->name,
	       (unsigned long long)(end.wall - begin.wall),
	       (unsigned long long)(end.cpu - begin.cpu),
	       (unsigned long long)(end.runnable - begin.runnable), (unsigned long long)slack);
	return NULL;
}

/* A process that is stopped for half of the time. */
static void stop_child(void)
{
	uint64_t stopped;
	pid_t pid = fork();
	int status;

	if (!pid) {
		prctl(PR_SET_NAME, "w-stopped");
		for (;;)
			wait_nanosleep(NS_PER_MS);
	}
	pause_ns(duration_ns / 4);
	stopped = now_ns();
	kill(pid, SIGSTOP);
	pause_ns(duration_ns / 2);
	kill(pid, SIGCONT);
	stopped = now_ns() - stopped;
	pause_ns(duration_ns / 8);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("stopped w-stopped %llu\n", (unsigned long long)stopped);
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_ROLES];

	if (argc == 2 && !strcmp(argv[1], "hold"))
		return pause();
	if (argc != 2 || pipe(ping) || pipe(pong) || pipe(slow))
		return 2;
	duration_ns = strtoull(argv[1], NULL, 10) * NS_PER_MS;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < NR_ROLES; i++)
		pthread_create(&threads[i], NULL, play, (void *)&roles[i]);
	stop_child();
	for (size_t i = 0; i < NR_ROLES; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
