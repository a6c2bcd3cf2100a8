// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pid_reuse [MS]: two processes with one PID, one after the other.  Both spin for half a second, or
 * so many milliseconds, in code without a file, at the same address; the first has a perf map that
 * calls it first_life, the second has none.  Prints "reused PID", or "no luck" when another process
 * took the PID each time.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "work.h"

#define CODE ((void *)0x300000000000ul)

static uint64_t life_ns = 500000000;

static void make_code(void)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0xff, 0xcf, 0x75, 0xfc, 0xc3 };
#else
	static const uint32_t code[] = { 0x71000400, 0x54ffffe1, 0xd65f03c0 };
#endif
	void *at = mmap(CODE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
}

static void live(void)
{
	uint64_t from = thread_cpu_ns();

	while (thread_cpu_ns() - from < life_ns)
		((void (*)(int))CODE)(1000000);
	_exit(0);
}

static pid_t first_life(void)
{
	char path[64];
	FILE *map;
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		_exit(1);
	fprintf(map, "%lx 1000 first_life\n", (unsigned long)CODE);
	fclose(map);
	live();
	return 0;
}

/* A child of that PID: the kernel gives the next one after ns_last_pid that is free. */
static pid_t second_life(pid_t pid)
{
	for (int i = 0; i < 5000; i++) {
		FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
		pid_t child;

		if (!last)
			return -1;
		fprintf(last, "%d", pid - 1);
		if (fclose(last))
			return -1;
		child = fork();
		if (!child) {
			if (getpid() != pid)
				_exit(0);
			live();
		}
		waitpid(child, NULL, 0);
		if (child == pid)
			return child;
	}
	return -1;
}

int main(int argc, char **argv)
{
	char path[64];
	pid_t pid;

	if (argc > 1)
		life_ns = strtoull(argv[1], NULL, 10) * 1000000;
	make_code();
	pid = first_life();
	waitpid(pid, NULL, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
	if (second_life(pid) == pid)
		printf("reused %d\n", pid);
	else
		puts("no luck");
	return 0;
}
