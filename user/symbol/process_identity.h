/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a process is in its own view: what files that it writes about itself are called by. */
#ifndef EDDY_SYMBOL_PROCESS_IDENTITY_H
#define EDDY_SYMBOL_PROCESS_IDENTITY_H

#include <stdint.h>
#include <sys/types.h>

struct process_identity {
	uint32_t uid; /* effective, as we see it */
	int pid;      /* in its own PID namespace */
};

/* By /proc/PID/status under that root.  0, or -errno; -ESRCH: it says nothing of that. */
int process_identity_read(const char *root, pid_t pid, struct process_identity *ret_identity);

#endif
