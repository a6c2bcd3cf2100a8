// SPDX-License-Identifier: GPL-2.0-or-later
/* Each instruction is decoded once and found by its address; all are forgotten together. */
#include "unwind/code_insns.h"

#include <stdlib.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

const struct code_range *code_world_range(const struct code_world *w, uint64_t addr)
{
	size_t low = 0, high = w->nr_ranges;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (w->ranges[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < w->nr_ranges && w->ranges[low].start <= addr ? &w->ranges[low] : NULL;
}

DEFINE_ID_TABLE(insn_numbers, uint64_t, struct code_flow)

static uint64_t addr_hash(uint64_t addr)
{
	return hash_mix(addr, 0);
}

static uint64_t insn_numbers_hash(const struct code_flow *f, const uint32_t *number)
{
	return addr_hash(f->insns[*number - 1].addr);
}

static bool insn_numbers_equals(const struct code_flow *f, const uint32_t *number,
				const uint64_t *addr)
{
	return f->insns[*number - 1].addr == *addr;
}

struct code_insn *code_insn_find(const struct code_flow *f, uint64_t addr)
{
	const uint32_t *number = insn_numbers_find(f->numbers, f, addr_hash(addr), &addr);

	return number ? &f->insns[*number - 1] : NULL;
}

static struct code_insn *by_link(const struct code_flow *f, uint64_t addr, uint32_t *link)
{
	struct code_insn *found;

	if (*link)
		return &f->insns[*link - 1];
	found = code_insn_find(f, addr);
	if (found)
		*link = (uint32_t)(found - f->insns) + 1;
	return found;
}

struct code_insn *code_insn_next(const struct code_flow *f, struct code_insn *insn)
{
	return by_link(f, insn->addr + insn->effect.len, &insn->next);
}

struct code_insn *code_insn_target(const struct code_flow *f, struct code_insn *insn)
{
	return by_link(f, insn->effect.target, &insn->target);
}

struct x86_effect code_decode(struct code_world *w, const struct code_range *range, uint64_t addr)
{
	struct code_decoded *d = w->decoded ? &w->decoded[addr & (w->cap_decoded - 1)] : NULL;
	struct x86_effect effect;

	w->nr_steps++;
	if (d && d->addr == addr && d->is_there)
		return d->effect;
	w->nr_steps += 4;
	if (!x86_effect_read(range->bytes + (addr - range->start), range->end - addr, addr,
			     &effect))
		effect.len = 0;
	if (d)
		*d = (struct code_decoded){ .addr = addr, .is_there = true, .effect = effect };
	return effect;
}

/* The instruction there, decoded now; NULL when there is no code or too much of it. */
static struct code_insn *insn_add(struct code_flow *f, uint64_t addr)
{
	const struct code_range *range = code_world_range(f->world, addr);
	struct code_insn *insn;

	f->is_too_large |= f->nr_insns >= f->max_insns || f->world->nr_steps >= f->world->max_steps;
	if (!range || f->is_too_large)
		return NULL;
	array_reserve(f->insns, f->cap_insns, f->nr_insns + 1);
	insn = &f->insns[f->nr_insns];
	*insn = (struct code_insn){ .addr = addr, .effect = code_decode(f->world, range, addr) };
	*insn_numbers_add(f->numbers, f, addr_hash(addr)) = (uint32_t)++f->nr_insns;
	return insn;
}

static void block_begin(struct code_flow *f, struct code_insn *insn)
{
	if (insn->block)
		return;
	array_reserve(f->blocks, f->cap_blocks, f->nr_blocks + 1);
	f->blocks[f->nr_blocks++] = (struct code_block){ .insn = (uint32_t)(insn - f->insns) };
	insn->block = (uint32_t)f->nr_blocks;
}

void code_todo_add(struct code_flow *f, uint64_t item)
{
	array_reserve(f->todo, f->cap_todo, f->nr_todo + 1);
	f->todo[f->nr_todo++] = item;
}

/* Is this another function's begin? */
bool code_is_elsewhere(const struct code_flow *f, uint64_t addr)
{
	return f->world->is_entry(f->world->ctx, addr) && addr != f->insns[0].addr;
}

/* A straight run of instructions up to one that ends it, or that is there already. */
static void explore_run(struct code_flow *f, uint64_t addr)
{
	const struct x86_effect *e;
	struct code_insn *insn;

	for (;; addr += e->len) {
		if (code_insn_find(f, addr) || (f->nr_insns && code_is_elsewhere(f, addr)))
			return;
		insn = insn_add(f, addr);
		if (!insn || !insn->effect.len)
			return;
		e = &insn->effect;
		if ((e->op == X86_JUMP || e->op == X86_BRANCH) && e->target)
			code_todo_add(f, e->target);
		if (e->op == X86_JUMP || e->op == X86_RETURN || e->op == X86_STOP ||
		    (e->op == X86_CALL && addr + e->len == f->end))
			return;
	}
}

/* All that can be reached from there, with its blocks. */
void code_explore(struct code_flow *f, uint64_t addr)
{
	size_t first = f->nr_insns;
	struct code_insn *target;

	f->nr_todo = 0;
	code_todo_add(f, addr);
	while (f->nr_todo)
		explore_run(f, f->todo[--f->nr_todo]);
	target = code_insn_find(f, addr);
	if (target)
		block_begin(f, target);
	for (size_t i = first; i < f->nr_insns; i++) {
		const struct x86_effect *e = &f->insns[i].effect;

		if (!e->len || (e->op != X86_JUMP && e->op != X86_BRANCH) || !e->target)
			continue;
		target = code_insn_target(f, &f->insns[i]);
		if (target)
			block_begin(f, target);
	}
}

uint64_t code_skip_padding(struct code_world *w, uint64_t addr)
{
	const struct code_range *range = code_world_range(w, addr);

	while (range && addr < range->end) {
		struct x86_effect e = code_decode(w, range, addr);

		if (!e.len || (e.op != X86_PAD && (e.op != X86_STOP || e.len != 1)))
			break;
		addr += e.len;
	}
	return addr;
}

void code_flow_init(struct code_flow *f, struct code_world *world)
{
	*f = (struct code_flow){ .world = world, .numbers = xmalloc(sizeof(*f->numbers)) };
	insn_numbers_init(f->numbers, CODE_FLOW_MAX_INSNS);
}

void code_flow_deinit(struct code_flow *f)
{
	free(f->insns);
	insn_numbers_deinit(f->numbers);
	free(f->numbers);
	free(f->blocks);
	free(f->todo);
	free(f->endless);
	free(f->roots);
}

void code_flow_clear(struct code_flow *f)
{
	insn_numbers_clear(f->numbers, f);
	f->is_too_large = false;
	f->nr_insns = f->nr_blocks = f->nr_todo = f->nr_endless = f->nr_roots = 0;
}
