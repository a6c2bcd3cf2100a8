// SPDX-License-Identifier: GPL-2.0-or-later
/* One array, sorted by start and then by time of registration. */
#include "symbol/kernel_code.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define MAX_SYMBOLS    65536
#define MAX_DEAD       4096
#define MAX_CODE_BYTES ((uint64_t)64 << 20)
#define GRACE_NS       1000000000ull  /* code runs on after it was taken out, to its end */
#define KEPT_NS	       30000000000ull /* samples of it may come late */

struct kernel_code {
	struct kernel_code_symbol *symbols;
	size_t nr, cap, nr_dead;
	uint64_t max_bytes; /* no symbol is longer */
	uint64_t changed_ns, nr_changes;
};

struct kernel_code *kernel_code_new(void)
{
	return xcalloc(1, sizeof(struct kernel_code));
}

void kernel_code_free(struct kernel_code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++)
		free(c->symbols[i].name);
	free(c->symbols);
	free(c);
}

static bool is_dead(const struct kernel_code_symbol *s)
{
	return s->until_ns != UINT64_MAX;
}

/* The number of symbols that start at addr or before. */
static size_t nr_not_above(const struct kernel_code *c, uint64_t addr)
{
	size_t lo = 0, hi = c->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->symbols[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The youngest symbol of that start that is there, or dead, and was registered by then; NULL. */
static struct kernel_code_symbol *symbol_at(struct kernel_code *c, uint64_t start, bool dead,
					    uint64_t time_ns)
{
	for (size_t i = nr_not_above(c, start); i-- > 0 && c->symbols[i].start == start;)
		if (is_dead(&c->symbols[i]) == dead && c->symbols[i].from_ns <= time_ns)
			return &c->symbols[i];
	return NULL;
}

static void remove_if(struct kernel_code *c, uint64_t dead_before_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->nr; i++) {
		if (is_dead(&c->symbols[i]) && c->symbols[i].until_ns < dead_before_ns)
			free(c->symbols[i].name);
		else
			c->symbols[kept++] = c->symbols[i];
	}
	c->nr_dead -= c->nr - kept;
	c->nr = kept;
}

static void insert(struct kernel_code *c, const struct kernel_code_change *change, uint64_t from_ns,
		   uint64_t until_ns)
{
	size_t at = nr_not_above(c, change->start);

	if (c->nr_dead >= MAX_DEAD)
		remove_if(c, c->changed_ns);
	if (c->nr >= MAX_SYMBOLS || c->nr_dead >= MAX_DEAD)
		return;
	at = nr_not_above(c, change->start);
	while (at && c->symbols[at - 1].start == change->start &&
	       c->symbols[at - 1].from_ns > from_ns)
		at--;
	array_reserve(c->symbols, c->cap, c->nr + 1);
	memmove(&c->symbols[at + 1], &c->symbols[at], (c->nr - at) * sizeof(*c->symbols));
	c->symbols[at] = (struct kernel_code_symbol){
		.start = change->start,
		.end = change->start + change->bytes,
		.from_ns = from_ns,
		.until_ns = until_ns,
		.is_bpf = change->is_bpf,
		.name = xstrdup(change->name),
	};
	c->nr++;
	c->nr_dead += is_dead(&c->symbols[at]);
}

/* A removal of what was never registered: it was there before, or its registration comes later. */
static void take_out(struct kernel_code *c, const struct kernel_code_change *change)
{
	struct kernel_code_symbol *s = symbol_at(c, change->start, false, change->time_ns);

	if (!s) {
		insert(c, change, 0, change->time_ns);
		return;
	}
	s->end = s->start + change->bytes;
	s->until_ns = change->time_ns;
	c->nr_dead++;
}

static void put_in(struct kernel_code *c, const struct kernel_code_change *change)
{
	uint64_t time_ns = change->time_ns;
	struct kernel_code_symbol *live = symbol_at(c, change->start, false, time_ns);
	struct kernel_code_symbol *dead = symbol_at(c, change->start, true, time_ns);

	if (dead && !dead->from_ns && dead->until_ns > time_ns &&
	    !strcmp(dead->name, change->name)) {
		dead->from_ns = time_ns; /* another CPU told of the end first */
		return;
	}
	/* Read at the start, and told of as well. */
	if (live && !live->from_ns && !strcmp(live->name, change->name)) {
		live->end = live->start + change->bytes;
		return;
	}
	/*
	 * There cannot be two at one place: one that was read as it went, or whose end comes
	 * later.
	 */
	if (live) {
		live->until_ns = time_ns;
		c->nr_dead++;
	}
	insert(c, change, time_ns, UINT64_MAX);
}

void kernel_code_change(struct kernel_code *c, const struct kernel_code_change *change)
{
	struct kernel_code_symbol *live;

	if (!change->bytes || change->bytes > MAX_CODE_BYTES ||
	    change->start > UINT64_MAX - change->bytes)
		return;
	if (change->bytes > c->max_bytes)
		c->max_bytes = change->bytes;
	if (change->time_ns > c->changed_ns)
		c->changed_ns = change->time_ns;
	c->nr_changes++;
	if (!change->name) {
		live = symbol_at(c, change->start, false, UINT64_MAX);
		if (live)
			live->end = live->start + change->bytes;
	} else if (change->is_gone) {
		take_out(c, change);
	} else {
		put_in(c, change);
	}
}

const struct kernel_code_symbol *kernel_code_find(const struct kernel_code *c, uint64_t addr,
						  uint64_t time_ns)
{
	const struct kernel_code_symbol *found = NULL;

	for (size_t i = nr_not_above(c, addr); i-- > 0;) {
		const struct kernel_code_symbol *s = &c->symbols[i];

		if (addr - s->start >= c->max_bytes)
			break;
		if (addr >= s->end || s->from_ns > time_ns)
			continue;
		if (!found || s->from_ns > found->from_ns ||
		    (s->from_ns == found->from_ns && s->until_ns < found->until_ns &&
		     s->until_ns >= time_ns))
			found = s;
	}
	if (!found || (is_dead(found) && time_ns > found->until_ns + GRACE_NS))
		return NULL;
	return found;
}

bool kernel_code_covers(const struct kernel_code *c, uint64_t addr)
{
	for (size_t i = nr_not_above(c, addr); i-- > 0;) {
		if (addr - c->symbols[i].start >= c->max_bytes)
			break;
		if (addr < c->symbols[i].end)
			return true;
	}
	return false;
}

uint64_t kernel_code_changed_ns(const struct kernel_code *c)
{
	return c->changed_ns;
}

uint64_t kernel_code_nr_changes(const struct kernel_code *c)
{
	return c->nr_changes;
}

void kernel_code_age(struct kernel_code *c, uint64_t now_ns)
{
	if (c->nr_dead && now_ns > KEPT_NS)
		remove_if(c, now_ns - KEPT_NS);
}

size_t kernel_code_nr(const struct kernel_code *c)
{
	return c->nr;
}

size_t kernel_code_bytes(const struct kernel_code *c)
{
	size_t bytes = sizeof(*c) + c->cap * sizeof(*c->symbols);

	for (size_t i = 0; i < c->nr; i++)
		bytes += strlen(c->symbols[i].name) + 1;
	return bytes;
}
