/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids of tracepoints.  tracefs is used where it is mounted, and attached to nothing where not. */
#ifndef EDDY_CAPTURE_TRACEFS_H
#define EDDY_CAPTURE_TRACEFS_H

#include <stdint.h>

#include "util/diag.h"

/* "subsystem:name" to the id that perf_event_open(2) wants; -ENOENT when there is none. */
int tracefs_event_id(const char *event, uint64_t *ret_id, struct diag *ret_diag);

#endif
