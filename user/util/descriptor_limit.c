// SPDX-License-Identifier: GPL-2.0-or-later
/* RLIMIT_NOFILE, by setrlimit(2). */
#include "util/descriptor_limit.h"

#include <errno.h>
#include <sys/resource.h>

int descriptor_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? -errno : 0;
}
