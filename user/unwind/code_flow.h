/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function, by its code: all instructions that control reaches from its entry are followed
 * (code_state.h), and what is found is believed only if it is a proof:
 *
 *   - every instruction on the way is understood,
 *   - where two ways meet the stack pointer is the same,
 *   - at every `ret`, and every jump to another function, it is that of the entry.
 *
 * A `ret` takes its address from where the stack pointer is, so a height that was followed from a
 * wrong begin does not come out there.  That is why even a begin that is only guessed is proved
 * when a `ret` is reached with all of the caller's registers back in place.
 *
 * That a call returns is not known.  Where what follows it contradicts the rest, it does not; and
 * what follows it is proved only if it leads to a return itself.  Nor does a return behind a call
 * prove what is before it, but with it that the stack is aligned at each call, as the ABI has it:
 * it is so from a begin, and it is not in the middle of a function.  Assembly calls with any
 * alignment.  There the return proves it when it comes with two registers of the caller that were
 * saved before the call: what stands behind a call that does not return saved them elsewhere.
 */
#ifndef EDDY_UNWIND_CODE_FLOW_H
#define EDDY_UNWIND_CODE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/code_state.h"
#include "util/cleanup.h"

/* Code at ELF addresses, as far as nothing else tells of it. */
struct code_range {
	uint64_t start, end;
	const uint8_t *bytes;
};

/* How it is known that a function begins there. */
enum code_begin {
	CODE_BEGIN_KNOWN,   /* by a symbol, or a call */
	CODE_BEGIN_ENDLESS, /* the same, or its address is taken; and it does not return */
	CODE_BEGIN_GUESSED, /* something ends before it */
	CODE_BEGIN_PROCESS, /* _start */
};

struct code_world {
	const struct code_range *ranges; /* rising, apart */
	size_t nr_ranges;
	/* Whether a function is known to begin there, where it ends (0: not known), and whether it
	 * is one that never returns, or one that does. */
	bool (*is_entry)(const void *ctx, uint64_t addr);
	uint64_t (*end_of)(const void *ctx, uint64_t addr);
	bool (*is_endless)(const void *ctx, uint64_t addr);
	bool (*has_return)(const void *ctx, uint64_t addr);
	/* Registers that one is known to leave as they are, as code_flow_kept(). */
	uint16_t (*kept_by)(const void *ctx, uint64_t addr);
	const void *ctx;
	/* Work: about one for an instruction that is followed, again each time. */
	uint64_t nr_steps, max_steps;
	struct code_decoded
		*decoded; /* of cap_decoded, a power of two; NULL: all is decoded anew */
	size_t cap_decoded;
};

/* NULL: nothing there. */
const struct code_range *code_world_range(const struct code_world *w, uint64_t addr);

/* An instruction as it was decoded before: most are looked at several times. */
struct code_decoded {
	uint64_t addr;
	struct x86_effect effect; /* len 0: not understood */
	bool is_there;
};

struct code_insn {
	uint64_t addr;
	struct x86_effect effect; /* len 0: not understood */
	uint32_t block;		  /* number + 1 of the block that begins here */
	uint32_t next, target;	  /* number + 1 of those; 0: not known yet, ask code_insn_next() */
	bool is_reached, was_reached;
	bool leads_out; /* to a return, or to another function */
	bool joins;	/* leads to a return, or to what was reached */
	bool restores;	/* leaves with two registers of the caller that were saved and taken back */
	bool proves;	/* leads to such a one */
};

struct code_block {
	uint32_t insn;
	bool is_set, is_queued;
	uint64_t behind_call; /* its state came from this call right before it; 0: not */
	struct code_state in;
};

#define CODE_FLOW_MAX_ODD_CALLEES 8

struct code_flow {
	struct code_world *world;
	struct code_insn *insns;
	size_t nr_insns, cap_insns;
	struct insn_numbers *numbers; /* of instructions, + 1, by their addresses */
	struct code_block *blocks;
	size_t nr_blocks, cap_blocks;
	uint64_t *todo; /* addresses to explore, blocks to run */
	size_t nr_todo, cap_todo;
	uint64_t *endless; /* calls that cannot return */
	size_t nr_endless, cap_endless;
	struct code_root {
		uint32_t insn;
		struct code_state state;
	} * roots;
	size_t nr_roots, cap_roots;
	struct code_state table; /* at a jump by a table; table.reg[X86_SP] unknown: none */
	uint64_t table_jump;	 /* the one that this is of */
	bool has_table, is_table_unclear;
	uint64_t end;	  /* of the function, 0: not known */
	uint64_t own_end; /* all before it is the function's */
	size_t max_insns;
	uint64_t max_steps; /* of the world's */
	bool is_guessed, has_failed, is_again, is_too_large;
	size_t nr_unproved; /* instructions that code_flow_visit() did not tell of */
	size_t nr_onward;   /* jumps to functions that return */
	size_t nr_returns, nr_plain_returns, nr_leaves, nr_calls;
	/* What is called with the stack not aligned, and is not known to return. */
	uint64_t odd_callees[CODE_FLOW_MAX_ODD_CALLEES];
	size_t nr_odd_callees;
	size_t nr_restoring; /* returns with two registers that were saved and taken back */
	bool is_misaligned, is_odd, is_stub, is_open_ended, are_all_proved;
	bool uses_callers; /* it takes something by what its caller has in registers of his own */
};

#define CODE_FLOW_MAX_INSNS	    20000
#define CODE_FLOW_MAX_GUESSED_INSNS 6000

void code_flow_init(struct code_flow *f, struct code_world *world);
void code_flow_deinit(struct code_flow *f);
#define _cleanup_code_flow_ _cleanup_(code_flow_deinit)

/* Follows the function that begins there; true: what was found is proved. */
bool code_flow_run(struct code_flow *f, uint64_t entry, enum code_begin begin);

/*
 * Refused, since it needs what its caller has in registers of his own, and does not return: code
 * that other compilers pass control between by jumps alone, as Haskell's do, has a stack of its own
 * in such a register, and begins with no return address on ours.
 */
bool code_flow_is_foreign(const struct code_flow *f);
/* After a success: the function is known to have that, so that it cannot be another's. */
bool code_flow_is_own(const struct code_flow *f, uint64_t addr);
/* After a success: nothing in it returns or goes to another function. */
bool code_flow_is_endless(const struct code_flow *f);
/*
 * After a success: registers that the function writes nothing to, nor anything else on its behalf,
 * for it calls nothing; 0: that cannot be said.
 */
uint16_t code_flow_kept(const struct code_flow *f);
/* Registers that a call is known to leave as they are, beyond what the ABI says. */
uint16_t code_flow_kept_by_call(const struct code_flow *f, const struct x86_effect *call);
/* After a success: tells of every instruction that is proved and the state before it. */
void code_flow_visit(struct code_flow *f,
		     void (*visit)(void *ctx, const struct code_insn *insn,
				   const struct code_state *state),
		     void *ctx);

#endif
