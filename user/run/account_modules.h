/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose the functions of a capture are, for the `.json` (archive/sidecar_modules.h). */
#ifndef EDDY_RUN_ACCOUNT_MODULES_H
#define EDDY_RUN_ACCOUNT_MODULES_H

#include <stdbool.h>

#include "profile/profile.h"
#include "util/json.h"

/*
 * Adds the member `modules`, without those of the kernel proper, BPF programs and functions whose
 * names say it.  Where there is not room for all, those with the most samples of their own are in
 * it, and a note says so.  no_annotate: as frames are written.
 */
void account_modules_add(struct json *sidecar, const struct profile *p, bool no_annotate);

#endif
