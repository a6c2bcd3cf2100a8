// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known is followed first; what that calls is known then.  What remains is guessed at, from
 * the lowest address on.
 */
#include "unwind/code_rows.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/code_functions.h"
#include "unwind/code_guess.h"
#include "unwind/code_insns.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

/* Some 35 ns each: somebody waits for the table of which these rows are a part. */
#define STEPS_PER_BYTE 24
#define MIN_STEPS      (1u << 16)
#define MAX_STEPS      (4u << 20)
#define MAX_ROUNDS     8
#define RETRY_ROUNDS   2 /* in which what was refused is followed again */
#define MAX_DECODED    (1u << 17)

/* ---- rows --------------------------------------------------------------------------------- */

static bool has_return(const void *ctx, uint64_t addr)
{
	const struct code_finder *f = ctx;

	return code_addresses_find(&f->returning, addr);
}

static uint64_t end_of(const void *ctx, uint64_t addr)
{
	const struct code_finder *f = ctx;
	const struct code_entry *e = code_addresses_find(&f->known, addr);

	return e ? e->end : 0;
}

static bool is_endless(const void *ctx, uint64_t addr)
{
	const struct code_finder *f = ctx;

	return code_addresses_find(&f->endless, addr);
}

/* Registers that a function leaves as they are, see code_flow_kept(). */
struct kept {
	uint64_t addr;
	uint16_t registers; /* not 0 */
};

static bool kept_table_is_used(const struct kept *k)
{
	return k->registers;
}

static uint64_t kept_table_hash(const void *nobody, const struct kept *k)
{
	return hash_u64(k->addr);
}

static bool kept_table_equals(const void *nobody, const struct kept *k, const uint64_t *addr)
{
	return k->addr == *addr;
}

DEFINE_TABLE(kept_table, struct kept, uint64_t, void)

static uint16_t kept_by(const void *ctx, uint64_t addr)
{
	const struct code_finder *f = ctx;
	const struct kept asked = { .addr = addr },
			  *k = kept_table_find(f->kept, NULL, kept_table_hash(NULL, &asked), &addr);

	return k ? k->registers : 0;
}

static void put_kept(struct code_finder *f, uint64_t addr)
{
	const struct kept kept = { addr, code_flow_kept(&f->flow) };
	bool is_new;

	if (kept.registers)
		*kept_table_get(f->kept, NULL, kept_table_hash(NULL, &kept), &addr, &is_new) = kept;
}

/* Code that functions share, and of which they say different things, has no rule. */
static void put_rule(struct code_finder *f, uint64_t addr, size_t len,
		     const struct eddy_unwind_rule *rule)
{
	uint32_t nr = unwind_rules_intern(f->rules, rule) + 1;
	uint16_t *at = code_finder_rule(f, addr);

	if (nr > CODE_ROWS_RULE)
		nr = UNWIND_RULE_NONE + 1;
	for (size_t i = 0; i < len; i++) {
		uint16_t old = at[i] & CODE_ROWS_RULE, notes = at[i] ^ old;

		at[i] = (uint16_t)(notes | (!old || old == nr ? nr : UNWIND_RULE_NONE + 1));
	}
}

static void put_owner(struct code_finder *f, uint64_t addr)
{
	const struct code_range *range = code_world_range(&f->world, addr);
	uint32_t *owner = &f->owner[range - f->world.ranges][addr - range->start];

	if (!*owner && f->followed >= range->start && f->followed < range->end)
		*owner = (uint32_t)(f->followed - range->start + 1);
}

static void visit_insn(void *ctx, const struct code_insn *insn, const struct code_state *state)
{
	const struct x86_effect *e = &insn->effect;
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_STOP }, waiting;
	struct code_finder *f = ctx;

	if (!f->is_process)
		rule = code_state_rule(state);
	waiting = rule;
	if (e->op == X86_CALL && rule.cfa >= EDDY_CFA_REG)
		waiting = code_state_rule_in_call(state, code_flow_kept_by_call(&f->flow, e));
	put_rule(f, insn->addr, e->len - 1u, &rule);
	/* A frame that waits in a call is looked for by its last byte. */
	put_rule(f, insn->addr + e->len - 1, 1, &waiting);
	if (f->owner)
		put_owner(f, insn->addr);
	if (e->op == X86_CALL && e->target && code_world_range(&f->world, e->target)) {
		code_addresses_add(&f->known, e->target, 0);
		code_addresses_add(&f->called, e->target, 0);
	}
	/* Where a function jumps out of itself with nothing of its own on the stack. */
	if ((e->op == X86_JUMP || e->op == X86_BRANCH) && e->target && code_state_is_entry(state) &&
	    !code_flow_is_own(&f->flow, e->target) && code_world_range(&f->world, e->target))
		code_addresses_add(&f->known, e->target, 0);
	if (e->op == X86_LEA && e->from == X86_NO_REG && code_world_range(&f->world, e->target))
		code_addresses_add(&f->taken, e->target, 0);
}

bool code_finder_follow(struct code_finder *f, uint64_t addr, enum code_begin begin)
{
	if (*code_finder_rule(f, addr) & CODE_ROWS_NEVER)
		return false;
	if (!code_flow_run(&f->flow, addr, begin)) {
		if (begin == CODE_BEGIN_KNOWN && code_flow_is_foreign(&f->flow))
			*code_finder_rule(f, addr) |= CODE_ROWS_NEVER;
		return false;
	}
	/* Without an end that is known, what does not return is for later. */
	if (begin == CODE_BEGIN_KNOWN && !f->flow.end && !f->flow.nr_returns && f->flow.nr_calls)
		return false;
	f->is_process = begin == CODE_BEGIN_PROCESS;
	f->followed = addr;
	code_flow_visit(&f->flow, visit_insn, f);
	f->out->nr_functions += !code_finder_is_begin(f, addr);
	*code_finder_rule(f, addr) |= CODE_ROWS_BEGIN;
	if (f->flow.nr_unproved)
		code_addresses_add(&f->partial, addr, begin);
	if (code_flow_is_endless(&f->flow))
		code_addresses_add(&f->endless, addr, 0);
	if (f->flow.nr_returns || f->flow.nr_onward)
		code_addresses_add(&f->returning, addr, 0);
	put_kept(f, addr);
	return true;
}

/* ---- what is known by its bytes ----------------------------------------------------------- */

/* rt_sigreturn: the kernel put the address of this code on top of the registers it saved. */
static size_t restorer_bytes(const uint8_t *code, size_t left)
{
	static const uint8_t with_rax[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t with_eax[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	if (left >= sizeof(with_rax) && !memcmp(code, with_rax, sizeof(with_rax)))
		return sizeof(with_rax);
	return left >= sizeof(with_eax) && !memcmp(code, with_eax, sizeof(with_eax))
		       ? sizeof(with_eax)
		       : 0;
}

bool code_finder_follow_restorer(struct code_finder *f, uint64_t addr)
{
	const struct code_range *range = code_world_range(&f->world, addr);
	size_t len = restorer_bytes(range->bytes + (addr - range->start), range->end - addr);

	if (!len)
		return false;
	put_rule(f, addr, len, &(struct eddy_unwind_rule){ .cfa = EDDY_CFA_SIGNAL });
	*code_finder_rule(f, addr) |= CODE_ROWS_BEGIN;
	f->out->nr_functions++;
	return true;
}

/*
 * Stubs that resolve at the first call (psABI 5.2): push GOT[1]; jmp *GOT[2]; and then, for each
 * function, jmp *GOT[n]; push n; jmp to the first.
 */
static void follow_plt(struct code_finder *f, const struct code_range *range)
{
	const uint8_t *code = range->bytes;
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_SP, .ra = EDDY_RA_CODE, .off = 16 };
	uint64_t bytes = range->end - range->start, at = 16;

	if (bytes < 32 || range->start & 15 || code[0] != 0xff || code[1] != 0x35 ||
	    code[6] != 0xff || code[7] != 0x25)
		return;
	for (; at + 16 <= bytes; at += 16)
		if (code[at] != 0xff || code[at + 1] != 0x25 || code[at + 6] != 0x68 ||
		    code[at + 11] != 0xe9)
			break;
	if (at == 16)
		return;
	f->out->nr_functions++;
	put_rule(f, range->start, 6, &rule);
	rule.off = 24;
	put_rule(f, range->start + 6, 10, &rule);
	rule.cfa = EDDY_CFA_PLT;
	rule.off = 8;
	rule.aux = 11;
	put_rule(f, range->start + 16, at - 16, &rule);
}

/* ---- the order ---------------------------------------------------------------------------- */

/* One that is known; true: it is done, or not here. */
static bool follow_one(struct code_finder *f, uint64_t addr, bool is_retried)
{
	uint16_t *at = code_finder_rule(f, addr);

	if (!at || code_finder_is_begin(f, addr))
		return true;
	if (*at & CODE_ROWS_TRIED && !is_retried)
		return false;
	*at |= CODE_ROWS_TRIED;
	return code_finder_follow_restorer(f, addr) ||
	       code_finder_follow(f, addr, CODE_BEGIN_KNOWN);
}

/* Follows all that is known and not done, again and again until that leads to nothing new. */
static void follow_known(struct code_finder *f, bool is_retried)
{
	for (int round = 0; round < MAX_ROUNDS; round++, is_retried = false) {
		size_t nr = f->known.nr_sorted;
		bool is_new;

		f->out->nr_refused = 0;
		for (size_t i = 0; i < nr; i++)
			f->out->nr_refused += !follow_one(f, f->known.items[i].addr, is_retried);
		is_new = code_addresses_finish(&f->known);
		is_new |= code_addresses_finish(&f->endless);
		is_new |= code_addresses_finish(&f->returning);
		if (!is_new)
			break;
	}
}

/* What does not return: known functions that are left, and those whose address is taken. */
static void follow_endless(struct code_finder *f)
{
	const struct code_addresses *sets[] = { &f->known, &f->taken };

	code_addresses_finish(&f->taken);
	for (size_t set = 0; set < ARRAY_SIZE(sets); set++)
		for (size_t i = 0; i < sets[set]->nr_sorted; i++) {
			uint64_t addr = sets[set]->items[i].addr;

			if (code_world_range(&f->world, addr) && !code_finder_is_begin(f, addr) &&
			    (!set || !code_finder_is_done(f, addr)) &&
			    !code_finder_follow_restorer(f, addr))
				code_finder_follow(f, addr, CODE_BEGIN_ENDLESS);
		}
}

static void visit_calls(void *ctx, const struct code_insn *insn, const struct code_state *state)
{
	struct code_finder *f = ctx;

	if (insn->effect.op == X86_CALL && insn->effect.target) {
		code_addresses_add(&f->known, insn->effect.target, 0);
		code_addresses_add(&f->called, insn->effect.target, 0);
	}
}

/* What _start calls may stand right behind it, and the call does not return. */
static void follow_process(struct code_finder *f, uint64_t entry)
{
	if (code_flow_run(&f->flow, entry, CODE_BEGIN_PROCESS))
		code_flow_visit(&f->flow, visit_calls, f);
	code_addresses_finish(&f->known);
	code_finder_follow(f, entry, CODE_BEGIN_PROCESS);
}

/* Again what was proved in part: more of what it calls may be known now. */
static void follow_again(struct code_finder *f)
{
	struct code_addresses again = f->partial;

	code_addresses_finish(&again);
	f->partial = (struct code_addresses){ 0 };
	for (size_t i = 0; i < again.nr; i++)
		code_finder_follow(f, again.items[i].addr, (enum code_begin)again.items[i].end);
	free(again.items);
}

/* Sorts what was added; how much there is. */
static size_t count_known(struct code_finder *f)
{
	code_addresses_finish(&f->known);
	code_addresses_finish(&f->endless);
	code_addresses_finish(&f->returning);
	return f->known.nr + f->endless.nr + f->returning.nr;
}

static void follow_all(struct code_finder *f, uint64_t entry)
{
	size_t before, nr;

	if (entry && code_world_range(&f->world, entry))
		follow_process(f, entry);
	for (size_t i = 0; i < f->world.nr_ranges; i++)
		follow_plt(f, &f->world.ranges[i]);
	nr = count_known(f);
	for (int round = 0; round < MAX_ROUNDS; round++) {
		before = nr;
		follow_known(f, round < RETRY_ROUNDS);
		for (size_t i = 0; i < f->world.nr_ranges && round < RETRY_ROUNDS; i++)
			code_guess(f, &f->world.ranges[i]);
		count_known(f);
		follow_endless(f);
		count_known(f);
		follow_again(f);
		nr = count_known(f);
		if (nr == before)
			break;
	}
	f->out->is_cut |= f->world.nr_steps >= f->world.max_steps;
}

/* The maps by the bytes of each range; how many bytes those have. */
static uint64_t make_maps(struct code_finder *f, bool want_functions)
{
	const struct code_range *ranges = f->world.ranges;
	const size_t nr = f->world.nr_ranges;
	uint64_t bytes = 0;

	f->out->rule = xcalloc(nr + 1, sizeof(*f->out->rule));
	if (want_functions)
		f->owner = xcalloc(nr + 1, sizeof(*f->owner));
	for (size_t i = 0; i < nr; i++) {
		uint64_t len = ranges[i].end - ranges[i].start;

		f->out->rule[i] = xcalloc(len, sizeof(**f->out->rule));
		if (f->owner)
			f->owner[i] = xcalloc(len, sizeof(**f->owner));
		bytes += len;
	}
	return bytes;
}

static void set_limits(struct code_world *w, uint64_t bytes)
{
	w->max_steps = bytes * STEPS_PER_BYTE + MIN_STEPS;
	if (w->max_steps > MAX_STEPS)
		w->max_steps = MAX_STEPS;
	for (w->cap_decoded = 64; w->cap_decoded < bytes / 2;)
		w->cap_decoded *= 2;
	if (w->cap_decoded > MAX_DECODED)
		w->cap_decoded = MAX_DECODED;
	w->decoded = xcalloc(w->cap_decoded, sizeof(*w->decoded));
}

static void finder_deinit(struct code_finder *f)
{
	for (size_t i = 0; f->owner && i < f->world.nr_ranges; i++)
		free(f->owner[i]);
	free(f->owner);
	code_flow_deinit(&f->flow);
	free(f->world.decoded);
	free(f->known.items);
	free(f->called.items);
	free(f->endless.items);
	free(f->returning.items);
	free(f->partial.items);
	free(f->taken.items);
}

void code_rows_find(const struct code_range *ranges, size_t nr_ranges,
		    const struct code_entries *entries, struct unwind_rules *rules,
		    struct code_rows *ret_rows)
{
	struct code_finder f = { .out = ret_rows, .rules = rules };
	struct kept_table kept;

	*ret_rows = (struct code_rows){ .ranges = ranges, .nr_ranges = nr_ranges };
	f.world = (struct code_world){ .ranges = ranges,
				       .nr_ranges = nr_ranges,
				       .is_entry = code_finder_is_entry,
				       .end_of = end_of,
				       .has_return = has_return,
				       .is_endless = is_endless,
				       .kept_by = kept_by,
				       .ctx = &f };
	set_limits(&f.world, make_maps(&f, entries->want_functions));
	for (size_t i = 0; i < entries->nr; i++) {
		code_addresses_add(&f.known, entries->items[i].addr, entries->items[i].end);
		code_addresses_add(&f.called, entries->items[i].addr, 0);
	}
	kept_table_init(&kept, 0);
	f.kept = &kept;
	code_flow_init(&f.flow, &f.world);
	follow_all(&f, entries->process);
	if (entries->want_functions) {
		code_addresses_finish(&f.called);
		code_addresses_finish(&f.taken);
		code_functions_find(&f);
	}
	ret_rows->nr_steps = f.world.nr_steps;
	finder_deinit(&f);
	kept_table_deinit(&kept);
}

void code_rows_deinit(struct code_rows *r)
{
	for (size_t i = 0; r->rule && i < r->nr_ranges; i++)
		free(r->rule[i]);
	free(r->rule);
	free(r->functions);
	*r = (struct code_rows){ 0 };
}
