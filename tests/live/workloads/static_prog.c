// SPDX-License-Identifier: GPL-2.0-or-later
/* static_prog [SECONDS]: a statically linked program. */
#include "work.h"

NAMED void static_work(uint64_t ns)
{
	BURN_NS(ns);
}

int main(int argc, char **argv)
{
	uint64_t want = work_ns(argc, argv, 1), from = thread_cpu_ns();

	while (thread_cpu_ns() - from < want)
		static_work(5000000);
	truth("static_work", thread_cpu_ns() - from);
	return 0;
}
