// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer_storm [SECONDS [THREADS]]: THREADS (4) threads sleep 20 us at a time, one waits on a
 * timerfd of 20 kHz and one spins in user space, for SECONDS by the clock: timer interrupts that
 * hit the spinning thread, and the preemption that they lead to.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static double end;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void *sleep_often(void *arg)
{
	struct timespec nap = { .tv_nsec = 20000 };
	uint64_t *nr = arg;

	while (now() < end) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		++*nr;
	}
	return NULL;
}

static void *wait_for_timer(void *arg)
{
	struct itimerspec every = { { 0, 50000 }, { 0, 50000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t *nr = arg, n;

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL))
		return NULL;
	while (now() < end && read(fd, &n, sizeof(n)) == sizeof(n))
		*nr += n;
	close(fd);
	return NULL;
}

static __attribute__((noinline)) void spin_under_timers(void)
{
	volatile uint64_t x = 0;

	while (now() < end)
		for (int i = 0; i < 1000000; i++)
			x += i;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	int nr_threads = argc > 2 ? atoi(argv[2]) : 4;
	pthread_t threads[65];
	uint64_t counts[65] = { 0 }, wakeups = 0;

	if (nr_threads < 0 || nr_threads > 64)
		return 2;
	end = now() + seconds;
	for (int i = 0; i <= nr_threads; i++)
		if (pthread_create(&threads[i], NULL, i ? sleep_often : wait_for_timer, &counts[i]))
			return 1;
	spin_under_timers();
	for (int i = 0; i <= nr_threads; i++) {
		pthread_join(threads[i], NULL);
		wakeups += counts[i];
	}
	printf("truth wakeups %llu\n", (unsigned long long)wakeups);
	return 0;
}
