// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that has one number only in /proc/PID/status (NSpid: from the namespace of /proc
 * inwards) is in the namespace that /proc shows itself.  That is nearly always so of ourselves;
 * else others are asked, not all of which may be.
 */
#include "capture/pid_space.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/mem.h"
#include "util/parse.h"

#define FIRST_PID_SPACE 0xeffffffcu /* PROC_PID_INIT_INO, the same since Linux 3.8 */

/* Has the process one number only, being in the namespace of /proc itself? */
static bool is_of_proc(const char *pid)
{
	_cleanup_fclose_ FILE *f = NULL;
	unsigned int first, second;
	char line[512];
	int n;

	snprintf(line, sizeof(line), "/proc/%s/status", pid);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f)) {
		n = sscanf(line, "NSpid: %u %u", &first, &second);
		if (n > 0)
			return n == 1;
	}
	return false;
}

static int space_of(const char *pid, uint32_t *ret_space)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/ns/pid", pid);
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	*ret_space = st.st_ino;
	return 0;
}

/* Of the first process that is in the namespace of /proc and may be asked. */
static int space_of_any(uint32_t *ret_space)
{
	DIR *proc = opendir("/proc");
	const struct dirent *d;
	uint64_t pid;
	int r = -EACCES;

	while (r < 0 && proc && (d = readdir(proc)))
		if (!parse_u64(d->d_name, &pid) && is_of_proc(d->d_name))
			r = space_of(d->d_name, ret_space);
	if (proc)
		closedir(proc);
	return r;
}

int pid_space_find(uint32_t *ret_space, struct diag *ret_diag)
{
	uint32_t space = 0;
	int r;

	if (access("/proc/self/ns", F_OK) == 0 && access("/proc/self/ns/pid", F_OK) < 0)
		r = errno == ENOENT ? 0 : -errno; /* ENOENT: a kernel without such namespaces */
	else if (is_of_proc("self"))
		r = space_of("self", &space);
	else
		r = space_of_any(&space);
	if (r < 0)
		return diag_set(
			ret_diag, -r,
			"which PID namespace /proc shows cannot be told, so no process "
			"would have names: mount /proc in this one, or grant CAP_SYS_PTRACE");
	*ret_space = space == FIRST_PID_SPACE ? 0 : space;
	return 0;
}

uint32_t pid_space_number(pid_t pid)
{
	_cleanup_close_ int fd = syscall(SYS_pidfd_open, pid, 0);
	_cleanup_fclose_ FILE *f = NULL;
	char line[128], path[64];
	unsigned int number;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fd < 0 ? NULL : fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pid: %u", &number) == 1 && number)
			return number;
	return pid;
}
