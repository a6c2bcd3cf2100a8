// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals as events of the one poll() loop; what was inherited is kept for children. */
#include "run/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "util/mem.h"

static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD };

/* Mutable, but of the process as the dispositions themselves are. */
static struct sigaction inherited[ARRAY_SIZE(handled)], inherited_pipe;
static sigset_t inherited_mask;

static void on_signal(int sig)
{
	/* Never runs: the signals are blocked.  It stands here because it is not SIG_IGN. */
}

int signals_open(void)
{
	struct sigaction ours = { .sa_handler = on_signal }, ignore = { .sa_handler = SIG_IGN };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++) {
		sigaddset(&set, handled[i]);
		sigaction(handled[i], &ours, &inherited[i]);
	}
	sigaction(SIGPIPE, &ignore, &inherited_pipe);
	sigprocmask(SIG_BLOCK, &set, &inherited_mask);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int signals_read(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

bool signals_are_pending(void)
{
	sigset_t set;

	return !sigpending(&set) &&
	       (sigismember(&set, SIGINT) == 1 || sigismember(&set, SIGTERM) == 1 ||
		sigismember(&set, SIGHUP) == 1);
}

void signals_restore(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaction(handled[i], &inherited[i], NULL);
	sigaction(SIGPIPE, &inherited_pipe, NULL);
	sigprocmask(SIG_SETMASK, &inherited_mask, NULL);
}
