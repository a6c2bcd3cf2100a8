// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions of C libraries and of Go in which threads begin. */
#include "collect/collector.h"

#include <string.h>

#include "util/mem.h"

bool collector_is_root_name(const char *name)
{
	static const char *const names[] = {
		"_start",
		"__libc_start_call_main",
		"__libc_start_main",
		"start_thread",
		"clone",
		"clone3",
		"__clone",
		"__clone3",
		"thread_start",
		"_dl_start_user",
		"_rt0_amd64_linux",
		"runtime.goexit",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	/* glibc's versioned and local variants. */
	return !strncmp(name, "__libc_start_main", strlen("__libc_start_main")) ||
	       !strncmp(name, "runtime.goexit", strlen("runtime.goexit"));
}
