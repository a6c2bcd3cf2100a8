/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cases of a jump by a table, and what both these and code_flow.c ask of a function. */
#ifndef EDDY_UNWIND_CODE_CASES_H
#define EDDY_UNWIND_CODE_CASES_H

#include "unwind/code_flow.h"

/* One round; how many cases were found.  *nr_tried: of all rounds. */
size_t code_find_cases(struct code_flow *f, size_t *nr_tried);
/* Sets leads_out of every instruction that was reached. */
void code_find_ways_out(struct code_flow *f);

/* The function is entered there too, in that state. */
void code_flow_add_root(struct code_flow *f, uint64_t addr, const struct code_state *state);
/* Carries states from the roots until nothing changes; false: refused. */
bool code_flow_settle(struct code_flow *f);
/* Is it a call of what never returns? */
bool code_flow_is_endless_call(const struct code_flow *f, const struct code_insn *insn);
/* Is there code behind a call for sure? */
bool code_flow_does_return(const struct code_flow *f, const struct code_insn *insn);

#endif
