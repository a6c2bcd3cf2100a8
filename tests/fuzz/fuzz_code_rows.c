// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as code without unwind tables.  The first byte says how many functions are known to begin
 * somewhere (four bytes each: where, and how long), the second where the process begins and whether
 * the code stands in two pieces.  Whatever comes, the work is linear in the bytes, the same twice,
 * and each rule is one that a step can be made by.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/code_rows.h"

#define AT	    0x1000
#define GAP	    0x300
#define MAX_ENTRIES 32
#define NR_NUMBERS  (CODE_ROWS_RULE + 1)

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_rule(const struct eddy_unwind_rule *r)
{
	if (r->cfa == EDDY_CFA_NONE || r->cfa == EDDY_CFA_STOP || r->cfa == EDDY_CFA_SIGNAL)
		return;
	require(r->ra == EDDY_RA_CODE);
	require(r->cfa == EDDY_CFA_SP || r->cfa == EDDY_CFA_FP || r->cfa == EDDY_CFA_DEREF_SP ||
		r->cfa == EDDY_CFA_DEREF_FP || r->cfa == EDDY_CFA_PLT ||
		(r->cfa >= EDDY_CFA_REG && r->cfa < EDDY_CFA_REG + EDDY_GPR_IP));
	require(r->cfa != EDDY_CFA_SP || r->off >= 8);
	require(r->fp <= EDDY_FP_LOST);
}

static void check(const struct code_rows *rows, const struct unwind_rules *rules, uint64_t bytes)
{
	uint64_t nr = 0;

	/* Besides what is counted, one function may go on to its end. */
	require(rows->nr_steps <= 24 * bytes + (1u << 16) + 64ull * CODE_FLOW_MAX_INSNS);
	for (size_t i = 0; i < rows->nr_ranges; i++)
		for (uint64_t at = 0; at < rows->ranges[i].end - rows->ranges[i].start; at++) {
			uint16_t number = rows->rule[i][at] & CODE_ROWS_RULE;

			nr += !!number;
			if (!number)
				continue;
			require(number - 1u < unwind_rules_count(rules));
			check_rule(unwind_rules_get(rules, number - 1u));
		}
	require(!nr || rows->nr_functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct unwind_rules
		*rules; /* lives on: a megabyte to clear for every input is slow */
	struct code_entry entry[MAX_ENTRIES];
	struct code_entries entries = { .items = entry };
	struct code_range range[2];
	struct code_rows rows, again;
	uint64_t bytes, split;
	uint8_t how;

	if (size < 3)
		return 0;
	entries.nr = data[0] % MAX_ENTRIES;
	how = data[1];
	if (size < 3 + entries.nr * 4)
		return 0;
	for (size_t i = 0; i < entries.nr; i++) {
		const uint8_t *at = data + 2 + i * 4;
		uint64_t addr = AT + (at[0] | at[1] << 8);

		entry[i] = (struct code_entry){ addr, at[2] ? addr + at[2] + at[3] * 256u : 0 };
	}
	data += 2 + entries.nr * 4;
	bytes = size - 2 - entries.nr * 4;
	split = how & 1 && bytes > 1 ? bytes / 2 : bytes;
	range[0] = (struct code_range){ AT, AT + split, data };
	range[1] = (struct code_range){ AT + split + GAP, AT + bytes + GAP, data + split };
	if (how & 2)
		entries.process = AT + how;
	if (!rules)
		rules = unwind_rules_new();
	code_rows_find(range, 1 + (split < bytes), &entries, rules, &rows);
	check(&rows, rules, bytes);
	code_rows_find(range, 1 + (split < bytes), &entries, rules, &again);
	for (size_t i = 0; i < rows.nr_ranges; i++)
		require(!memcmp(rows.rule[i], again.rule[i],
				(range[i].end - range[i].start) * sizeof(**rows.rule)));
	code_rows_deinit(&again);
	code_rows_deinit(&rows);
	if (unwind_rules_count(rules) > NR_NUMBERS || unwind_rules_refused(rules)) {
		unwind_rules_free(rules);
		rules = NULL;
	}
	return 0;
}
