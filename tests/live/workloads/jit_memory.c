// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit_memory SECONDS KIND [MAP]: works in a function that it wrote itself, at another place in each
 * run, into memory of that KIND: private, shared, or memfd.  With MAP a perf map names it.
 */
#include <string.h>
#include <sys/mman.h>

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

static char *memory_make(const char *kind, size_t at)
{
	int is_memfd = !strcmp(kind, "memfd"), fd = is_memfd ? memfd_create("jitted", 0) : -1;
	int flags = !strcmp(kind, "private") ? MAP_PRIVATE : MAP_SHARED;
	char *p;

	if (is_memfd && ftruncate(fd, BYTES) < 0)
		exit(1);
	p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		 flags | (is_memfd ? 0 : MAP_ANONYMOUS), fd, 0);
	if (p == MAP_FAILED)
		exit(1);
	memcpy(p + at, code, sizeof(code));
	__builtin___clear_cache(p + at, p + at + sizeof(code));
	return p + at;
}

static void map_write(const char *at)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		exit(1);
	fprintf(f, "%lx %zx jitted_work\n", (unsigned long)at, sizeof(code));
	fclose(f);
}

int main(int argc, char **argv)
{
	uint64_t want = work_ns(argc, argv, 1), from = thread_cpu_ns();
	char *at = memory_make(argc > 2 ? argv[2] : "private", getpid() % 512 * 64);
	void (*work)(uint64_t n);
	char path[64];

	memcpy(&work, &at, sizeof(work));
	if (argc > 3)
		map_write(at);
	while (thread_cpu_ns() - from < want)
		work(1000000);
	truth("jitted_work", thread_cpu_ns() - from);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	sleep(argc > 3);
	if (argc > 3)
		unlink(path);
	return 0;
}
