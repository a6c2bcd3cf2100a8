// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two pipes do it: the child reads from the first until it is closed, and the second closes by
 * itself when exec succeeds, or carries errno when not.
 */
#include "run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run/signals.h"
#include "util/cleanup.h"

static void __attribute__((noreturn)) run(char *const argv[], int go_fd, int fail_fd)
{
	char byte;
	int err;

	signals_restore();
	/* Nothing is ever written: 0 is the close that means "go", also if the parent died. */
	while (read(go_fd, &byte, 1) < 0 && errno == EINTR)
		;
	execvp(argv[0], argv);
	err = errno;
	if (write(fail_fd, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

int child_start(char *const argv[], struct child *ret_child, struct diag *ret_diag)
{
	int go[2], fail[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) < 0)
		return diag_set(ret_diag, errno, "a pipe cannot be made: %s", strerror(errno));
	if (pipe2(fail, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return diag_set(ret_diag, errno, "a pipe cannot be made: %s", strerror(errno));
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		run(argv, go[0], fail[1]);
	}
	close(go[0]);
	close(fail[1]);
	if (pid < 0) {
		close(go[1]);
		close(fail[0]);
		return diag_set(ret_diag, errno, "no process for the command: %s", strerror(errno));
	}
	*ret_child = (struct child){ .pid = pid, .go_fd = go[1], .fail_fd = fail[0] };
	return 0;
}

int child_go(struct child *child, const char *name, struct diag *ret_diag)
{
	int err = 0;

	close(take_fd(&child->go_fd));
	if (read(child->fail_fd, &err, sizeof(err)) != sizeof(err))
		err = 0;
	close(take_fd(&child->fail_fd));
	if (!err)
		return 0;
	child_wait(child);
	return diag_set(ret_diag, err, "%s: %s", name, strerror(err));
}

bool child_poll(struct child *child)
{
	if (!child->is_done)
		child->is_done = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
	return child->is_done;
}

void child_wait(struct child *child)
{
	while (!child->is_done) {
		if (waitpid(child->pid, &child->status, 0) == child->pid || errno != EINTR)
			child->is_done = true;
	}
}

void child_end(struct child *child)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	if (child_poll(child))
		return;
	kill(child->pid, SIGTERM);
	for (int i = 0; i < 100 && !child_poll(child); i++)
		nanosleep(&pause, NULL);
	if (!child_poll(child)) {
		kill(child->pid, SIGKILL);
		child_wait(child);
	}
}

int child_exit_status(const struct child *child)
{
	if (WIFSIGNALED(child->status))
		return 128 + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}
