// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Four entries of 16 bytes are one set and one cache line.  A hit moves one place to the front, a
 * new entry goes in at the third place and pushes the last one out: addresses that come once do
 * not push out those that come often.  Not a table of util/table.h: it forgets.
 */
#include "symbol/frame_cache.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"

#define WAYS 4

struct entry {
	uint64_t addr;
	uint32_t space; /* 0: empty */
	uint32_t value;
};

struct frame_cache {
	size_t set_mask;
	void *memory;
	struct entry *entries; /* on a cache line's edge inside memory */
};

struct frame_cache *frame_cache_new(size_t nr_entries)
{
	struct frame_cache *c = xcalloc(1, sizeof(*c));
	size_t nr_sets = 1;

	while (nr_sets * WAYS < nr_entries)
		nr_sets *= 2;
	c->set_mask = nr_sets - 1;
	/* calloc, not aligned_alloc and memset: pages that are never used are never there. */
	c->memory = xcalloc(nr_sets + 1, WAYS * sizeof(struct entry));
	c->entries = (struct entry *)(((uintptr_t)c->memory + 63) & ~(uintptr_t)63);
	return c;
}

void frame_cache_free(struct frame_cache *c)
{
	if (!c)
		return;
	free(c->memory);
	free(c);
}

size_t frame_cache_bytes(const struct frame_cache *c)
{
	return sizeof(*c) + (c->set_mask + 2) * WAYS * sizeof(struct entry);
}

void frame_cache_clear(struct frame_cache *c)
{
	memset(c->entries, 0, (c->set_mask + 1) * WAYS * sizeof(*c->entries));
}

static struct entry *set_of(struct frame_cache *c, uint32_t space, uint64_t addr)
{
	return &c->entries[(hash_mix(addr, space) & c->set_mask) * WAYS];
}

uint32_t frame_cache_get(struct frame_cache *c, uint32_t space, uint64_t addr)
{
	struct entry *set = set_of(c, space, addr);

	for (int i = 0; i < WAYS; i++) {
		struct entry hit = set[i];

		if (hit.addr != addr || hit.space != space)
			continue;
		if (i) {
			set[i] = set[i - 1];
			set[i - 1] = hit;
		}
		return hit.value;
	}
	return 0;
}

void frame_cache_put(struct frame_cache *c, uint32_t space, uint64_t addr, uint32_t value)
{
	struct entry *set = set_of(c, space, addr);
	int at = WAYS - 1;

	for (int i = 0; i < WAYS; i++)
		if (set[i].addr == addr && set[i].space == space) {
			set[i].value = value;
			return;
		}
	while (at > 0 && !set[at - 1].space)
		at--;
	if (set[at].space) {
		set[WAYS - 1] = set[WAYS - 2];
		at = WAYS - 2;
	}
	set[at] = (struct entry){ .addr = addr, .space = space, .value = value };
}
