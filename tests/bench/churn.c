// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * churn RATE SECONDS DIR: processes that come and go, RATE a second, each busy for about 2 ms.
 * Every third only forks, the others run a program; every five hundredth runs a copy of it that was
 * made for that one run, as test runs do.  Every tenth has code without a file, as compilers at run
 * time do: a stack that only the living process can name.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void work(void)
{
	double until = now(CLOCK_PROCESS_CPUTIME_ID) + 0.002;

	while (now(CLOCK_PROCESS_CPUTIME_ID) < until)
		continue;
}

/* The loop that spins in memory of its own: "dec edi; jnz -4; ret". */
static void work_in_memory(void)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0xff, 0xcf, 0x75, 0xfc, 0xc3 };
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	if (at == MAP_FAILED)
		return;
	memcpy(at, code, sizeof(code));
	((void (*)(int))at)(4000000);
#endif
}

static int copy(const char *from, const char *to)
{
	struct stat st;
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0755), r;

	r = in < 0 || out < 0 || fstat(in, &st) ||
	    sendfile(out, in, NULL, st.st_size) != st.st_size;
	close(in);
	close(out);
	return r ? -1 : 0;
}

static void child(unsigned int n, const char *dir)
{
	char own[256];

	if (n % 10 == 0)
		work_in_memory();
	if (n % 3 == 0) {
		work();
		_exit(0);
	}
	if (n % 500 == 1) {
		snprintf(own, sizeof(own), "%s/churn-%u", dir, n);
		if (!copy("/proc/self/exe", own))
			execl(own, own, "work", own, NULL);
	}
	execl("/proc/self/exe", "churn", "work", NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	double start = now(CLOCK_MONOTONIC), rate, seconds;
	unsigned int n = 0, ended = 0;

	if (argc > 1 && !strcmp(argv[1], "work")) {
		if (argc > 2)
			unlink(argv[2]);
		work();
		return 0;
	}
	if (argc < 4)
		return 2;
	rate = atof(argv[1]);
	seconds = atof(argv[2]);
	while (now(CLOCK_MONOTONIC) < start + seconds) {
		while (n < (now(CLOCK_MONOTONIC) - start) * rate && n - ended < 200) {
			pid_t pid = fork();

			if (!pid)
				child(n, argv[3]);
			n += pid > 0;
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			ended++;
		usleep(3000);
	}
	while (wait(NULL) > 0)
		ended++;
	printf("processes %u\n", n);
	return 0;
}
