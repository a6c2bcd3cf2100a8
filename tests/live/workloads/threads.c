// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads [SECONDS]: four threads with names and functions of their own, which take 40, 30, 20 and
 * 10 % of the time; "tid NAME TID" is printed first, for filters by thread.
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

static uint64_t used[4], total;
static int share[4] = { 40, 30, 20, 10 };
static pthread_barrier_t barrier;

NAMED void thread_forty(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void thread_thirty(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void thread_twenty(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void thread_ten(uint64_t ns)
{
	BURN_NS(ns);
}

static void *thread_main(void *arg)
{
	static void (*const work[4])(uint64_t) = { thread_forty, thread_thirty, thread_twenty,
						   thread_ten };
	int n = (int)(intptr_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", share[n]);
	prctl(PR_SET_NAME, name);
	printf("tid %s %ld\n", name, syscall(SYS_gettid));
	fflush(stdout);
	pthread_barrier_wait(&barrier);
	work[n](total * share[n] / 100);
	used[n] = thread_cpu_ns();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	total = work_ns(argc, argv, 2);
	pthread_barrier_init(&barrier, NULL, 4);
	for (int n = 0; n < 4; n++)
		if (pthread_create(&threads[n], NULL, thread_main, (void *)(intptr_t)n))
			return 1;
	for (int n = 0; n < 4; n++)
		pthread_join(threads[n], NULL);
	truth("thread_forty", used[0]);
	truth("thread_thirty", used[1]);
	truth("thread_twenty", used[2]);
	truth("thread_ten", used[3]);
	return 0;
}
