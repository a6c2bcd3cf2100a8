/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose a file or a process is, for shares.  Root and the users of the system are one: what they
 * install they could as well replace eddy with.  By /etc/login.defs these are the UIDs below
 * UID_MIN, which is 1000 wherever it was not changed.  The UIDs that a user has beside his own
 * (/etc/subuid, as it was when the program began) are his: owner_ranges.h.
 */
#ifndef EDDY_UTIL_OWNER_H
#define EDDY_UTIL_OWNER_H

#include <stdint.h>
#include <sys/types.h>

typedef uint32_t owner_id;

#define OWNER_SYSTEM	0u
#define OWNER_FIRST_UID 1000u

#define OWNER_UNKNOWN UINT32_MAX /* of a process that has ended */

/* Whose a process is, by its real user: whatever it executes, that stays. */
owner_id owner_of_process(pid_t pid);
/* The same by the /proc under a directory; "" is our own root. */
owner_id owner_of_process_in(const char *root, pid_t pid);

owner_id owner_of_uid(uint32_t uid);

#endif
