// SPDX-License-Identifier: GPL-2.0-or-later
/* The program: finds the command in the table and runs it. */
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <unistd.h>

#include "cli/command.h"

/*
 * A standard descriptor that is closed would be given to the next file that is opened, and messages
 * would go into that.  Each gets one of /dev/null that fails when it is used, as a closed one does:
 * results that nobody gets are an error still.  A command that is run finds them closed.
 */
static bool hold_descriptors(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd] | O_CLOEXEC) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	if (!hold_descriptors())
		return EXIT_FAILED;
	/* Its failures are said once, in our words (capture/load_log.h keeps its own). */
	libbpf_set_print(NULL);
	return command_run(argc, argv);
}
