/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy record: samples for a while and writes one file. */
#ifndef EDDY_CLI_RECORD_H
#define EDDY_CLI_RECORD_H

/* `eddy record`: argv[0] is the command's name; returns an exit status (cli/command.h). */
int record_run(int argc, char **argv);

#endif
