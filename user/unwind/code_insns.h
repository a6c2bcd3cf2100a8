/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions that control can reach in one function, and where blocks of them begin. */
#ifndef EDDY_UNWIND_CODE_INSNS_H
#define EDDY_UNWIND_CODE_INSNS_H

#include "unwind/code_flow.h"

/* NULL: none was reached there. */
struct code_insn *code_insn_find(const struct code_flow *f, uint64_t addr);
/* That behind it, and that which it goes to; NULL: none was reached there. */
struct code_insn *code_insn_next(const struct code_flow *f, struct code_insn *insn);
struct code_insn *code_insn_target(const struct code_flow *f, struct code_insn *insn);
/* Of an address that lies in a range; len 0: not understood. */
struct x86_effect code_decode(struct code_world *w, const struct code_range *range, uint64_t addr);
/* Is this another function's begin? */
bool code_is_elsewhere(const struct code_flow *f, uint64_t addr);
/* Adds all that can be reached from there, with its blocks; f->todo is empty then. */
void code_explore(struct code_flow *f, uint64_t addr);
/* The first address from there on that is not padding. */
uint64_t code_skip_padding(struct code_world *w, uint64_t addr);
void code_todo_add(struct code_flow *f, uint64_t item);
/* Forgets the function. */
void code_flow_clear(struct code_flow *f);

#endif
