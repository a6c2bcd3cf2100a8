/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy merge */
#ifndef EDDY_CLI_MERGE_H
#define EDDY_CLI_MERGE_H

int merge_run(int argc, char **argv);

#endif
