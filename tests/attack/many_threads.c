// SPDX-License-Identifier: GPL-2.0-or-later
/* many_threads NR SECONDS: so many threads that compute. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned long sink;

static void *spin(void *arg)
{
	for (;;)
		sink++;
	return arg;
}

int main(int argc, char **argv)
{
	int nr = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t thread;

	for (int i = 0; i < nr; i++)
		if (pthread_create(&thread, NULL, spin, NULL))
			return 1;
	sleep(argc == 3 ? (unsigned int)atoi(argv[2]) : 0);
	return 0;
}
