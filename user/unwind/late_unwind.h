/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds a stack in user space from a copy of its bytes, with the same step as BPF.  For samples
 * that came before the table of one of their files, and for tests.
 */
#ifndef EDDY_UNWIND_LATE_UNWIND_H
#define EDDY_UNWIND_LATE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind_abi.h"

enum late_place_kind {
	LATE_PLACE_NONE,      /* no executable mapping */
	LATE_PLACE_ANONYMOUS, /* executable memory without a file */
	LATE_PLACE_NOTABLE,   /* a file without a table */
	LATE_PLACE_PENDING,   /* a file whose table is still not there */
	LATE_PLACE_TABLE,     /* `rule` is set */
};

/* What is known of an address. */
struct late_place {
	enum late_place_kind kind;
	uint32_t file;	   /* eddy_unwind_file.id; 0: none */
	uint64_t elf_addr; /* with a file */
	const struct eddy_unwind_rule *rule;
};

struct late_frame {
	uint64_t pc; /* stepped back into the call, except at the top and below signal frames */
	uint32_t file;
	uint64_t elf_addr;
};

/* A sample: registers at the interrupted instruction and a copy of the stack from some address. */
struct late_sample {
	int arch; /* enum eddy_unwind_arch */
	/* x86-64: all of gpr[] are used. */
	uint64_t gpr[EDDY_NR_GPRS];
	/* arm64; ra_mask as in eddy_unwind_state. */
	uint64_t pc, sp, fp, lr, ra_mask;
	/* From the red zone on (sp - 128): after "leave", CFI still finds rbp just below sp. */
	uint64_t stack_addr;
	const void *stack; /* stack_len bytes; reads outside end the stack with EDDY_END_FAULT */
	size_t stack_len;
	bool no_fp; /* no step by frame pointer: where there is no rule, the stack ends */
};

struct late_places {
	/* Tells what is at an address.  Addresses inside one sample repeat their mapping often. */
	void (*find)(void *ctx, uint64_t pc, struct late_place *ret_place);
	void *ctx;
};

struct late_stack {
	struct late_frame *frames; /* room for max_frames, innermost first */
	size_t max_frames;	   /* > 0 */
	size_t nr_frames;
	uint32_t nr_fp_steps;
	uint32_t nr_code_steps; /* by rules that were read out of code */
	uint64_t fault_addr;	/* with EDDY_END_FAULT */
	enum eddy_unwind_end end;
};

/*
 * Fills nr_frames (at least 1) and what follows it.  With EDDY_END_NOMAP the address that nothing
 * is mapped at is left out, unless it is the only one.
 */
void late_unwind(const struct late_sample *sample, const struct late_places *places,
		 struct late_stack *stack);

#endif
