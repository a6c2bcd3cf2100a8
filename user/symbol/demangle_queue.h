/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mangled names of frames on their way to a parser.  One name at a time would cost two processes a
 * wake-up each; so a frame has its mangled name until enough have come together, or somebody wants
 * to see them.
 *
 * A parser that a name keeps busy for too long is killed, that name stays mangled, and the next
 * parser has the others.  Each owner has a share of the time that goes into names in a minute.
 */
#ifndef EDDY_SYMBOL_DEMANGLE_QUEUE_H
#define EDDY_SYMBOL_DEMANGLE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/frame.h"
#include "util/limit.h"
#include "util/worker_pool.h"

struct demangle_queue;

struct demangle_queue *demangle_queue_new(struct worker_pool *pool);
void demangle_queue_free(struct demangle_queue *q); /* NULL is fine */
/* Another one than demangle_batch_parse(): for tests. */
void demangle_queue_set_parser(struct demangle_queue *q, worker_fn parse);

/*
 * Takes a name, on account of that owner, which demangle_is_mangled().  True: it is time for
 * demangle_queue_run().
 */
bool demangle_queue_add(struct demangle_queue *q, owner_id owner, const char *name, frame_id frame);

/* What has become of a frame's name; NULL: it stays mangled. */
typedef void (*demangle_queue_fn)(void *ctx, frame_id frame, const char *name, size_t len);

/*
 * Has all names read and calls fn(ctx, ...) once for each.  Waits for parsers: 0.3 s for one, and
 * for those of an owner no longer than his share, 2 s a minute for all.
 */
void demangle_queue_run(struct demangle_queue *q, demangle_queue_fn fn, void *ctx);

/* Adds the bounds that were met. */
void demangle_queue_add_limits(const struct demangle_queue *q, struct limit_counts *to);
size_t demangle_queue_bytes(const struct demangle_queue *q); /* memory held */

#endif
