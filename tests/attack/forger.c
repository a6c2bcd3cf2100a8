// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forger SECONDS: names that are eddy's own.  The thread is called like a mark, then like a kernel
 * function; after linking, the build gives functions the names of a kernel entry, a mark, a loss
 * and one that turns the direction of text; and a perf map gives compiled code such names too.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "work.h"

NAMED void forged_entry(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void forged_mark(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void forged_lost(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void forged_direction(uint64_t ns)
{
	BURN_NS(ns);
}

/* 2^24 times round and back, made at run time; NULL where there is no code for this machine. */
static void (*make_code(void))(void)
{
#ifdef __x86_64__
	static const unsigned char code[] = { 0xb9, 0, 0, 0, 1, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	char path[64];
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	FILE *map;

	if (at == MAP_FAILED)
		return NULL;
	memcpy(at, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (map) {
		fprintf(map, "%lx %lx [softirq]\n", (unsigned long)at, sizeof(code));
		fclose(map);
	}
	return (void (*)(void))at;
#else
	return NULL;
#endif
}

int main(int argc, char **argv)
{
	static const char *const comms[] = { "[hardirq]",     "[lost:ring]",	 "x_[k]",
					     "! 1 2.5: c: x", "\xe2\x80\xaegnp", "# a 5",
					     "\033[31m\a" };
	uint64_t want = work_ns(argc, argv, 1), from = thread_cpu_ns();
	void (*code)(void) = make_code();
	char path[64];

	for (unsigned int i = 0; thread_cpu_ns() - from < want; i++) {
		prctl(PR_SET_NAME, comms[i % (sizeof(comms) / sizeof(*comms))]);
		forged_entry(3000000);
		forged_mark(3000000);
		forged_lost(3000000);
		forged_direction(3000000);
		if (code)
			code();
	}
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	return 0;
}
