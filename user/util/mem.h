/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that cannot fail: running out ends the program here, in one place.  Sizes that come from
 * outside are checked against the bytes that exist before they reach this file, and what files
 * become is bounded (input/input.h); what is left is a machine or a limit that is too small.
 */
#ifndef EDDY_UTIL_MEM_H
#define EDDY_UTIL_MEM_H

#include <stddef.h>

/* All return memory to be released with free(); size 0 gives a unique pointer, never NULL. */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t nmemb, size_t size) __attribute__((malloc, returns_nonnull));
void *xreallocarray(void *p, size_t nmemb, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
/* Copies len bytes and adds a NUL behind them. */
char *xmemdup0(const void *bytes, size_t len) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/*
 * Called when memory runs out; when it returns, the program aborts.  The one here does nothing: a
 * program that has a message and an exit status defines its own, which takes its place when it is
 * linked.  It must not allocate.
 */
void mem_exhausted(size_t size);

/* The capacity that a growing array should get to hold `need` elements (geometric, checked). */
size_t array_capacity(size_t have, size_t need);

/* array_reserve(a->items, a->cap, n): items has room for n elements afterwards; cap is updated. */
#define array_reserve(items, cap, need)                                            \
	do {                                                                       \
		size_t need_ = (need);                                             \
		if (need_ > (cap)) {                                               \
			(cap) = array_capacity((cap), need_);                      \
			(items) = xreallocarray((items), (cap), sizeof(*(items))); \
		}                                                                  \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
