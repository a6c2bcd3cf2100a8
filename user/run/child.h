/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command behind `--`: forked early, so that its PID is known, and let go when sampling runs.
 */
#ifndef EDDY_RUN_CHILD_H
#define EDDY_RUN_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/diag.h"

struct child {
	pid_t pid;
	int go_fd;   /* closed to let it go */
	int fail_fd; /* gets errno when exec fails */
	bool is_done;
	int status; /* of waitpid() */
};

/* Forks; the child waits for child_go() before it calls exec. */
int child_start(char *const argv[], struct child *ret_child, struct diag *ret_diag);
/* Lets it go; -errno with a diag when the program cannot be run. */
int child_go(struct child *child, const char *name, struct diag *ret_diag);
/* Has it ended?  Does not wait. */
bool child_poll(struct child *child);
/* Waits for its end. */
void child_wait(struct child *child);
/* Asks it to end, and after a second makes it; for a capture that is over before its command. */
void child_end(struct child *child);
/* As a shell would say it: the exit status, or 128 + signal. */
int child_exit_status(const struct child *child);

#endif
