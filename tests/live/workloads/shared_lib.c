// SPDX-License-Identifier: GPL-2.0-or-later
/* shared_lib [SECONDS]: works in a library of its own, called through the PLT. */
#include "work.h"

void shared_exported(uint64_t ns);

NAMED void shared_caller(uint64_t ns)
{
	OWN_FRAME();
	shared_exported(ns);
	OWN_FRAME();
}

int main(int argc, char **argv)
{
	uint64_t want = work_ns(argc, argv, 1), from = thread_cpu_ns();

	while (thread_cpu_ns() - from < want)
		shared_caller(5000000);
	truth("shared_hidden", thread_cpu_ns() - from);
	return 0;
}
