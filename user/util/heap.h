/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What malloc() keeps of the memory that was freed.  For a process that runs for months and has
 * something large to do now and then: a symbol table to sort, an unwind table to build.
 */
#ifndef EDDY_UTIL_HEAP_H
#define EDDY_UTIL_HEAP_H

/* Large blocks are mapped one by one, and gone when they are freed.  Once, at the start. */
void heap_keep_little(void);
/*
 * Gives back all whole pages that are free, wherever they lie.  Takes 0.1 ms and the faults by
 * which they come back; to be called every few seconds at most.
 */
void heap_give_back(void);

#endif
