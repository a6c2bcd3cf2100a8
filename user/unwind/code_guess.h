/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What finds functions in code, for the files that do: code_rows.c, code_guess.c. */
#ifndef EDDY_UNWIND_CODE_GUESS_H
#define EDDY_UNWIND_CODE_GUESS_H

#include "unwind/code_addresses.h"
#include "unwind/code_flow.h"
#include "unwind/code_rows.h"

struct code_finder {
	struct code_world world;
	struct code_flow flow;
	struct code_rows *out;
	struct unwind_rules *rules;
	struct code_addresses known, endless, returning, taken;
	struct code_addresses called; /* those of the known that no jump alone made known */
	/* Functions of which more may be proved when more is known of what they call; the end of
	 * each is its enum code_begin. */
	struct code_addresses partial;
	struct kept_table *kept; /* registers that functions leave as they are */
	uint64_t followed;	 /* the begin of the function that is noted */
	uint32_t **owner; /* by range, by byte: begin in the range, + 1, of what it was reached
			    * from first; NULL: not wanted */
	bool is_process;
};

static inline uint16_t *code_finder_rule(const struct code_finder *f, uint64_t addr)
{
	const struct code_range *range = code_world_range(&f->world, addr);

	return range ? &f->out->rule[range - f->world.ranges][addr - range->start] : NULL;
}

static inline bool code_finder_is_done(const struct code_finder *f, uint64_t addr)
{
	return *code_finder_rule(f, addr) & CODE_ROWS_RULE;
}

static inline bool code_finder_is_begin(const struct code_finder *f, uint64_t addr)
{
	const uint16_t *at = code_finder_rule(f, addr);

	return at && *at & CODE_ROWS_BEGIN;
}

static inline bool code_finder_is_entry(const void *ctx, uint64_t addr)
{
	const struct code_finder *f = ctx;

	return code_addresses_find(&f->known, addr) || code_finder_is_begin(f, addr);
}

/* Follows the function that begins there; true: it is proved, and its rules are noted. */
bool code_finder_follow(struct code_finder *f, uint64_t addr, enum code_begin begin);
/* The same of code that is known by its bytes: signals return there. */
bool code_finder_follow_restorer(struct code_finder *f, uint64_t addr);
/* Follows what may begin in the range and is not known, from its lowest address on. */
void code_guess(struct code_finder *f, const struct code_range *range);

#endif
