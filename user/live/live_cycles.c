// SPDX-License-Identifier: GPL-2.0-or-later
/* Cycles of the call graph and the functions in them. */
#include "live/live_rows.h"

#include <math.h>

#include "analysis/estimate.h"
#include "util/mem.h"

/* Steps; a refresh must not wait for more: a tenth of what a report may take. */
#define ESTIMATE_BUDGET 2000000

enum { CYC_NUMBER, CYC_TOUCHED, CYC_AGAIN, CYC_ESTIMATE };

static const struct live_column cycle_columns[] = {
	{ "cycle", 5, LIVE_NUMBER, 0 },
	{ "incl %", 6, LIVE_PERCENT, 0 },
	{ "again %", 7, LIVE_PERCENT, 0 },
	{ "est %", 7, LIVE_CENTI, 1 },
};

static void member_row(struct live_table *t, const struct live_analysis *a,
		       const struct estimate *e, uint32_t f)
{
	struct live_row *row = live_row_add(t, f);

	row->frame = f;
	row->level = 1;
	row->values[CYC_TOUCHED] = callgraph_graph(a->callgraph)->functions[f].inclusive;
	if (!isnan(e->functions[f]) && t->total)
		row->values[CYC_ESTIMATE] = (uint64_t)(10000.0 * e->functions[f] / t->total + 0.5);
}

/* left: the share of the arrivals that the estimate leaves out. */
static void cycle_row(struct live_table *t, const struct component *x, double left)
{
	struct live_row *row = live_row_add(t, 1ull << 40 | x->number);
	char text[160];
	int len;

	row->is_head = true;
	row->values[CYC_NUMBER] = x->number;
	row->values[CYC_TOUCHED] = x->arrivals;
	row->values[CYC_AGAIN] = x->reentered;
	if (x->reentered)
		len = snprintf(text, sizeof(text), "%u functions, largest group going round %u",
			       x->nr, x->observed);
	else
		len = snprintf(text, sizeof(text),
			       "%u functions; a phantom, no stack goes round it", x->nr);
	if (left >= 1)
		len += snprintf(text + len, sizeof(text) - len, "; no estimate: too many entries");
	else if (left > 0)
		len += snprintf(text + len, sizeof(text) - len,
				"; est leaves out %.2f %% of the arrivals", 100 * left);
	row->name = live_text_add(t, text, len);
}

void live_cycles_rows(const struct live_analysis *a, struct live_table *t)
{
	const struct cycles *cycles = callgraph_cycles(a->callgraph);
	struct estimate_opts opts = ESTIMATE_OPTS_DEFAULT;
	struct estimate e;

	opts.budget = ESTIMATE_BUDGET;
	t->columns = cycle_columns;
	t->nr_columns = ARRAY_SIZE(cycle_columns);
	t->sorted = CYC_TOUCHED;
	t->name_title = "functions of the cycle";
	if (!cycles->nr_cycles)
		return;
	estimate_find(&e, callgraph_graph(a->callgraph), cycles, &opts);
	for (uint32_t i = 0; i < cycles->nr_cycles; i++) {
		const struct component *x = &cycles->components[cycles->printed[i]];

		cycle_row(t, x, e.left[x - cycles->components]);
		for (uint32_t m = x->first; m < x->first + x->nr; m++)
			member_row(t, a, &e, cycles->members[m]);
	}
	estimate_deinit(&e);
	t->nr_all = t->nr;
}
