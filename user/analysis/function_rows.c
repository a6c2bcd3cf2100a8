// SPDX-License-Identifier: GPL-2.0-or-later
/* One pass over the graph's functions, one sort. */
#include "analysis/function_rows.h"

#include <stdlib.h>

#include "analysis/base_marks.h"
#include "util/cleanup.h"
#include "util/mem.h"

struct key {
	uint64_t first, second;
	uint32_t rank;
	frame_id function;
};

static int compare(const void *va, const void *vb)
{
	const struct key *a = va, *b = vb;

	if (a->first != b->first)
		return a->first > b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second > b->second ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

void function_rows_find(const struct graph *g, const struct frame_table *frames,
			enum function_sort sort, struct function_rows *ret_rows)
{
	_cleanup_free_ struct key *keys = xcalloc(g->nr_functions, sizeof(*keys));
	struct function_rows rows = { 0 };

	for (uint32_t f = 1; f < g->nr_functions; f++) {
		const struct graph_function *function = &g->functions[f];
		bool by_self = sort == FUNCTIONS_BY_SELF;

		if (!graph_has(g, f))
			continue;
		if (frame_is_base(frames, f)) {
			rows.nowhere += function->self;
			continue;
		}
		keys[rows.nr++] = (struct key){
			.first = by_self ? function->self : function->inclusive,
			.second = by_self ? function->inclusive : function->self,
			.rank = graph_rank(g, f),
			.function = f,
		};
	}
	qsort(keys, rows.nr, sizeof(*keys), compare);
	rows.functions = xcalloc(rows.nr, sizeof(*rows.functions));
	for (size_t i = 0; i < rows.nr; i++)
		rows.functions[i] = keys[i].function;
	*ret_rows = rows;
}

void function_rows_deinit(struct function_rows *rows)
{
	free(rows->functions);
	*rows = (struct function_rows){ 0 };
}
