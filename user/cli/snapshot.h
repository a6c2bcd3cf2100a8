/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy snapshot: samples for as long as it runs and writes a file for each window. */
#ifndef EDDY_CLI_SNAPSHOT_H
#define EDDY_CLI_SNAPSHOT_H

/* `eddy snapshot`: argv[0] is the command's name; returns an exit status (cli/command.h). */
int snapshot_run(int argc, char **argv);

#endif
