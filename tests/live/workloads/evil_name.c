// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * evil_name [SECONDS]: names made to break a line format or a terminal: the process is called
 * "ev;il", newline, escape; after linking, the build gives the functions names with a semicolon
 * and a space, a newline, and an escape sequence.
 */
#include <sys/prctl.h>

#include "work.h"

NAMED void evil_semicolon(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void evil_newline(uint64_t ns)
{
	BURN_NS(ns);
}
NAMED void evil_escape(uint64_t ns)
{
	BURN_NS(ns);
}

int main(int argc, char **argv)
{
	uint64_t want = work_ns(argc, argv, 1), from = thread_cpu_ns();

	prctl(PR_SET_NAME, "ev;il\n\033[31m 5");
	while (thread_cpu_ns() - from < want) {
		evil_semicolon(3000000);
		evil_newline(3000000);
		evil_escape(3000000);
	}
	truth("evil", thread_cpu_ns() - from);
	return 0;
}
