// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * same_hash LEVELS SECONDS READY: compiled functions whose names all have the same hash, in all of
 * its 64 bits, for whoever hashes by util/hash.h with a key of zeros.  They call each other LEVELS
 * deep in an order that changes, so that every sample meets as many names that are new.  x86-64.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NR_FUNCTIONS   100000u
#define FUNCTION_BYTES 32u
#define NAME_BYTES     32u

/*
 * f(list): calls the next of the list with what is left of it.
 * push %rbp; mov %rsp, %rbp; mov (%rdi), %rax; add $8, %rdi; call *%rax; pop %rbp; ret
 */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x8b, 0x07, 0x48,
				      0x83, 0xc7, 0x08, 0xff, 0xd0, 0x5d, 0xc3 };

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Nothing that ends a line or a name, or that is written differently. */
static int is_plain(uint64_t v)
{
	for (int i = 0; i < 8; i++, v >>= 8)
		if ((v & 0xff) <= ' ' || (v & 0xff) >= 0x7f || (v & 0xff) == ';')
			return 0;
	return 1;
}

static uint64_t letters(uint64_t v)
{
	uint64_t to = 0;

	for (int i = 0; i < 8; i++, v >>= 4)
		to = to << 8 | ('a' + (v & 0xf));
	return to;
}

/* Sixteen bytes have some hash; the eight behind them cancel it.  0: those would not be plain. */
static int name_make(uint32_t i, char name[NAME_BYTES])
{
	const uint64_t parts[4] = { letters(i), letters(i * 2654435761u),
				    mix(letters(i) ^ NAME_BYTES, letters(i * 2654435761u)) ^
					    0x5f5f5f5f5f5f5f5full,
				    letters(0) };

	memcpy(name, parts, NAME_BYTES);
	return is_plain(parts[2]);
}

static char *compile(void)
{
	const size_t bytes = (size_t)NR_FUNCTIONS * FUNCTION_BYTES;
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	for (uint32_t i = 0; i < NR_FUNCTIONS; i++)
		memcpy(at + (size_t)i * FUNCTION_BYTES, code, sizeof(code));
	if (mprotect(at, bytes, PROT_READ | PROT_EXEC))
		exit(1);
	return at;
}

static void write_map(const char *path, const char *at)
{
	FILE *f = fopen(path, "w");
	char name[NAME_BYTES];
	uint32_t tried = 0;

	if (!f)
		exit(1);
	for (uint32_t i = 0; i < NR_FUNCTIONS; i++) {
		while (!name_make(tried++, name))
			;
		fprintf(f, "%llx %x %.*s\n",
			(unsigned long long)(uintptr_t)at + (unsigned long long)i * FUNCTION_BYTES,
			FUNCTION_BYTES, (int)NAME_BYTES, name);
	}
	fclose(f);
}

typedef void (*list_fn)(void *list);

static void spin(void *list)
{
	const double end = now_s() + 0.0015;

	while (now_s() < end)
		;
}

int main(int argc, char **argv)
{
	const uint32_t nr_levels = argc == 4 ? (uint32_t)atoi(argv[1]) : 1;
	const double end = now_s() + (argc == 4 ? atoi(argv[2]) : 1);
	list_fn *list = calloc(nr_levels + 1, sizeof(*list));
	char path[64], *at = compile();
	uint32_t next = 0;
	FILE *ready;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	write_map(path, at);
	ready = fopen(argc == 4 ? argv[3] : "/dev/null", "w");
	if (ready)
		fclose(ready);
	list[nr_levels] = spin;
	while (now_s() < end) {
		for (uint32_t i = 0; i < nr_levels; i++, next++)
			list[i] = (list_fn)(uintptr_t)(at + (size_t)(next % NR_FUNCTIONS) *
								    FUNCTION_BYTES);
		list[0](list + 1);
	}
	unlink(path);
	return 0;
}
