// SPDX-License-Identifier: GPL-2.0-or-later
/* glibc's malloc, by mallopt(3) and malloc_trim(3). */
#include "util/heap.h"

#include <malloc.h>

/*
 * glibc would learn from the first large block that is freed to keep as much (M_MMAP_THRESHOLD in
 * mallopt(3)): 39 MiB resident after the tables of the running programs were built, instead of 30.
 */
void heap_keep_little(void)
{
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}

/* By itself glibc gives back only what lies above the last block in use of each heap. */
void heap_give_back(void)
{
	malloc_trim(0);
}
