// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two passes.  The first finds the instructions that can be reached and where blocks begin; the
 * second carries states along until nothing changes.  When a contradiction shows that a call does
 * not return, the second begins anew without what follows it.
 */
#include "unwind/code_flow.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/code_cases.h"
#include "unwind/code_insns.h"
#include "util/mem.h"

#define MAX_ENDLESS 64
/* Of a guess, by what can be reached from it: those that are refused may take long to. */
#define GUESS_STEPS(nr_insns) (1000 + 40 * (nr_insns))

/* ---- states ------------------------------------------------------------------------------- */

bool code_flow_is_endless_call(const struct code_flow *f, const struct code_insn *insn)
{
	for (size_t i = 0; i < f->nr_endless; i++)
		if (f->endless[i] == insn->addr)
			return true;
	return insn->effect.target && f->world->is_endless(f->world->ctx, insn->effect.target);
}

/* A contradiction.  If it rests on a call that returns, the call does not; else all is refused. */
static void contradict(struct code_flow *f, uint64_t call)
{
	if (!call || f->nr_endless == MAX_ENDLESS) {
		f->has_failed = true;
		return;
	}
	array_reserve(f->endless, f->cap_endless, f->nr_endless + 1);
	f->endless[f->nr_endless++] = call;
	f->is_again = true;
}

/* Control goes from a state to an instruction of ours; `call`: one that stands right before it. */
static void flow_into(struct code_flow *f, struct code_insn *to, const struct code_state *state,
		      uint64_t call)
{
	struct code_block *b = &f->blocks[to->block - 1];
	enum code_merge merge = CODE_MERGE_CHANGED;

	if (b->is_set) {
		merge = code_state_merge(&b->in, state);
	} else {
		b->is_set = true;
		b->in = *state;
		b->behind_call = call;
	}
	if (merge == CODE_MERGE_CONFLICT) {
		if (!call && !!state->call == !!b->in.call)
			call = b->behind_call;
		else if (!call)
			call = state->call ? state->call : b->in.call;
		contradict(f, call);
	}
	if (merge == CODE_MERGE_CHANGED && !b->is_queued) {
		b->is_queued = true;
		code_todo_add(f, to->block - 1);
	}
}

/* Assembly may change the caller's registers where it is known to begin; nothing else may. */
static void check_balance(struct code_flow *f, const struct code_state *state)
{
	bool is_strict = f->is_guessed || state->call;

	if (!code_state_is_balanced(state) || (is_strict && !code_state_is_entry(state)))
		contradict(f, state->call);
}

/* Control leaves for another function. */
static void flow_out(struct code_flow *f, struct code_insn *insn, const struct code_state *state)
{
	insn->restores = code_state_nr_restored(state) >= 2;
	check_balance(f, state);
	f->nr_leaves++;
}

static void flow_to(struct code_flow *f, struct code_insn *from, const struct code_state *state)
{
	struct code_insn *to = code_insn_target(f, from);

	if (!to) {
		f->nr_onward += f->world->has_return(f->world->ctx, from->effect.target);
		flow_out(f, from, state);
		return;
	}
	flow_into(f, to, state, 0);
}

static void flow_by_table(struct code_flow *f, struct code_insn *insn,
			  const struct code_state *state)
{
	if (insn->effect.imm || code_state_is_entry(state)) {
		f->is_stub |= insn->effect.imm == 1;
		f->is_open_ended |= !insn->effect.imm;
		flow_out(f, insn, state);
		return;
	}
	if (!f->has_table)
		f->table = *state;
	else if (code_state_merge(&f->table, state) == CODE_MERGE_CONFLICT)
		f->is_table_unclear = true;
	f->table_jump = !f->has_table || f->table_jump == insn->addr ? insn->addr : 0;
	f->has_table = true;
}

static void flow_return(struct code_flow *f, struct code_insn *insn, const struct code_state *state)
{
	insn->restores = code_state_nr_restored(state) >= 2;
	check_balance(f, state);
	f->nr_returns++;
	f->nr_plain_returns += !state->call;
	f->nr_restoring += insn->restores;
}

bool code_flow_does_return(const struct code_flow *f, const struct code_insn *insn)
{
	uint64_t target = insn->effect.target;

	return target && f->world->has_return(f->world->ctx, target);
}

uint16_t code_flow_kept_by_call(const struct code_flow *f, const struct x86_effect *call)
{
	return call->target ? f->world->kept_by(f->world->ctx, call->target) : 0;
}

/* What is behind a call rests on that it returns, unless that is known. */
static void apply_call(const struct code_flow *f, const struct code_insn *insn,
		       struct code_state *state)
{
	code_state_call(state, code_flow_kept_by_call(f, &insn->effect));
	if (!code_flow_does_return(f, insn))
		state->call = insn->addr;
}

static void note_odd_call(struct code_flow *f, const struct code_insn *insn)
{
	uint64_t target = insn->effect.target;

	if (code_flow_does_return(f, insn)) {
		f->is_odd = true;
		return;
	}
	f->is_misaligned = true;
	if (target && f->nr_odd_callees < CODE_FLOW_MAX_ODD_CALLEES)
		f->odd_callees[f->nr_odd_callees++] = target;
}

/* One instruction; false: control does not go on behind it. */
static bool flow_step(struct code_flow *f, struct code_insn *insn, struct code_state *state)
{
	const struct x86_effect *e = &insn->effect;

	insn->is_reached = true;
	f->uses_callers |= e->uses && code_state_callers(state, e->uses);
	switch (e->len ? e->op : X86_STOP) {
	case X86_RETURN:
		flow_return(f, insn, state);
		return false;
	case X86_STOP:
		if (!e->len)
			contradict(f, state->call);
		return false;
	case X86_JUMP:
		if (e->target)
			flow_to(f, insn, state);
		else
			flow_by_table(f, insn, state);
		return false;
	case X86_CALL:
		f->nr_calls++;
		if (!code_state_is_aligned(state))
			note_odd_call(f, insn);
		if (e->target == insn->addr + e->len) { /* it only asks where it is */
			contradict(f, state->call);
			return false;
		}
		if (code_flow_is_endless_call(f, insn))
			return false;
		apply_call(f, insn, state);
		return true;
	default:
		code_state_apply(state, e);
		if (e->op == X86_BRANCH)
			flow_to(f, insn, state);
		return true;
	}
}

static void flow_block(struct code_flow *f, uint32_t block)
{
	struct code_insn *insn = &f->insns[f->blocks[block].insn], *next;
	struct code_state state = f->blocks[block].in;

	f->blocks[block].is_queued = false;
	while (!f->has_failed && !f->is_again) {
		bool is_call = insn->effect.op == X86_CALL;

		if (f->world->nr_steps++ >= f->max_steps)
			f->has_failed = true;
		if (!flow_step(f, insn, &state) || f->has_failed || f->is_again)
			return;
		next = code_insn_next(f, insn);
		if (!next) { /* what ends with a call ends with one that does not return */
			if (!is_call)
				flow_out(f, insn, &state);
			return;
		}
		if (next->block) {
			flow_into(f, next, &state, is_call ? insn->addr : 0);
			return;
		}
		insn = next;
	}
}

static void pass_begin(struct code_flow *f)
{
	f->nr_todo = 0;
	f->is_again = f->has_table = f->is_table_unclear = false;
	f->is_odd = f->is_misaligned = f->is_stub = f->is_open_ended = f->uses_callers = false;
	f->nr_returns = f->nr_plain_returns = f->nr_onward = f->nr_leaves = f->nr_calls = 0;
	f->nr_restoring = f->nr_odd_callees = 0;
	f->world->nr_steps += f->nr_insns / 8;
	for (size_t i = 0; i < f->nr_blocks; i++) {
		f->blocks[i].is_set = f->blocks[i].is_queued = false;
		f->blocks[i].behind_call = 0;
	}
	for (size_t i = 0; i < f->nr_insns; i++)
		f->insns[i].is_reached = f->insns[i].restores = false;
}

bool code_flow_settle(struct code_flow *f)
{
	f->has_failed = false;
	do {
		pass_begin(f);
		for (size_t i = 0; i < f->nr_roots && !f->has_failed && !f->is_again; i++)
			flow_into(f, &f->insns[f->roots[i].insn], &f->roots[i].state, 0);
		while (f->nr_todo && !f->has_failed && !f->is_again)
			flow_block(f, (uint32_t)f->todo[--f->nr_todo]);
	} while (f->is_again && !f->has_failed);
	return !f->has_failed;
}

void code_flow_add_root(struct code_flow *f, uint64_t addr, const struct code_state *state)
{
	struct code_insn *insn = code_insn_find(f, addr);

	array_reserve(f->roots, f->cap_roots, f->nr_roots + 1);
	f->roots[f->nr_roots++] =
		(struct code_root){ .insn = (uint32_t)(insn - f->insns), .state = *state };
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* An instruction of the function, from its entry on. */
struct reached {
	uint64_t start, end;
	bool leads_out;
};

static int compare_reached(const void *left, const void *right)
{
	const struct reached *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/*
 * Where the function ends at the earliest: what it has on both sides, with nothing between that
 * is not reached but padding, is its own.
 */
static uint64_t find_own_end(const struct code_flow *f)
{
	uint64_t entry = f->insns[0].addr, at = entry, end = entry;
	_cleanup_free_ struct reached *sorted = NULL;
	size_t nr = 0;

	sorted = xreallocarray(NULL, f->nr_insns, sizeof(*sorted));
	for (size_t i = 0; i < f->nr_insns; i++) {
		const struct code_insn *insn = &f->insns[i];

		if (insn->is_reached && insn->addr >= entry)
			sorted[nr++] = (struct reached){ insn->addr, insn->addr + insn->effect.len,
							 insn->leads_out };
	}
	qsort(sorted, nr, sizeof(*sorted), compare_reached);
	for (size_t i = 0; i < nr; i++) {
		if (sorted[i].start > at && code_skip_padding(f->world, at) < sorted[i].start)
			break;
		at = sorted[i].end;
		if (sorted[i].leads_out)
			end = at;
	}
	return end;
}

static bool is_proved(const struct code_flow *f, enum code_begin begin)
{
	bool is_aligned = f->nr_calls && !f->is_misaligned && !f->is_odd;
	bool is_inside = f->insns[0].addr & 15; /* functions begin at aligned addresses */

	if (code_flow_is_foreign(f))
		return begin == CODE_BEGIN_PROCESS;
	if (begin == CODE_BEGIN_KNOWN || begin == CODE_BEGIN_PROCESS)
		return true;
	if (begin == CODE_BEGIN_ENDLESS)
		return is_aligned;
	if (f->is_stub && f->nr_insns <= 2)
		return true;
	/*
	 * A jump to anywhere may be one by a table in the middle of a function.  The rest may be
	 * reached by a branch that is never taken: compilers point those that cannot be at what
	 * happens to come next.  Assembly calls parts of itself with any alignment.
	 */
	if (f->is_odd && (is_inside || !(f->nr_plain_returns || f->nr_restoring)))
		return false;
	if (f->is_misaligned && (is_inside || !f->nr_restoring))
		return false;
	return !f->is_open_ended && (f->nr_plain_returns || f->nr_restoring ||
				     (is_aligned && (f->nr_returns || f->nr_leaves)));
}

bool code_flow_run(struct code_flow *f, uint64_t entry, enum code_begin begin)
{
	struct code_state state;
	size_t nr_tried = 0;

	code_flow_clear(f);
	f->is_guessed = begin == CODE_BEGIN_GUESSED || begin == CODE_BEGIN_ENDLESS;
	f->max_insns = f->is_guessed ? CODE_FLOW_MAX_GUESSED_INSNS : CODE_FLOW_MAX_INSNS;
	f->end = f->world->end_of(f->world->ctx, entry);
	code_explore(f, entry);
	if (!f->nr_insns)
		return false;
	f->max_steps = f->world->max_steps;
	if (f->is_guessed && f->world->nr_steps + GUESS_STEPS(f->nr_insns) < f->max_steps)
		f->max_steps = f->world->nr_steps + GUESS_STEPS(f->nr_insns);
	code_state_begin(&state);
	code_flow_add_root(f, entry, &state);
	if (!code_flow_settle(f))
		return false;
	while (begin != CODE_BEGIN_PROCESS && f->has_table && !f->is_table_unclear &&
	       code_find_cases(f, &nr_tried))
		;
	if (f->has_failed || f->is_too_large || !is_proved(f, begin))
		return false;
	code_find_ways_out(f);
	f->are_all_proved = begin == CODE_BEGIN_PROCESS;
	f->own_end = f->end ? f->end : find_own_end(f);
	return true;
}

bool code_flow_is_foreign(const struct code_flow *f)
{
	return !f->has_failed && f->uses_callers &&
	       !(f->is_guessed ? f->nr_plain_returns : f->nr_returns);
}

bool code_flow_is_endless(const struct code_flow *f)
{
	return !f->nr_returns && !f->nr_leaves && !f->has_table && !f->nr_endless;
}

uint16_t code_flow_kept(const struct code_flow *f)
{
	uint16_t written = 0;

	if (f->nr_calls || f->nr_leaves || f->has_table || !f->nr_returns)
		return 0;
	for (size_t i = 0; i < f->nr_insns; i++)
		if (f->insns[i].is_reached)
			written |= x86_effect_writes(&f->insns[i].effect);
	return (uint16_t)~written;
}

bool code_flow_is_own(const struct code_flow *f, uint64_t addr)
{
	return f->are_all_proved || (addr >= f->insns[0].addr && addr < f->own_end);
}

void code_flow_visit(struct code_flow *f,
		     void (*visit)(void *ctx, const struct code_insn *insn,
				   const struct code_state *state),
		     void *ctx)
{
	f->nr_unproved = 0;
	for (size_t i = 0; i < f->nr_blocks; i++) {
		struct code_insn *insn = &f->insns[f->blocks[i].insn];
		struct code_state state = f->blocks[i].in;

		while (f->blocks[i].is_set && insn && insn->effect.len) {
			if (!state.call || insn->leads_out || code_flow_is_own(f, insn->addr))
				visit(ctx, insn, &state);
			else
				f->nr_unproved++;
			if (insn->effect.op == X86_JUMP || insn->effect.op == X86_RETURN ||
			    insn->effect.op == X86_STOP ||
			    (insn->effect.op == X86_CALL && code_flow_is_endless_call(f, insn)))
				break;
			if (insn->effect.op == X86_CALL)
				apply_call(f, insn, &state);
			else
				code_state_apply(&state, &insn->effect);
			insn = code_insn_next(f, insn);
			if (insn && insn->block)
				break;
		}
	}
}
