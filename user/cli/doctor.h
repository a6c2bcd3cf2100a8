/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy doctor: what a capture needs, and whether it is there. */
#ifndef EDDY_CLI_DOCTOR_H
#define EDDY_CLI_DOCTOR_H

#include "cli/options.h"

/* `eddy doctor` (cli/command.h): 0 when a capture works here, else 1. */
int doctor_run(char **argv);

/* Its options, for who completes them; ended by NULL. */
extern const struct option_row *const doctor_tables[];

#endif
