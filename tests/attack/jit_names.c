// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit_names LINES SECONDS READY [again]
 *
 * Compiles 200 functions at run time, names them in /tmp/perf-PID.map behind LINES lines of others,
 * makes the file READY, and calls them in turn.  With "again" the map is written anew all the time,
 * and each time in another order.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NR_FUNCTIONS   200
#define FUNCTION_BYTES 64

/* A loop of some 20 us, then back to the caller. */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0xb9, 0x00, 0xc0, 0x00, 0x00, /* mov $0xc000, %ecx */
	0xff, 0xc9,		      /* dec %ecx */
	0x75, 0xfc,		      /* jnz to the dec */
	0xc3,			      /* ret */
};
#elif defined(__aarch64__)
static const uint32_t code[] = {
	0xd2980000, /* mov x0, #0xc000 */
	0xf1000400, /* subs x0, x0, #1 */
	0x54ffffe1, /* b.ne to the subs */
	0xd65f03c0, /* ret */
};
#endif

static char *compile(void)
{
	const size_t bytes = NR_FUNCTIONS * FUNCTION_BYTES;
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	for (int i = 0; i < NR_FUNCTIONS; i++)
		memcpy(at + i * FUNCTION_BYTES, code, sizeof(code));
	__builtin___clear_cache(at, at + bytes);
	if (mprotect(at, bytes, PROT_READ | PROT_EXEC))
		exit(1);
	return at;
}

static void write_map(const char *path, const char *at, long nr_lines, unsigned int round)
{
	FILE *f = fopen(path, "w");

	if (!f)
		exit(1);
	for (long i = 0; i < nr_lines; i++)
		fprintf(f, "%llx 10 Function:~some_name_of_many /srv/app/lib/file_%ld.js:1\n",
			0x1000000 + (i * 48271ull + round) % 0x7fffffff * 16, i);
	for (int i = 0; i < NR_FUNCTIONS; i++)
		fprintf(f, "%llx %x compiled_function_%d\n",
			(unsigned long long)(uintptr_t)at + (unsigned long long)i * FUNCTION_BYTES,
			FUNCTION_BYTES, i);
	fclose(f);
}

int main(int argc, char **argv)
{
	const long nr_lines = argc > 3 ? atol(argv[1]) : 0;
	const time_t end = time(NULL) + (argc > 3 ? atol(argv[2]) : 1);
	char path[64], *at = compile();
	unsigned int round = 0;
	FILE *ready;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	write_map(path, at, nr_lines, round);
	ready = fopen(argc > 3 ? argv[3] : "/dev/null", "w");
	if (ready)
		fclose(ready);
	while (time(NULL) < end) {
		for (int i = 0; i < NR_FUNCTIONS; i++)
			((void (*)(void))(uintptr_t)(at + i * FUNCTION_BYTES))();
		if (argc > 4)
			write_map(path, at, nr_lines, ++round);
	}
	unlink(path);
	return 0;
}
