// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a function jumps by a table, the cases cannot be seen.  Each block that nothing else
 * reaches is then tried as one: it is, if it leads back to what is known, or to a `ret` that is
 * balanced.
 */
#include "unwind/code_cases.h"

#include <stdlib.h>

#include "unwind/code_insns.h"
#include "util/mem.h"

#define MAX_CASES  1024
#define MAX_ROUNDS 100

static int compare_addresses(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The ends of what is reached, where something else may begin; sorted, to be freed. */
static uint64_t *ends_of_runs(const struct code_flow *f, size_t *ret_nr)
{
	uint64_t *ends = xreallocarray(NULL, f->nr_insns + 1, sizeof(*ends));
	size_t nr = 0;

	for (size_t i = 0; i < f->nr_insns; i++) {
		struct code_insn *insn = &f->insns[i], *next;

		if (!insn->is_reached || !insn->effect.len)
			continue;
		next = code_insn_next(f, insn);
		if (!next || !next->is_reached)
			ends[nr++] = insn->addr + insn->effect.len;
	}
	f->world->nr_steps += f->nr_insns;
	qsort(ends, nr, sizeof(*ends), compare_addresses);
	*ret_nr = nr;
	return ends;
}

/*
 * Does an instruction lead out at once, or to one that does?  Not over a call that may not return:
 * what stands behind it may be of another function.
 */
static bool is_way_out(const struct code_flow *f, struct code_insn *insn)
{
	const struct code_insn *next = code_insn_next(f, insn), *target;
	const struct x86_effect *e = &insn->effect;

	if (e->op == X86_RETURN)
		return true;
	/* By a table: if its cases do. */
	if (e->op == X86_JUMP && !e->target)
		return !f->has_table || (insn->addr == f->table_jump && f->nr_roots > 1);
	if (e->op == X86_JUMP || e->op == X86_BRANCH) {
		target = code_insn_target(f, insn);
		if (!target || target->leads_out)
			return true;
	}
	if (e->op == X86_JUMP || e->op == X86_STOP ||
	    (e->op == X86_CALL &&
	     (!next || code_flow_is_endless_call(f, insn) || !code_flow_does_return(f, insn))))
		return false;
	return !next || next->leads_out;
}

void code_find_ways_out(struct code_flow *f)
{
	bool is_new = true;

	for (size_t i = 0; i < f->nr_insns; i++)
		f->insns[i].leads_out = false;
	for (int round = 0; round < MAX_ROUNDS && is_new; round++) {
		is_new = false;
		for (size_t i = f->nr_insns; i-- > 0;) {
			struct code_insn *insn = &f->insns[i];

			if (!insn->is_reached || insn->leads_out || !is_way_out(f, insn))
				continue;
			insn->leads_out = is_new = true;
		}
		f->world->nr_steps += f->nr_insns / 4;
	}
}

/* Leads it to where the function leaves with what it had saved before the case? */
static bool is_proof(const struct code_flow *f, struct code_insn *insn)
{
	const struct code_insn *next = code_insn_next(f, insn), *target;
	const struct x86_effect *e = &insn->effect;

	if (insn->restores)
		return true;
	if ((e->op == X86_JUMP || e->op == X86_BRANCH) && e->target) {
		target = code_insn_target(f, insn);
		if (target && target->proves)
			return true;
	}
	if (e->op == X86_JUMP || e->op == X86_STOP || e->op == X86_RETURN ||
	    (e->op == X86_CALL && code_flow_is_endless_call(f, insn)))
		return false;
	return next && next->proves;
}

/*
 * The same as leading out, to a return or to what was reached: leaving for another function, or a
 * return behind a call that may not return, is enough only with that proof.
 */
static bool is_join(const struct code_flow *f, struct code_insn *insn)
{
	const struct code_insn *next = code_insn_next(f, insn), *target;
	const struct x86_effect *e = &insn->effect;

	if (insn->was_reached || e->op == X86_RETURN || insn->proves)
		return true;
	if ((e->op == X86_JUMP || e->op == X86_BRANCH) && e->target) {
		target = code_insn_target(f, insn);
		if (target && target->joins)
			return true;
	}
	if (e->op == X86_JUMP || e->op == X86_STOP ||
	    (e->op == X86_CALL &&
	     (code_flow_is_endless_call(f, insn) || !code_flow_does_return(f, insn))))
		return false;
	return next && next->joins;
}

static void find_joins(struct code_flow *f, bool may_prove)
{
	bool is_new = true;

	for (size_t i = 0; i < f->nr_insns; i++)
		f->insns[i].joins = f->insns[i].proves = false;
	for (int round = 0; round < MAX_ROUNDS && is_new; round++) {
		is_new = false;
		for (size_t i = f->nr_insns; i-- > 0;) {
			struct code_insn *insn = &f->insns[i];

			if (!insn->is_reached)
				continue;
			if (may_prove && !insn->proves && is_proof(f, insn))
				insn->proves = is_new = true;
			if (!insn->joins && is_join(f, insn))
				insn->joins = is_new = true;
		}
		f->world->nr_steps += f->nr_insns / 4;
	}
}

/* Follows the function with further cases; false: they contradict the rest. */
static bool settle_with(struct code_flow *f, const uint64_t *cases, size_t nr)
{
	struct code_state state = f->table;

	code_find_ways_out(f);
	for (size_t i = 0; i < nr; i++) {
		code_explore(f, cases[i]);
		if (!code_insn_find(f, cases[i])) /* there is too much */
			return false;
	}
	for (size_t i = 0; i < f->nr_insns; i++)
		f->insns[i].was_reached = f->insns[i].is_reached && f->insns[i].leads_out;
	for (size_t i = 0; i < nr; i++)
		code_flow_add_root(f, cases[i], &state);
	return code_flow_settle(f) && f->has_table && !f->is_table_unclear;
}

/*
 * Which of several blocks are cases: most are, so all are tried together, then halves.  How many;
 * of those that are not all is as before.
 */
static size_t try_cases(struct code_flow *f, uint64_t *cases, size_t nr)
{
	size_t nr_roots = f->nr_roots, nr_endless = f->nr_endless, n = 0;
	bool is_settled;

	for (size_t i = 0; i < nr; i++) { /* what an earlier one has led to is no case */
		const struct code_insn *insn = code_insn_find(f, cases[i]);

		if (!insn || !insn->is_reached)
			cases[n++] = cases[i];
	}
	if (!n || f->has_failed)
		return 0;
	nr = n;
	is_settled = settle_with(f, cases, nr);
	n = 0;
	/* No proof, where a case fits only when calls before it do not return. */
	if (is_settled)
		find_joins(f, f->nr_endless == nr_endless);
	for (size_t i = 0; is_settled && i < nr; i++)
		if (code_insn_find(f, cases[i])->joins)
			cases[n++] = cases[i];
	if (is_settled && n == nr)
		return n;
	f->nr_roots = nr_roots;
	f->nr_endless = nr_endless;
	if (!code_flow_settle(f))
		return 0;
	if (is_settled)
		return try_cases(f, cases, n);
	if (nr == 1)
		return 0;
	n = try_cases(f, cases, nr / 2);
	return n + try_cases(f, cases + nr / 2, nr - nr / 2);
}

size_t code_find_cases(struct code_flow *f, size_t *nr_tried)
{
	_cleanup_free_ uint64_t *ends = NULL;
	size_t nr, n = 0;

	ends = ends_of_runs(f, &nr);
	for (size_t i = 0; i < nr; i++) {
		uint64_t addr = code_skip_padding(f->world, ends[i]);
		const struct code_insn *insn = code_insn_find(f, addr);

		if ((insn && insn->is_reached) || code_is_elsewhere(f, addr) ||
		    !code_world_range(f->world, addr) || (n && ends[n - 1] == addr))
			continue;
		ends[n++] = addr;
	}
	if (n > MAX_CASES - *nr_tried)
		n = MAX_CASES - *nr_tried;
	*nr_tried += n;
	return try_cases(f, ends, n);
}
