// SPDX-License-Identifier: GPL-2.0-or-later
/* exec_second SECONDS [PROGRAM] [ARG]...: what exec_first becomes; works in second_work(). */
#include "work.h"

NAMED void second_work(uint64_t ns)
{
	BURN_NS(ns);
}

int main(int argc, char **argv)
{
	second_work(work_ns(argc, argv, 1));
	if (argc < 3)
		return 0;
	execv(argv[2], argv + 2);
	return 1;
}
