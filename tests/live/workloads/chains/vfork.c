// SPDX-License-Identifier: GPL-2.0-or-later
/* main -> vforker -> vfork, whose return address is kept in a register over the system call. */
#include "chain.h"

#include <sys/wait.h>

NAMED void vforker(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;

	do {
		pid_t pid = vfork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	} while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	vforker(chain_begin(argc, argv));
	chain_end();
}
