// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop of the sampler once more, over a copy of the stack instead of the stack. */
#include "unwind/late_unwind.h"

#include <stdbool.h>
#include <string.h>

struct eddy_unwind_state;
static int late_read(struct eddy_unwind_state *s, void *dst, size_t size, uint64_t addr);

#define EDDY_UNWIND_READ(s, dst, size, addr) late_read(s, dst, size, addr)
#define EDDY_UNWIND_IS_CALLED(s, ra, arch)   true /* the copy has no code */
#include "unwind_step.h"

struct late_state {
	struct eddy_unwind_state s; /* first: late_read() gets a pointer to it */
	const struct late_sample *sample;
};

static int late_read(struct eddy_unwind_state *s, void *dst, size_t size, uint64_t addr)
{
	const struct late_sample *sample = ((struct late_state *)s)->sample;
	uint64_t into = addr - sample->stack_addr;

	if (into > sample->stack_len || size > sample->stack_len - into)
		return -1;
	memcpy(dst, (const char *)sample->stack + into, size);
	return 0;
}

static void begin(struct late_state *late)
{
	const struct late_sample *sample = late->sample;
	struct eddy_unwind_state *s = &late->s;

	memcpy(s->gpr, sample->gpr, sizeof(s->gpr));
	s->pc = sample->pc;
	s->sp = sample->sp;
	s->fp = sample->fp;
	s->lr = sample->lr;
	s->ra_mask = sample->ra_mask;
	eddy_unwind_begin(s, sample->arch);
}

/* By frame pointer, where that is allowed; `why` when not. */
static enum eddy_unwind_end fp_step(struct late_state *late, enum eddy_unwind_end why)
{
	if (late->sample->no_fp)
		return why;
	return (enum eddy_unwind_end)eddy_unwind_fp_step(&late->s, why, late->sample->arch);
}

static enum eddy_unwind_end step(struct late_state *late, const struct late_place *place)
{
	switch (place->kind) {
	case LATE_PLACE_TABLE:
		if (place->rule->cfa == EDDY_CFA_NONE)
			return fp_step(late, EDDY_END_NOINFO);
		return (enum eddy_unwind_end)eddy_unwind_step(&late->s, place->rule,
							      late->sample->arch);
	case LATE_PLACE_ANONYMOUS:
		return fp_step(late, EDDY_END_JIT);
	case LATE_PLACE_NOTABLE:
		return fp_step(late, EDDY_END_NOTABLE);
	case LATE_PLACE_PENDING:
		return EDDY_END_PENDING;
	default:
		return EDDY_END_NOMAP;
	}
}

void late_unwind(const struct late_sample *sample, const struct late_places *places,
		 struct late_stack *stack)
{
	struct late_state late = { .sample = sample };
	enum eddy_unwind_end end = EDDY_END_NONE;
	uint32_t nr_code = 0;
	size_t n = 0;

	begin(&late);
	while (end == EDDY_END_NONE && n < stack->max_frames) {
		uint64_t entry_pc = late.s.pc, pc = eddy_unwind_lookup_pc(&late.s, sample->arch);
		struct late_place place = { .kind = LATE_PLACE_NONE };

		places->find(places->ctx, pc, &place);
		stack->frames[n++] = (struct late_frame){ .pc = pc,
							  .file = place.file,
							  .elf_addr = place.elf_addr };
		end = step(&late, &place);
		nr_code += place.kind == LATE_PLACE_TABLE && place.rule->ra == EDDY_RA_CODE;
		/* A signal trampoline was not called: its address is its own. */
		if (place.kind == LATE_PLACE_TABLE && place.rule->cfa == EDDY_CFA_SIGNAL) {
			stack->frames[n - 1].pc += entry_pc - pc;
			stack->frames[n - 1].elf_addr += entry_pc - pc;
		}
	}
	if (end == EDDY_END_NOMAP && n > 1)
		n--;
	stack->nr_frames = n;
	stack->nr_fp_steps = late.s.nr_fp_steps;
	stack->nr_code_steps = nr_code;
	stack->fault_addr = late.s.fault_addr;
	stack->end = end == EDDY_END_NONE ? EDDY_END_DEPTH : end;
}
