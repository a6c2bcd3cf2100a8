/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy diff: two times compared. */
#ifndef EDDY_CLI_DIFF_H
#define EDDY_CLI_DIFF_H

/* A command (cli/command.h): returns an exit status. */
int diff_run(int argc, char **argv);

#endif
