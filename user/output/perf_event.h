/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf.data says of what was sampled. */
#ifndef EDDY_OUTPUT_PERF_EVENT_H
#define EDDY_OUTPUT_PERF_EVENT_H

#include <stdio.h>

#include "util/strbuf.h"

/* Writes the event of that name ("": samples); record is room for it. */
void perf_event_write(FILE *to, const char *event, struct strbuf *record);

#endif
