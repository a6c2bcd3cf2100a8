// SPDX-License-Identifier: GPL-2.0-or-later
/* The program: finds the command in the table and runs it. */
#include "cli/command.h"

int main(int argc, char **argv)
{
	return command_run(argc, argv);
}
