/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When samples were taken: marks on their way from the sampler, in records of the ring and, at a
 * turn's end, in the map where each CPU collects them (include/sampler_abi.h).
 */
#ifndef EDDY_CAPTURE_MARKS_H
#define EDDY_CAPTURE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "sampler_abi.h"

typedef void (*mark_fn)(void *ctx, const struct eddy_mark *mark);

/* All marks of a record of so many bytes; what the record cannot hold is not believed. */
void marks_each(const struct eddy_marks_event *ev, size_t bytes, mark_fn take, void *ctx);
/*
 * Hands over what all CPUs have in the map of a turn that is over, and empties it.  0 or -errno.
 */
int marks_take(int fd, uint32_t turn, int nr_cpus, mark_fn take, void *ctx);

#endif
