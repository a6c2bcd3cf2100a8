// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage FILE COMMAND [ARG]...: runs the command and appends one line to FILE:
 * "wall SECONDS user SECONDS system SECONDS rss_kib N status N".  The command's processor time is
 * its own and that of the children it waited for; rss is the largest of them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct timespec from, to;
	struct rusage usage;
	int status = 0;
	FILE *out;
	pid_t pid;

	if (argc < 3)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	out = fopen(argv[1], "a");
	if (!out)
		return 1;
	fprintf(out, "wall %.3f user %.3f system %.3f rss_kib %ld status %d\n",
		to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9,
		seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
