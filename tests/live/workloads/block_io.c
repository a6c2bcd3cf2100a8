// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * block_io [SECONDS [FILE [MEGABYTES]]]: reads 4 KiB at random places of FILE (made when it is not
 * there, removed at the end) past the page cache, for SECONDS by the clock.  Prints the number of
 * reads; exit status 2 when the file system knows no O_DIRECT.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int make_file(const char *path, size_t megabytes, char *block)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	if (fd < 0)
		return -1;
	memset(block, 'x', BLOCK);
	for (size_t i = 0; i < megabytes * (1024 * 1024 / BLOCK); i++)
		if (write(fd, block, BLOCK) != BLOCK)
			return close(fd), -1;
	fsync(fd);
	return close(fd);
}

static int read_blocks(int fd, char *block, size_t nr_blocks, double seconds)
{
	double end = now() + seconds;
	uint64_t nr = 0, x = 88172645463325252ull;

	while (now() < end) {
		x ^= x >> 12;
		x ^= x << 25;
		x ^= x >> 27;
		if (pread(fd, block, BLOCK, (off_t)(x % nr_blocks) * BLOCK) != BLOCK)
			return errno == EINVAL ? 2 : 1;
		nr++;
	}
	printf("truth reads %llu\n", (unsigned long long)nr);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	const char *path = argc > 2 ? argv[2] : "block_io.tmp";
	size_t megabytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 64;
	int made, fd, status;
	void *block;

	if (!megabytes || posix_memalign(&block, BLOCK, BLOCK))
		return 1;
	made = access(path, F_OK) != 0;
	if (made && make_file(path, megabytes, block))
		return perror(path), 1;
	fd = open(path, O_RDONLY | O_DIRECT);
	status = fd >= 0 ? read_blocks(fd, block, megabytes * (1024 * 1024 / BLOCK), seconds)
		 : errno == EINVAL ? 2
				   : 1;
	if (made)
		unlink(path);
	free(block);
	return status;
}
