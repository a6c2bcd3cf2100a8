// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parser_hunter SIGNAL PID: sends the signal to every parser that descends from a process, as soon
 * as it is there, until that process has ended.  A file that its parser does not survive could do
 * the same.  Needs a CPU of its own.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH 6

static int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return -1;
	text[n] = '\0';
	return 0;
}

static void hunt(int pid, int sig, int depth)
{
	char path[64], text[4096], *at = text, *end;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (read_text(path, text, sizeof(text)) == 0 && !strcmp(text, "eddy-parser\n"))
		kill(pid, sig);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	if (depth == MAX_DEPTH || read_text(path, text, sizeof(text)) < 0)
		return;
	for (int child; (child = (int)strtol(at, &end, 10)) > 0; at = end)
		hunt(child, sig, depth + 1);
}

int main(int argc, char **argv)
{
	int sig = argc == 3 ? atoi(argv[1]) : 0, pid = argc == 3 ? atoi(argv[2]) : 0;

	if (!sig || pid <= 1)
		return 2;
	while (!kill(pid, 0))
		hunt(pid, sig, 0);
	return 0;
}
