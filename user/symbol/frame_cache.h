/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded cache from (space, address) to a value: what makes a repeated address cost one cache
 * line.  A space is whatever gives addresses their meaning: the kernel, one address space, one
 * file.  Spaces are numbered and never reused, so forgetting one needs no walk: its entries are
 * never asked for again and age away.
 */
#ifndef EDDY_SYMBOL_FRAME_CACHE_H
#define EDDY_SYMBOL_FRAME_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct frame_cache;

/* nr_entries is rounded up to a power of two; 16 bytes each, touched as they fill. */
struct frame_cache *frame_cache_new(size_t nr_entries);
void frame_cache_free(struct frame_cache *c);
size_t frame_cache_bytes(const struct frame_cache *c);

void frame_cache_clear(struct frame_cache *c);

/* The value put for (space, addr), or 0: never put, or pushed out.  space > 0. */
uint32_t frame_cache_get(struct frame_cache *c, uint32_t space, uint64_t addr);
/* Sets the value of (space, addr); value > 0. */
void frame_cache_put(struct frame_cache *c, uint32_t space, uint64_t addr, uint32_t value);

#endif
