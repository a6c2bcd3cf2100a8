/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope guards: a variable marked with one of these releases what it holds when its scope is
 * left, on every path.  take_ptr() and take_fd() hand the value on and disarm the guard.
 */
#ifndef EDDY_UTIL_CLEANUP_H
#define EDDY_UTIL_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* unused: some are there for their end alone, which clang does not take for a use. */
#define _cleanup_(fn) __attribute__((cleanup(fn), unused))

/* DEFINE_FREE(profile, struct profile *, profile_free): makes _cleanup_(profile_freep). */
#define DEFINE_FREE(name, type, fn)              \
	static inline void name##_freep(type *p) \
	{                                        \
		if (*p)                          \
			fn(*p);                  \
	}

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_	 _cleanup_(freep)
#define _cleanup_close_	 _cleanup_(closep)
#define _cleanup_fclose_ _cleanup_(fclosep)

#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
