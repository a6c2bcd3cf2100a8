// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_programs SECONDS: one program after the other that nobody has seen before, copies of this
 * one that compute for 100 ms each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static __attribute__((noinline)) void inner(long until)
{
	while (now_ms() < until)
		for (int i = 0; i < 10000; i++)
			sink++;
}

static __attribute__((noinline)) void outer(long until)
{
	inner(until);
	sink++;
}

static int copy_self(const char *to)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	struct stat st;

	if (from < 0 || fd < 0 || fstat(from, &st) < 0 ||
	    sendfile(fd, from, NULL, (size_t)st.st_size) != st.st_size)
		return -1;
	close(from);
	return close(fd);
}

int main(int argc, char **argv)
{
	const long end = now_ms() + 1000 * (argc == 2 ? atol(argv[1]) : 1);
	char name[64];

	if (argc == 1) {
		outer(now_ms() + 100);
		return 0;
	}
	for (unsigned int i = 0; now_ms() < end; i++) {
		snprintf(name, sizeof(name), "./fresh-%u-%d", i, (int)getpid());
		if (copy_self(name) < 0)
			return 1;
		if (!fork())
			execl(name, "fresh", NULL), _exit(1);
		wait(NULL);
		unlink(name);
	}
	return 0;
}
