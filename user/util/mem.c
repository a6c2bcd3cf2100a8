// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation that ends the program in one place when there is no more; see mem.h. */
#include "util/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((weak)) void mem_exhausted(size_t size)
{
	(void)size;
}

static void out_of_memory(size_t size)
{
	mem_exhausted(size);
	abort();
}

/*
 * Large arrays ask for huge pages: a column of a profile of 30 million nodes is 60 000 page faults
 * otherwise, which in a virtual machine take longer than the work on it.  Advice only: a kernel
 * that knows no huge pages refuses, and that is fine.  It is given for whole pages, the one before
 * with malloc's own words too: what is advised in part becomes two mappings, which mremap(2) does
 * not move together, and realloc(3) would copy.
 */
static void *large_pages(void *p, size_t size)
{
	enum { LARGE = 8 * 1024 * 1024, PAGE = 4096 };
	uintptr_t start = (uintptr_t)p & ~(uintptr_t)(PAGE - 1);
	uintptr_t end = ((uintptr_t)p + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

	if (size >= LARGE)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	return p;
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory(size);
	return large_pages(p, size);
}

void *xcalloc(size_t nmemb, size_t size)
{
	void *p = calloc(nmemb ? nmemb : 1, size ? size : 1);

	if (!p)
		out_of_memory(nmemb * size);
	return large_pages(p, nmemb * size);
}

void *xreallocarray(void *p, size_t nmemb, size_t size)
{
	void *q = reallocarray(p, nmemb ? nmemb : 1, size ? size : 1);

	if (!q)
		out_of_memory(nmemb * size);
	return large_pages(q, nmemb * size);
}

char *xstrdup(const char *s)
{
	return xmemdup0(s, strlen(s));
}

char *xmemdup0(const void *bytes, size_t len)
{
	char *p = xmalloc(len + 1);

	if (len)
		memcpy(p, bytes, len);
	p[len] = '\0';
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		out_of_memory(0);
	return s;
}

size_t array_capacity(size_t have, size_t need)
{
	size_t cap = have < 16 ? 16 : have;

	while (cap < need) {
		if (cap > SIZE_MAX / 2)
			out_of_memory(need);
		cap += cap / 2;
	}
	return cap;
}
