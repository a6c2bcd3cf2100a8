/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy report: what is in files of stacks, as one of the views. */
#ifndef EDDY_CLI_REPORT_H
#define EDDY_CLI_REPORT_H

/* A command (cli/command.h): returns an exit status. */
int report_run(int argc, char **argv);

#endif
