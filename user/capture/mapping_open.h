/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a process has mapped. */
#ifndef EDDY_CAPTURE_MAPPING_OPEN_H
#define EDDY_CAPTURE_MAPPING_OPEN_H

#include <stdint.h>

#include "unwind_abi.h"

/*
 * Opens the file of the mapping [start, end) of a process, which is known by the key (generation 0:
 * any).  A descriptor; -ENODEV for a device, for opening one may do something to it; another
 * negative number when it cannot be opened.
 */
int mapping_open(uint32_t pid, uint64_t start, uint64_t end, const struct eddy_unwind_key *key);

#endif
