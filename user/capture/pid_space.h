/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PIDs are numbers of a namespace, and all of ours come from /proc or lead there: of the namespace
 * that /proc shows, which in a container is not the machine's first, nor always our own.
 */
#ifndef EDDY_CAPTURE_PID_SPACE_H
#define EDDY_CAPTURE_PID_SPACE_H

#include <stdint.h>
#include <sys/types.h>

#include "util/diag.h"

/*
 * The PID namespace that /proc shows, by its inode number; 0: the machine's first.  -errno with
 * words when that cannot be told.
 */
int pid_space_find(uint32_t *ret_space, struct diag *ret_diag);

/* The number that a process we may call `pid` has in /proc: the same, or what /proc tells. */
uint32_t pid_space_number(pid_t pid);

#endif
