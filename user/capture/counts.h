/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps in which the sampler counts stacks, one for even turns and one for odd ones (see
 * include/sampler_abi.h).  counts_turn() raises the turn and waits until no program is left that
 * began before: what the turn before has counted is then final and nobody touches it, and every
 * sample is in exactly one turn.
 */
#ifndef EDDY_CAPTURE_COUNTS_H
#define EDDY_CAPTURE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler_abi.h"
#include "util/clock.h"
#include "util/diag.h"

struct counts;

/* What stands in the map: all that was counted of that stack in the turn. */
typedef void (*counts_fn)(void *ctx, const struct eddy_stack_key *key,
			  const struct eddy_count *count);

/*
 * Makes the map of the first turn, of at most max_bytes of kernel memory, and puts it into use; the
 * second one is made when the first turn ends, and then there are two.  *turn is the program's
 * variable; it outlives the counts.
 */
int counts_new(int outer_fd, uint64_t max_bytes, uint32_t *turn, struct counts **ret_counts,
	       struct diag *ret_diag);
void counts_free(struct counts *c); /* NULL is fine */

/* A stack was added to the map: how full it is, is known without reading it. */
void counts_stack_sent(struct counts *c);
/* Three quarters of the map are used. */
bool counts_is_filling(const struct counts *c);

/* Makes what the next turn needs, so that beginning it takes no time; -errno when it cannot. */
int counts_prepare(struct counts *c);
/*
 * Ends the turn and begins the next, in which the map is empty.  When it returns no program of the
 * turn that ended runs any more.  *ret_when: when it ended.  -errno: the turn goes on, untouched,
 * but what was sampled meanwhile may have been counted for the next: it is to be taken.
 */
int counts_turn(struct counts *c, struct instant *ret_when);
/* Waits for programs too, but no other turn begins: for the end, when none will come. */
int counts_settle(struct counts *c);
/* Hands over what was counted in a turn that is over, or settled, and empties its map. */
int counts_take(struct counts *c, uint32_t turn, counts_fn take, void *ctx);

uint32_t counts_current(const struct counts *c); /* the turn that is on */

#endif
