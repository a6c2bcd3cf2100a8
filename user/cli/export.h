/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy export: stacks for a database. */
#ifndef EDDY_CLI_EXPORT_H
#define EDDY_CLI_EXPORT_H

/* A command (cli/command.h): returns an exit status. */
int export_run(int argc, char **argv);

#endif
