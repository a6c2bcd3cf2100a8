// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dumped_code SECONDS DIR: works in two functions that it wrote itself, half of the time in each,
 * and tells of them in DIR/jit-PID.dump.  The second one is moved before it runs.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "work.h"

#define BYTES (64 << 10)

#ifdef __x86_64__
/* push %rbp; mov %rsp,%rbp; mov %rdi,%rax; 1: dec %rax; jnz 1b; pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
				      0x48, 0xff, 0xc8, 0x75, 0xfb, 0x5d, 0xc3 };
#else
/* stp x29,x30,[sp,#-16]!; mov x29,sp; 1: subs x0,x0,#1; b.ne 1b; ldp x29,x30,[sp],#16; ret */
static const unsigned int code[] = { 0xa9bf7bfd, 0x910003fd, 0xf1000400,
				     0x54ffffe1, 0xa8c17bfd, 0xd65f03c0 };
#endif

static void put(FILE *f, uint64_t value, size_t bytes)
{
	fwrite(&value, bytes, 1, f);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static FILE *dump_begin(const char *dir)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	f = fopen(path, "w+");
	if (!f || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		exit(1);
	put(f, 0x4a695444, 4);
	put(f, 1, 4);
	put(f, 40, 4);
	put(f, 62, 4);
	put(f, 0, 4);
	put(f, getpid(), 4);
	put(f, now_ns(), 8);
	put(f, 0, 8);
	return f;
}

/* What records of both kinds have in common, and how much is behind that. */
static void record_begin(FILE *f, uint32_t kind, size_t bytes)
{
	put(f, kind, 4);
	put(f, 32 + bytes, 4);
	put(f, now_ns(), 8);
	put(f, getpid(), 4);
	put(f, getpid(), 4);
	put(f, 0, 8);
}

/* Writes code to that place, and tells of it. */
static void load(FILE *f, char *at, const char *name)
{
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, at + sizeof(code));
	record_begin(f, 0, 24 + strlen(name) + 1 + sizeof(code));
	put(f, (uintptr_t)at, 8);
	put(f, sizeof(code), 8);
	put(f, 1, 8);
	fwrite(name, strlen(name) + 1, 1, f);
	fwrite(code, sizeof(code), 1, f);
	fflush(f);
}

static void move(FILE *f, char *from, char *to)
{
	memcpy(to, from, sizeof(code));
	memset(from, 0, sizeof(code));
	__builtin___clear_cache(to, to + sizeof(code));
	record_begin(f, 1, 32);
	put(f, (uintptr_t)from, 8);
	put(f, (uintptr_t)to, 8);
	put(f, sizeof(code), 8);
	put(f, 2, 8);
	fflush(f);
}

static void run(const char *name, char *at, uint64_t want)
{
	uint64_t from = thread_cpu_ns();
	void (*work)(uint64_t n);

	memcpy(&work, &at, sizeof(work));
	while (thread_cpu_ns() - from < want)
		work(1000000);
	truth(name, thread_cpu_ns() - from);
}

int main(int argc, char **argv)
{
	uint64_t want = work_ns(argc, argv, 1) / 2;
	FILE *f = dump_begin(argc > 2 ? argv[2] : ".");
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		return 1;
	load(f, p + 4096, "dumped_first");
	run("dumped_first", p + 4096, want);
	load(f, p + 8192, "dumped_moved");
	move(f, p + 8192, p + 16384);
	run("dumped_moved", p + 16384, want);
	fclose(f);
	return 0;
}
