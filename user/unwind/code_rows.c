// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known is followed first; what that calls is known then.  What remains is guessed at, from
 * the lowest address on.
 */
#include "unwind/code_rows.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/code_insns.h"
#include "util/mem.h"

/* Some 35 ns each: somebody waits for the table of which these rows are a part. */
#define STEPS_PER_BYTE 24
#define MIN_STEPS      (1u << 16)
#define MAX_STEPS      (4u << 20)
#define MAX_ROUNDS     8
#define RETRY_ROUNDS   2 /* in which what was refused is followed again */
#define MAX_DECODED    (1u << 17)
#define MAX_PATH       64 /* instructions that are looked at before a guess is followed */

struct addresses {
	struct code_entry *items; /* sorted up to `nr_sorted` */
	size_t nr, cap, nr_sorted;
};

struct finder {
	struct code_world world;
	struct code_flow flow;
	struct code_rows *out;
	struct unwind_rules *rules;
	struct addresses known, endless, returning, taken;
	/* Functions of which more may be proved when more is known of what they call; the end of
	 * each is its enum code_begin. */
	struct addresses partial;
	bool is_process;
};

/* ---- sets of addresses -------------------------------------------------------------------- */

/* Of equal addresses the one whose end is known comes first. */
static int compare_entries(const void *left, const void *right)
{
	const struct code_entry *a = left, *b = right;

	if (a->addr != b->addr)
		return a->addr > b->addr ? 1 : -1;
	return (a->end < b->end) - (a->end > b->end);
}

static int compare_addresses(const void *left, const void *right)
{
	const struct code_entry *a = left, *b = right;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

static const struct code_entry *addresses_find(const struct addresses *a, uint64_t addr)
{
	const struct code_entry key = { .addr = addr };

	return a->nr_sorted ? bsearch(&key, a->items, a->nr_sorted, sizeof(key), compare_addresses)
			    : NULL;
}

static void addresses_add(struct addresses *a, uint64_t addr, uint64_t end)
{
	array_reserve(a->items, a->cap, a->nr + 1);
	a->items[a->nr++] = (struct code_entry){ addr, end };
}

/* Sorts what was added; true: something of it is new. */
static bool addresses_finish(struct addresses *a)
{
	size_t before = a->nr_sorted, n = 0;

	if (a->nr > a->nr_sorted)
		qsort(a->items, a->nr, sizeof(*a->items), compare_entries);
	for (size_t i = 0; i < a->nr; i++)
		if (!n || a->items[n - 1].addr != a->items[i].addr)
			a->items[n++] = a->items[i];
	a->nr = a->nr_sorted = n;
	return n != before;
}

/* ---- rows --------------------------------------------------------------------------------- */

static uint16_t *rule_at(const struct finder *f, uint64_t addr)
{
	const struct code_range *range = code_world_range(&f->world, addr);

	return range ? &f->out->rule[range - f->world.ranges][addr - range->start] : NULL;
}

static bool is_done(const struct finder *f, uint64_t addr)
{
	return *rule_at(f, addr) & CODE_ROWS_RULE;
}

static bool is_begin(const struct finder *f, uint64_t addr)
{
	const uint16_t *at = rule_at(f, addr);

	return at && *at & CODE_ROWS_BEGIN;
}

static bool is_entry(const void *ctx, uint64_t addr)
{
	const struct finder *f = ctx;

	return addresses_find(&f->known, addr) || is_begin(f, addr);
}

static bool has_return(const void *ctx, uint64_t addr)
{
	const struct finder *f = ctx;

	return addresses_find(&f->returning, addr);
}

static uint64_t end_of(const void *ctx, uint64_t addr)
{
	const struct finder *f = ctx;
	const struct code_entry *e = addresses_find(&f->known, addr);

	return e ? e->end : 0;
}

static bool is_endless(const void *ctx, uint64_t addr)
{
	const struct finder *f = ctx;

	return addresses_find(&f->endless, addr);
}

/* Code that functions share, and of which they say different things, has no rule. */
static void put_rule(struct finder *f, uint64_t addr, size_t len,
		     const struct eddy_unwind_rule *rule)
{
	uint32_t nr = unwind_rules_intern(f->rules, rule) + 1;
	uint16_t *at = rule_at(f, addr);

	if (nr > CODE_ROWS_RULE)
		nr = UNWIND_RULE_NONE + 1;
	for (size_t i = 0; i < len; i++) {
		uint16_t old = at[i] & CODE_ROWS_RULE, notes = at[i] ^ old;

		at[i] = (uint16_t)(notes | (!old || old == nr ? nr : UNWIND_RULE_NONE + 1));
	}
}

static void visit_insn(void *ctx, const struct code_insn *insn, const struct code_state *state)
{
	const struct x86_effect *e = &insn->effect;
	struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_STOP };
	struct finder *f = ctx;

	if (!f->is_process)
		rule = code_state_rule(state);
	put_rule(f, insn->addr, e->len, &rule);
	if (e->op == X86_CALL && e->target && code_world_range(&f->world, e->target))
		addresses_add(&f->known, e->target, 0);
	/* Where a function jumps out of itself with nothing of its own on the stack. */
	if ((e->op == X86_JUMP || e->op == X86_BRANCH) && e->target && code_state_is_entry(state) &&
	    !code_flow_is_own(&f->flow, e->target) && code_world_range(&f->world, e->target))
		addresses_add(&f->known, e->target, 0);
	if (e->op == X86_LEA && e->from == X86_NO_REG && code_world_range(&f->world, e->target))
		addresses_add(&f->taken, e->target, 0);
}

static bool follow(struct finder *f, uint64_t addr, enum code_begin begin)
{
	if (*rule_at(f, addr) & CODE_ROWS_NEVER)
		return false;
	if (!code_flow_run(&f->flow, addr, begin)) {
		if (begin == CODE_BEGIN_KNOWN && code_flow_is_foreign(&f->flow))
			*rule_at(f, addr) |= CODE_ROWS_NEVER;
		return false;
	}
	/* Without an end that is known, what does not return is for later. */
	if (begin == CODE_BEGIN_KNOWN && !f->flow.end && !f->flow.nr_returns && f->flow.nr_calls)
		return false;
	f->is_process = begin == CODE_BEGIN_PROCESS;
	code_flow_visit(&f->flow, visit_insn, f);
	f->out->nr_functions += !is_begin(f, addr);
	*rule_at(f, addr) |= CODE_ROWS_BEGIN;
	if (f->flow.nr_unproved)
		addresses_add(&f->partial, addr, begin);
	if (code_flow_is_endless(&f->flow))
		addresses_add(&f->endless, addr, 0);
	if (f->flow.nr_returns || f->flow.nr_onward)
		addresses_add(&f->returning, addr, 0);
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

static bool follow_restorer(struct finder *f, uint64_t addr)
{
	const struct code_range *range = code_world_range(&f->world, addr);
	size_t len = restorer_bytes(range->bytes + (addr - range->start), range->end - addr);

	if (!len)
		return false;
	put_rule(f, addr, len, &(struct eddy_unwind_rule){ .cfa = EDDY_CFA_SIGNAL });
	*rule_at(f, addr) |= CODE_ROWS_BEGIN;
	f->out->nr_functions++;
	return true;
}

/*
 * Stubs that resolve at the first call (psABI 5.2): push GOT[1]; jmp *GOT[2]; and then, for each
 * function, jmp *GOT[n]; push n; jmp to the first.
 */
static void follow_plt(struct finder *f, const struct code_range *range)
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
static bool follow_one(struct finder *f, uint64_t addr, bool is_retried)
{
	uint16_t *at = rule_at(f, addr);

	if (!at || is_begin(f, addr))
		return true;
	if (*at & CODE_ROWS_TRIED && !is_retried)
		return false;
	*at |= CODE_ROWS_TRIED;
	return follow_restorer(f, addr) || follow(f, addr, CODE_BEGIN_KNOWN);
}

/* Follows all that is known and not done, again and again until that leads to nothing new. */
static void follow_known(struct finder *f, bool is_retried)
{
	for (int round = 0; round < MAX_ROUNDS; round++, is_retried = false) {
		size_t nr = f->known.nr_sorted;
		bool is_new;

		f->out->nr_refused = 0;
		for (size_t i = 0; i < nr; i++)
			f->out->nr_refused += !follow_one(f, f->known.items[i].addr, is_retried);
		is_new = addresses_finish(&f->known);
		is_new |= addresses_finish(&f->endless);
		is_new |= addresses_finish(&f->returning);
		if (!is_new)
			break;
	}
}

/* What does not return: known functions that are left, and those whose address is taken. */
static void follow_endless(struct finder *f)
{
	const struct addresses *sets[] = { &f->known, &f->taken };

	addresses_finish(&f->taken);
	for (size_t set = 0; set < ARRAY_SIZE(sets); set++)
		for (size_t i = 0; i < sets[set]->nr_sorted; i++) {
			uint64_t addr = sets[set]->items[i].addr;

			if (code_world_range(&f->world, addr) && !is_begin(f, addr) &&
			    (!set || !is_done(f, addr)) && !follow_restorer(f, addr))
				follow(f, addr, CODE_BEGIN_ENDLESS);
		}
}

static uint64_t insn_end(struct finder *f, const struct code_range *range, uint64_t addr,
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
static bool ends_with_call(struct finder *f, const struct code_range *range,
			   const struct x86_effect *e, uint64_t end)
{
	uint64_t begin;

	if (e->op != X86_CALL || !(end & 15))
		return false;
	begin = code_skip_padding(&f->world, end);
	return begin > end && begin < range->end && !(begin & 15);
}

/* Behind the next instruction that control does not go on behind; at worst the next address. */
static uint64_t skip_block(struct finder *f, const struct code_range *range, uint64_t addr)
{
	struct x86_effect e;
	uint64_t end;

	for (; addr < range->end && !is_done(f, addr); addr = end) {
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
static uint64_t skip_rules(struct finder *f, const struct code_range *range, uint64_t addr)
{
	const uint16_t *at = rule_at(f, addr);
	uint64_t n = 0;

	while (addr + n < range->end && at[n] & CODE_ROWS_RULE)
		n++;
	f->world.nr_steps += n / 8;
	return addr + n;
}

/* Where something may begin: not padding, and not done. */
static uint64_t skip_done(struct finder *f, const struct code_range *range, uint64_t addr)
{
	struct x86_effect e;
	uint64_t end;

	while (addr < range->end) {
		if (is_done(f, addr)) {
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
static bool is_hopeless(struct finder *f, uint64_t begin)
{
	struct code_insn insn = { .addr = begin };
	const struct code_range *range;
	struct code_state state;

	code_state_begin(&state);
	for (int i = 0; i < MAX_PATH && insn.addr; i++, insn.addr = path_next(&insn)) {
		range = code_world_range(&f->world, insn.addr);
		if (!range || (i && is_entry(f, insn.addr)))
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

/* A guess that was refused once is refused again, but for few. */
static bool follow_guess(struct finder *f, uint64_t addr)
{
	uint16_t *at = rule_at(f, addr);

	if (*at & CODE_ROWS_TRIED)
		return false;
	*at |= CODE_ROWS_TRIED;
	return follow_restorer(f, addr) ||
	       (!is_hopeless(f, addr) && follow(f, addr, CODE_BEGIN_GUESSED));
}

/* The end of a function that is known to go over the address and was tried; 0: of none. */
static uint64_t end_of_known(const struct finder *f, uint64_t addr)
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

static void guess(struct finder *f, const struct code_range *range)
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

static void visit_calls(void *ctx, const struct code_insn *insn, const struct code_state *state)
{
	struct finder *f = ctx;

	if (insn->effect.op == X86_CALL && insn->effect.target)
		addresses_add(&f->known, insn->effect.target, 0);
}

/* What _start calls may stand right behind it, and the call does not return. */
static void follow_process(struct finder *f, uint64_t entry)
{
	if (code_flow_run(&f->flow, entry, CODE_BEGIN_PROCESS))
		code_flow_visit(&f->flow, visit_calls, f);
	addresses_finish(&f->known);
	follow(f, entry, CODE_BEGIN_PROCESS);
}

/* Again what was proved in part: more of what it calls may be known now. */
static void follow_again(struct finder *f)
{
	struct addresses again = f->partial;

	addresses_finish(&again);
	f->partial = (struct addresses){ 0 };
	for (size_t i = 0; i < again.nr; i++)
		follow(f, again.items[i].addr, (enum code_begin)again.items[i].end);
	free(again.items);
}

/* Sorts what was added; how much there is. */
static size_t count_known(struct finder *f)
{
	addresses_finish(&f->known);
	addresses_finish(&f->endless);
	addresses_finish(&f->returning);
	return f->known.nr + f->endless.nr + f->returning.nr;
}

static void follow_all(struct finder *f, uint64_t entry)
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
			guess(f, &f->world.ranges[i]);
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

void code_rows_find(const struct code_range *ranges, size_t nr_ranges,
		    const struct code_entries *entries, struct unwind_rules *rules,
		    struct code_rows *ret_rows)
{
	struct finder f = { .out = ret_rows, .rules = rules };
	uint64_t bytes = 0;

	*ret_rows = (struct code_rows){ .ranges = ranges, .nr_ranges = nr_ranges };
	f.world = (struct code_world){ .ranges = ranges,
				       .nr_ranges = nr_ranges,
				       .is_entry = is_entry,
				       .end_of = end_of,
				       .has_return = has_return,
				       .is_endless = is_endless,
				       .ctx = &f };
	ret_rows->rule = xcalloc(nr_ranges + 1, sizeof(*ret_rows->rule));
	for (size_t i = 0; i < nr_ranges; i++) {
		uint64_t len = ranges[i].end - ranges[i].start;

		ret_rows->rule[i] = xcalloc(len, sizeof(**ret_rows->rule));
		bytes += len;
	}
	f.world.max_steps = bytes * STEPS_PER_BYTE + MIN_STEPS;
	if (f.world.max_steps > MAX_STEPS)
		f.world.max_steps = MAX_STEPS;
	for (f.world.cap_decoded = 64; f.world.cap_decoded < bytes / 2;)
		f.world.cap_decoded *= 2;
	if (f.world.cap_decoded > MAX_DECODED)
		f.world.cap_decoded = MAX_DECODED;
	f.world.decoded = xcalloc(f.world.cap_decoded, sizeof(*f.world.decoded));
	for (size_t i = 0; i < entries->nr; i++)
		addresses_add(&f.known, entries->items[i].addr, entries->items[i].end);
	code_flow_init(&f.flow, &f.world);
	follow_all(&f, entries->process);
	ret_rows->nr_steps = f.world.nr_steps;
	code_flow_deinit(&f.flow);
	free(f.world.decoded);
	free(f.known.items);
	free(f.endless.items);
	free(f.returning.items);
	free(f.partial.items);
	free(f.taken.items);
}

void code_rows_deinit(struct code_rows *r)
{
	for (size_t i = 0; r->rule && i < r->nr_ranges; i++)
		free(r->rule[i]);
	free(r->rule);
	*r = (struct code_rows){ 0 };
}
