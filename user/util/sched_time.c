// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads /proc/PID/schedstat and stat of a process and of those that it has started. */
#include "util/sched_time.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

#define MAX_CHILDREN 8

/* A small file of /proc as text; false when it cannot be read. */
static bool read_text(const char *path, char *text, size_t len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, len - 1);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool add_process(pid_t pid, struct sched_time *sum)
{
	unsigned long long ran, waited;
	char path[64], text[128];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	if (!read_text(path, text, sizeof(text)) || sscanf(text, "%llu %llu", &ran, &waited) != 2)
		return false;
	sum->ran_ns += ran;
	sum->waited_ns += waited;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	state = read_text(path, text, sizeof(text)) ? strrchr(text, ')') : NULL;
	sum->is_runnable |= state && !strncmp(state, ") R", 3);
	return true;
}

bool sched_time_read(pid_t pid, struct sched_time *ret_time)
{
	char path[64], text[256], *at = text, *end;

	*ret_time = (struct sched_time){ 0 };
	if (!add_process(pid, ret_time))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	if (!read_text(path, text, sizeof(text)))
		return true;
	for (int i = 0; i < MAX_CHILDREN; i++, at = end) {
		pid_t child = (pid_t)strtol(at, &end, 10);

		if (end == at)
			break;
		add_process(child, ret_time);
	}
	return true;
}
