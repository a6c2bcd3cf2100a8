// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What nothing tells of: code between functions that are known.  Something may begin where
 * something else ends.
 */
#include "unwind/code_guess.h"

#include <string.h>

#include "unwind/code_insns.h"

#define MAX_PATH 64 /* instructions that are looked at before a guess is followed */

static uint64_t insn_end(struct code_finder *f, const struct code_range *range, uint64_t addr,
			 struct x86_effect *e)
{
	*e = code_decode(&f->world, range, addr);
	return e->len ? addr + e->len : 0;
}

static bool is_padding(const struct x86_effect *e)
{
	return e->op == X86_PAD || (e->op == X86_STOP && e->len == 1);
}

/* Is an instruction the last, since it is a call with padding behind it up to where one aligns? */
static bool ends_with_call(struct code_finder *f, const struct code_range *range,
			   const struct x86_effect *e, uint64_t end)
{
	uint64_t begin;

	if (e->op != X86_CALL || !(end & 15))
		return false;
	begin = code_skip_padding(&f->world, end);
	return begin > end && begin < range->end && !(begin & 15);
}

/* Behind the next instruction that control does not go on behind; at worst the next address. */
static uint64_t skip_block(struct code_finder *f, const struct code_range *range, uint64_t addr)
{
	struct x86_effect e;
	uint64_t end;

	for (; addr < range->end && !code_finder_is_done(f, addr); addr = end) {
		end = insn_end(f, range, addr, &e);
		if (!end)
			return (addr | 15) + 1;
		if (e.op == X86_JUMP || e.op == X86_RETURN || e.op == X86_STOP ||
		    ends_with_call(f, range, &e, end))
			return end;
	}
	return addr;
}

/* To the end of instructions that have a rule. */
static uint64_t skip_rules(struct code_finder *f, const struct code_range *range, uint64_t addr)
{
	const uint16_t *at = code_finder_rule(f, addr);
	uint64_t n = 0;

	while (addr + n < range->end && at[n] & CODE_ROWS_RULE)
		n++;
	f->world.nr_steps += n / 8;
	return addr + n;
}

/* Where something may begin: not padding, and not done. */
static uint64_t skip_done(struct code_finder *f, const struct code_range *range, uint64_t addr)
{
	struct x86_effect e;
	uint64_t end;

	while (addr < range->end) {
		if (code_finder_is_done(f, addr)) {
			addr = skip_rules(f, range, addr);
			continue;
		}
		end = insn_end(f, range, addr, &e);
		if (!end || !is_padding(&e))
			break;
		addr = end;
	}
	return addr;
}

/* Where control goes on behind an instruction that was applied; 0: it is not known, or several. */
static uint64_t path_next(const struct code_insn *insn)
{
	const struct x86_effect *e = &insn->effect;

	switch (e->op) {
	case X86_CALL:
	case X86_STOP:
		return 0;
	case X86_JUMP:
		return e->target;
	default:
		return insn->addr + e->len;
	}
}

/*
 * Is a guess refused for what stands right behind it?  Most are in the middle of a function, and
 * on the first way that control takes a return shows it, for which all that can be reached need not
 * be followed.
 */
static bool is_hopeless(struct code_finder *f, uint64_t begin)
{
	struct code_insn insn = { .addr = begin };
	const struct code_range *range;
	struct code_state state;

	code_state_begin(&state);
	for (int i = 0; i < MAX_PATH && insn.addr; i++, insn.addr = path_next(&insn)) {
		range = code_world_range(&f->world, insn.addr);
		if (!range || (i && code_finder_is_entry(f, insn.addr)))
			return !code_state_is_entry(&state);
		insn.effect = code_decode(&f->world, range, insn.addr);
		if (!insn.effect.len)
			return true;
		if (insn.effect.op == X86_RETURN)
			return !code_state_is_entry(&state);
		code_state_apply(&state, &insn.effect);
	}
	return false;
}

/*
 * A guess is refused since it calls with an alignment of its own.  Of what it calls it may turn out
 * that it returns, and then the guess can be told: it is tried again in the next round.
 */
static void follow_callees(struct code_finder *f)
{
	uint64_t targets[CODE_FLOW_MAX_ODD_CALLEES];
	size_t nr = f->flow.nr_odd_callees;

	memcpy(targets, f->flow.odd_callees, nr * sizeof(*targets));
	for (size_t i = 0; i < nr; i++)
		if (code_finder_rule(f, targets[i]) && !code_finder_is_begin(f, targets[i]) &&
		    !is_hopeless(f, targets[i]))
			code_finder_follow(f, targets[i], CODE_BEGIN_GUESSED);
}

/* A guess that was refused once is refused again, but for few. */
static bool follow_guess(struct code_finder *f, uint64_t addr)
{
	uint16_t *at = code_finder_rule(f, addr);

	if (*at & CODE_ROWS_TRIED)
		return false;
	*at |= CODE_ROWS_TRIED;
	if (code_finder_follow_restorer(f, addr))
		return true;
	if (is_hopeless(f, addr))
		return false;
	if (code_finder_follow(f, addr, CODE_BEGIN_GUESSED))
		return true;
	if (!(addr & 15) && !f->flow.has_failed && f->flow.nr_odd_callees) {
		*at &= (uint16_t)~CODE_ROWS_TRIED;
		follow_callees(f);
	}
	return false;
}

/* The end of a function that is known to go over the address and was tried; 0: of none. */
static uint64_t end_of_known(const struct code_finder *f, uint64_t addr)
{
	size_t low = 0, high = f->known.nr_sorted;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->known.items[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && f->known.items[low - 1].end > addr ? f->known.items[low - 1].end : 0;
}

void code_guess(struct code_finder *f, const struct code_range *range)
{
	uint64_t addr = range->start, end;

	while (addr < range->end && f->world.nr_steps < f->world.max_steps) {
		addr = skip_done(f, range, addr);
		if (addr >= range->end)
			break;
		end = end_of_known(f, addr);
		if (end)
			addr = end;
		else if (!follow_guess(f, addr))
			addr = skip_block(f, range, addr);
	}
}
