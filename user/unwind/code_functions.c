// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * That code can be unwound as if a function began there does not make it one: a case of a `switch`
 * that nothing was pushed before is entered as functions are.  One way through the code, in the
 * order of its addresses, with what the function at hand jumps to.
 */
#include "unwind/code_functions.h"

#include "unwind/code_insns.h"
#include "util/mem.h"

#define ALIGNMENT   16
#define MAX_TARGETS 256

/* Noted for a byte of code, when all is found: jumps of the function at hand go there. */
#define IS_TARGET CODE_ROWS_TRIED

/* The function at hand, of a range that is walked. */
struct walk {
	struct code_finder *f;
	const struct code_range *range;
	bool goes_anywhere;	       /* it jumps to what is not known */
	uint64_t targets[MAX_TARGETS]; /* behind the jumps to them */
	size_t nr_targets;
};

static bool is_padding(const struct x86_effect *e)
{
	return e->op == X86_PAD || (e->op == X86_STOP && e->len == 1);
}

static bool is_jump(const struct x86_effect *e)
{
	return e->len && (e->op == X86_JUMP || e->op == X86_BRANCH);
}

/* By a table, or to a function whose address is in a register. */
static bool is_jump_anywhere(const struct x86_effect *e)
{
	return e->len && e->op == X86_JUMP && !e->target && e->imm != 1;
}

/* Where a walk goes on: behind the instruction, but not over a begin. */
static uint64_t next_of(const struct walk *w, uint64_t addr, size_t len)
{
	const uint64_t end = addr + (len ? len : 1);

	for (addr++; addr < end && addr < w->range->end; addr++)
		if (code_finder_is_begin(w->f, addr))
			break;
	return addr;
}

/* ---- begins ------------------------------------------------------------------------------- */

static bool is_ahead(const struct walk *w, uint64_t addr)
{
	for (size_t i = 0; i < w->nr_targets; i++)
		if (w->targets[i] == addr)
			return true;
	return false;
}

static bool is_function(const struct walk *w, uint64_t addr)
{
	if (code_addresses_find(&w->f->called, addr) || code_addresses_find(&w->f->taken, addr))
		return true;
	return !(addr % ALIGNMENT) && !w->goes_anywhere && !is_ahead(w, addr);
}

static void add_jump(struct walk *w, uint64_t addr, const struct x86_effect *e)
{
	w->goes_anywhere |= is_jump_anywhere(e);
	if (e->target <= addr || is_ahead(w, e->target))
		return;
	if (w->nr_targets == MAX_TARGETS)
		w->goes_anywhere = true;
	else
		w->targets[w->nr_targets++] = e->target;
}

static void find_begins(struct walk *w)
{
	struct code_rows *out = w->f->out;

	for (uint64_t addr = w->range->start, next; addr < w->range->end; addr = next) {
		struct x86_effect e = code_decode(&w->f->world, w->range, addr);

		if (code_finder_is_begin(w->f, addr) && is_function(w, addr)) {
			array_reserve(out->functions, out->cap_functions, out->nr_named + 1);
			out->functions[out->nr_named++] = (struct code_entry){ addr, 0 };
			w->goes_anywhere = false;
			w->nr_targets = 0;
		}
		if (is_jump(&e))
			add_jump(w, addr, &e);
		next = next_of(w, addr, e.len);
	}
}

/* ---- ends --------------------------------------------------------------------------------- */

/* Notes what the code from there on jumps to in itself. */
static void note_targets(struct walk *w, uint64_t start, uint64_t end)
{
	for (uint64_t addr = start, next; addr < end; addr = next) {
		struct x86_effect e = code_decode(&w->f->world, w->range, addr);

		if (is_jump(&e) && e.target >= start && e.target < end)
			*code_finder_rule(w->f, e.target) |= IS_TARGET;
		next = next_of(w, addr, e.len);
	}
}

static bool is_owned(const struct walk *w, uint64_t addr, uint64_t begin)
{
	const uint32_t *owner = w->f->owner[w->range - w->f->world.ranges];

	return owner[addr - w->range->start] == begin - w->range->start + 1;
}

/* Does the function go on behind an end of a block? */
static bool goes_on_at(const struct walk *w, uint64_t addr, uint64_t begin)
{
	if (!code_finder_is_done(w->f, addr))
		return false;
	if (is_owned(w, addr, begin))
		return true;
	return *code_finder_rule(w->f, addr) & IS_TARGET || (w->goes_anywhere && addr % ALIGNMENT);
}

/* Of a function: code that is proved, and that it goes to. */
static uint64_t find_end(struct walk *w, uint64_t begin, uint64_t limit)
{
	uint64_t end = begin, jumps_to = 0, next;
	bool has_ended = false;

	w->goes_anywhere = false;
	for (uint64_t addr = begin; addr < limit; addr = next) {
		struct x86_effect e = code_decode(&w->f->world, w->range, addr);

		next = next_of(w, addr, e.len);
		if (e.len && is_padding(&e)) {
			has_ended |= e.op == X86_STOP;
			continue;
		}
		/* Where there is nothing between, control would go on without a jump. */
		if (has_ended ? jumps_to == addr || !goes_on_at(w, addr, begin)
			      : !code_finder_is_done(w->f, addr))
			break;
		end = next;
		w->goes_anywhere |= is_jump_anywhere(&e);
		jumps_to = e.op == X86_JUMP ? e.target : 0;
		has_ended = e.op == X86_JUMP || e.op == X86_RETURN || e.op == X86_STOP;
	}
	return end;
}

static void find_ends(struct walk *w, struct code_entry *functions, size_t nr)
{
	for (uint64_t addr = w->range->start; addr < w->range->end; addr++)
		*code_finder_rule(w->f, addr) &= (uint16_t)~IS_TARGET;
	for (size_t i = 0; i < nr; i++) {
		uint64_t start = functions[i].addr,
			 limit = i + 1 < nr ? functions[i + 1].addr : w->range->end;

		note_targets(w, start, limit);
		functions[i].end = find_end(w, start, limit);
	}
}

void code_functions_find(struct code_finder *f)
{
	for (size_t i = 0; i < f->world.nr_ranges; i++) {
		struct walk w = { .f = f, .range = &f->world.ranges[i] };
		size_t before = f->out->nr_named;

		find_begins(&w);
		find_ends(&w, f->out->functions + before, f->out->nr_named - before);
	}
}
