// SPDX-License-Identifier: GPL-2.0-or-later
/* The program: finds the command in the table and runs it. */
#include <bpf/libbpf.h>

#include "cli/command.h"

int main(int argc, char **argv)
{
	/* Its failures are said once, in our words (capture/load_log.h keeps its own). */
	libbpf_set_print(NULL);
	return command_run(argc, argv);
}
