// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fsync [SECONDS [FILE]]: appends 4 KiB and calls fsync, over and over, for SECONDS by the clock;
 * the file starts anew every 4 MiB and is removed at the end.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int write_and_sync(int fd, double seconds)
{
	static char block[4096];
	double end = now() + seconds;
	uint64_t nr = 0;

	while (now() < end) {
		if (!(nr % 1024) && (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET)))
			return 1;
		if (write(fd, block, sizeof(block)) != sizeof(block) || fsync(fd))
			return 1;
		nr++;
	}
	printf("truth syncs %llu\n", (unsigned long long)nr);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	const char *path = argc > 2 ? argv[2] : "fsync.tmp";
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600), status;

	if (fd < 0)
		return perror(path), 1;
	status = write_and_sync(fd, seconds);
	close(fd);
	unlink(path);
	return status;
}
