/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map in which the sampler counts stacks.  Its counts only grow while it is in use.  Replacing
 * it waits until no program uses the old one (it hangs in an outer map, see bpf/maps.bpf.h), whose
 * counts are then final: so a window's end never counts a sample twice and never loses one.
 */
#ifndef EDDY_CAPTURE_COUNTS_H
#define EDDY_CAPTURE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler_abi.h"
#include "util/diag.h"

struct counts;

/* What stands in the map: the count since the map came into use, not since the last reading. */
typedef void (*counts_fn)(void *ctx, const struct eddy_stack_key *key, uint64_t count);

/* Makes a map of at most max_bytes of kernel memory and puts it into use. */
int counts_new(int outer_fd, uint64_t max_bytes, struct counts **ret_counts, struct diag *ret_diag);
void counts_free(struct counts *c); /* NULL is fine */

/* A stack was added to the map: how full it is, is known without reading it. */
void counts_stack_sent(struct counts *c);
/* Three quarters of the map are used. */
bool counts_is_filling(const struct counts *c);
/* Reads the map in use. */
int counts_take(struct counts *c, counts_fn take, void *ctx);
/* Puts an empty map into use. */
int counts_replace(struct counts *c);
/* Reads the map that was replaced, which nobody changes any more, and lets go of it. */
int counts_take_replaced(struct counts *c, counts_fn take, void *ctx);
/* Tells the maps apart whose counts take() gets: another number, counts from 0. */
uint32_t counts_generation(const struct counts *c);
uint64_t counts_nr_replaced(const struct counts *c);

#endif
