/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eddy --version: what was built, from which commit, for which kernels, with what. */
#ifndef EDDY_CLI_VERSION_H
#define EDDY_CLI_VERSION_H

#include <stdio.h>

void version_print(FILE *to);

#endif
