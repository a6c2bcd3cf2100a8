// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec_first SECONDS PROGRAM [ARG]...: works for so long in first_work(), then becomes PROGRAM.  It
 * is laid out as exec_second is: an address of first_work() is one of second_work() there.
 */
#include "work.h"

NAMED void first_work(uint64_t ns)
{
	BURN_NS(ns);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	first_work(work_ns(argc, argv, 1));
	execv(argv[2], argv + 2);
	return 1;
}
