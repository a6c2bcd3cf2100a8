// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of status that matter. */
#include "symbol/process_identity.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

int process_identity_read(const char *root, pid_t pid, struct process_identity *ret_identity)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/status", root, (int)pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	struct process_identity id = { .pid = pid };
	char line[512];
	bool has_uid = false;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "Uid:", 4))
			has_uid = sscanf(line, "Uid: %*u %u", &id.uid) == 1;
		if (!strncmp(line, "NSpid:", 6)) {
			char *last = strrchr(line, '\t');

			id.pid = last ? atoi(last + 1) : pid;
		}
	}
	if (!has_uid)
		return -ESRCH;
	*ret_identity = id;
	return 0;
}
