// SPDX-License-Identifier: GPL-2.0-or-later
/* What stands here runs in other processes, but for the two functions at the end. */
#include "util/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/priority.h"
#include "util/worker_parser.h"
#include "util/worker_wire.h"

#define MAX_CHILDREN	128
#define FORK_TIMEOUT_MS 1000

/* ---- a worker ----------------------------------------------------------------------------- */

static int bytes_file(const char *bytes, size_t len)
{
	_cleanup_close_ int fd = memfd_create("eddy-answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	while (fd >= 0 && len) {
		ssize_t n = write(fd, bytes, len);

		if (n <= 0)
			return -1;
		bytes += n;
		len -= n;
	}
	return take_fd(&fd);
}

/* cpu_ns: that this worker used since it answered last. */
static void answer_send(int socket, struct worker_answer *a, uint64_t cpu_ns)
{
	struct worker_answer_head head = {
		.status = a->status,
		.len = a->len <= WORKER_MAX_ANSWER ? a->len : WORKER_MAX_ANSWER,
		.is_inline = a->len <= WORKER_MAX_INLINE,
		.cpu_ns = cpu_ns,
	};
	int fds[WIRE_MAX_FDS] = { a->fd, -1 };

	if (!head.is_inline) {
		close(take_fd(&a->fd));
		fds[0] = bytes_file(a->bytes, head.len);
	}
	if (wire_send(socket, &head, sizeof(head), a->bytes, head.is_inline ? head.len : 0, fds,
		      true) < 0)
		_exit(1);
	if (fds[0] >= 0)
		close(fds[0]);
	free(a->bytes);
}

static void __attribute__((noreturn)) worker_main(int socket)
{
	struct {
		struct worker_request_head head;
		char bytes[WORKER_MAX_REQUEST];
	} in;
	struct worker_parser *parser = worker_parser_new();
	int fds[WIRE_MAX_FDS];
	uint64_t told_ns = 0, now_ns; /* CPU time */

	for (;;) {
		ssize_t n = wire_receive(socket, &in, sizeof(in), fds, true);
		struct worker_answer answer = { .fd = -1 };
		struct worker_request request = { .bytes = in.bytes, .parser = parser };

		if (n < (ssize_t)sizeof(in.head) || in.head.len > n - sizeof(in.head))
			_exit(0);
		request.len = in.head.len;
		for (size_t i = 0; i < WIRE_MAX_FDS; i++)
			request.fds[i] = fds[i];
		worker_parser_hurry(parser, in.head.is_urgent);
		in.head.fn(&request, &answer);
		/* First, for it may take as long as any other call. */
		for (size_t i = 0; i < WIRE_MAX_FDS; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		now_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + worker_parser_cpu_ns(parser);
		answer_send(socket, &answer, now_ns - told_ns);
		told_ns = now_ns;
	}
}

/* ---- the parent of workers ---------------------------------------------------------------- */

/* Whoever waits for the end of a pipe must not wait for a worker that does not end. */
static void detach(int socket)
{
	static const int ignored[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE
	};
	int null;

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	priority_guard();
	/* Not a session: it would compete with the program for CPUs (sched_autogroup). */
	setpgid(0, 0);
	prctl(PR_SET_NAME, "eddy-worker");
	if (dup2(socket, 3) < 0)
		_exit(1);
	close_range(4, ~0u, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	if (null >= 0)
		close(null);
	if (chdir("/") < 0)
		_exit(1);
}

static void children_reap(pid_t *children, size_t *nr)
{
	for (size_t i = 0; i < *nr;)
		if (waitpid(children[i], NULL, WNOHANG) == children[i])
			children[i] = children[--*nr];
		else
			i++;
}

static void child_fork(int socket, pid_t *children, size_t *nr)
{
	struct worker_answer_head head = { .status = -EAGAIN };
	int pair[2] = { -1, -1 };
	pid_t pid = -1;

	if (*nr < MAX_CHILDREN && !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		pid = fork();
	if (!pid) {
		close(socket);
		close(pair[0]);
		worker_main(pair[1]);
	}
	if (pid > 0) {
		children[(*nr)++] = pid;
		head.status = pid;
	}
	wire_send(socket, &head, sizeof(head), NULL, 0,
		  (int[WIRE_MAX_FDS]){ pid > 0 ? pair[0] : -1, -1 }, true);
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

static void __attribute__((noreturn)) parent_main(int socket)
{
	pid_t children[MAX_CHILDREN];
	int fds[WIRE_MAX_FDS];
	size_t nr = 0;
	char byte;

	detach(socket);
	while (wire_receive(3, &byte, 1, fds, true) > 0) {
		children_reap(children, &nr);
		child_fork(3, children, &nr);
	}
	children_reap(children, &nr);
	for (size_t i = 0; i < nr; i++)
		kill(children[i], SIGKILL);
	_exit(0);
}

/* ---- the program's side ------------------------------------------------------------------- */

int worker_parent_start(pid_t *ret_pid)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (!pid)
		parent_main(pair[1]);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -errno;
	}
	*ret_pid = pid;
	return pair[0];
}

int worker_parent_fork(int parent, pid_t *ret_pid)
{
	struct worker_answer_head head;
	struct pollfd p = { .fd = parent, .events = POLLIN };
	int fds[WIRE_MAX_FDS], r;
	ssize_t n;

	r = wire_send(parent, "f", 1, NULL, 0, NULL, false);
	if (r < 0)
		return r;
	if (poll(&p, 1, FORK_TIMEOUT_MS) <= 0)
		return -ETIMEDOUT;
	n = wire_receive(parent, &head, sizeof(head), fds, false);
	if (n == sizeof(head) && head.status > 0 && fds[0] >= 0) {
		*ret_pid = (pid_t)head.status;
		return fds[0];
	}
	return n < 0 ? (int)n : -EAGAIN;
}
