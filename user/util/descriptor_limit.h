/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many descriptors the process may have open.  The soft limit of 1024 is there for programs
 * that use select(2); the hard one is what the administrator means (getrlimit(2), systemd.exec(5)).
 */
#ifndef EDDY_UTIL_DESCRIPTOR_LIMIT_H
#define EDDY_UTIL_DESCRIPTOR_LIMIT_H

/*
 * As many as the hard limit says, from now on; the soft one is not lowered.  What is started later
 * inherits it: a command of the user's is started before.  -errno: it stays as it was.
 */
int descriptor_limit_raise(void);

#endif
