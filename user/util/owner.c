// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From /proc/PID/status: the owner of the directory is root where a process hides from debuggers.
 *
 * The ranges are read once, before main(), and never again: an exception to the rule that nothing
 * below cli/ has a state of its own, since whoever counts has to count alike.
 */
#include "util/owner.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/owner_ranges.h"

static struct owner_ranges subordinate;

__attribute__((constructor)) static void read_ranges(void)
{
	_cleanup_fclose_ FILE *subuid = fopen("/etc/subuid", "re");
	_cleanup_fclose_ FILE *passwd = subuid ? fopen("/etc/passwd", "re") : NULL;

	if (subuid)
		owner_ranges_read(&subordinate, subuid, passwd);
}

owner_id owner_of_uid(uint32_t uid)
{
	if (uid >= OWNER_FIRST_UID)
		uid = owner_ranges_find(&subordinate, uid);
	return uid < OWNER_FIRST_UID ? OWNER_SYSTEM : uid;
}

owner_id owner_of_process(pid_t pid)
{
	return owner_of_process_in("", pid);
}

owner_id owner_of_process_in(const char *root, pid_t pid)
{
	char path[PATH_MAX], text[1024]; /* the line stands within the first 200 bytes */
	_cleanup_close_ int fd = -1;
	const char *line;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/%d/status", root, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return OWNER_UNKNOWN;
	text[n] = '\0';
	line = strstr(text, "\nUid:\t");
	return line ? owner_of_uid((uint32_t)strtoul(line + 6, NULL, 10)) : OWNER_UNKNOWN;
}
