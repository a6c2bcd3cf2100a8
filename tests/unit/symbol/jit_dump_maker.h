/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes jitdumps, by the words of their specification and not by our reader's. */
#ifndef EDDY_UNIT_SYMBOL_JIT_DUMP_MAKER_H
#define EDDY_UNIT_SYMBOL_JIT_DUMP_MAKER_H

#include <stdint.h>
#include <string.h>

#include "util/strbuf.h"

static inline void dump_number(struct strbuf *to, uint64_t value, size_t bytes)
{
	strbuf_add(to, &value, bytes); /* the machine's own order */
}

static inline void dump_begin(struct strbuf *to, uint32_t pid, uint64_t flags)
{
	dump_number(to, 0x4a695444, 4);
	dump_number(to, 1, 4);
	dump_number(to, 40, 4);
	dump_number(to, 62, 4);
	dump_number(to, 0, 4);
	dump_number(to, pid, 4);
	dump_number(to, 1, 8);
	dump_number(to, flags, 8);
}

/* A record of any kind with that much behind its first four words. */
static inline void dump_record(struct strbuf *to, uint32_t kind, uint64_t time_ns, size_t bytes)
{
	dump_number(to, kind, 4);
	dump_number(to, 16 + bytes, 4);
	dump_number(to, time_ns, 8);
}

struct dumped {
	uint32_t pid;
	uint64_t time_ns, start, bytes, index;
	const char *name;
};

static inline void dump_load(struct strbuf *to, const struct dumped *d)
{
	dump_record(to, 0, d->time_ns, 40 + strlen(d->name) + 1 + d->bytes);
	dump_number(to, d->pid, 4);
	dump_number(to, d->pid, 4);
	dump_number(to, d->start, 8);
	dump_number(to, d->start, 8);
	dump_number(to, d->bytes, 8);
	dump_number(to, d->index, 8);
	strbuf_add(to, d->name, strlen(d->name) + 1);
	for (uint64_t i = 0; i < d->bytes; i++)
		strbuf_addch(to, 'c'); /* is it taken for a name? */
}

static inline void dump_move(struct strbuf *to, const struct dumped *d, uint64_t old_start)
{
	dump_record(to, 1, d->time_ns, 48);
	dump_number(to, d->pid, 4);
	dump_number(to, d->pid, 4);
	dump_number(to, d->start, 8);
	dump_number(to, old_start, 8);
	dump_number(to, d->start, 8);
	dump_number(to, d->bytes, 8);
	dump_number(to, d->index, 8);
}

#endif
