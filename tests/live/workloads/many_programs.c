// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_programs SECONDS DIRECTORY: runs the programs of a directory, one after the other, for so
 * long by the clock, each with 0.001 to 0.005 as its argument.  Says how many ran.
 */
#include <dirent.h>
#include <string.h>
#include <sys/wait.h>

#include "work.h"

#define MAX_PROGRAMS 256

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void run(const char *path, unsigned int n)
{
	char seconds[16];
	pid_t pid;

	snprintf(seconds, sizeof(seconds), "0.00%u", n % 5 + 1);
	pid = fork();
	if (!pid) {
		execl(path, path, seconds, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1);
	DIR *dir = argc > 2 ? opendir(argv[2]) : NULL;
	char *paths[MAX_PROGRAMS];
	unsigned int nr = 0, n = 0;
	struct dirent *d;

	while (dir && nr < MAX_PROGRAMS && (d = readdir(dir)))
		if (d->d_name[0] != '.' && asprintf(&paths[nr], "%s/%s", argv[2], d->d_name) > 0)
			nr++;
	if (!nr)
		return 2;
	for (; now() < end; n++)
		run(paths[n % nr], n);
	printf("programs %u\n", n);
	return 0;
}
