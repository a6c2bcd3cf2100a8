/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a text that of `perf script`?  Told from folded text, which has no mark of its own. */
#ifndef EDDY_INPUT_PERF_DETECT_H
#define EDDY_INPUT_PERF_DETECT_H

#include <stdbool.h>
#include <stddef.h>

/* By the first bytes of an input. */
bool perf_script_detect(const char *bytes, size_t len);

#endif
