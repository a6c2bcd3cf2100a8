// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscalls [SECONDS]: nearly all time is the kernel's: 64 KiB reads from /dev/zero (clearing
 * memory) and 1-byte reads (entry and exit); 0: until it is killed.  Besides the truth it
 * prints "times USER SYSTEM", in microseconds, as the kernel accounts for them.
 */
#include <fcntl.h>
#include <sys/resource.h>

#include "work.h"

static char buffer[65536];

NAMED int read_zeroes(int fd)
{
	int bad = 0;

	OWN_FRAME();
	for (int i = 0; i < 50; i++)
		bad |= call_kernel(SYS_read, fd, (long)buffer, sizeof(buffer)) < 0;
	for (int i = 0; i < 500; i++)
		bad |= call_kernel(SYS_read, fd, (long)buffer, 1) < 0;
	return bad;
}

int main(int argc, char **argv)
{
	double seconds = work_seconds(argc, argv);
	int fd = open("/dev/zero", O_RDONLY);
	uint64_t from = thread_cpu_ns();
	struct rusage usage;

	if (fd < 0)
		return 1;
	do
		if (read_zeroes(fd))
			return 1;
	while (thread_cpu_ns() - from < seconds * 1e9);
	truth("read_zeroes", thread_cpu_ns() - from);
	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return 1;
	printf("times %ld %ld\n", usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec,
	       usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec);
	return 0;
}
