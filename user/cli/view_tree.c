// SPDX-License-Identifier: GPL-2.0-or-later
/* The view `tree`: call trees with recursion collapsed. */
#include "cli/pipeline.h"
#include "cli/views.h"
#include "output/tree_tsv.h"

static int render_tsv(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_calltree_ struct calltree *tree = calltree_new(args->profile, args->collapse);
	struct tree_rows_opts rows = { .sort_first = args->sort_first,
				       .depth = args->depth,
				       .min_percent = args->min_percent,
				       .limit = args->limit };

	tree_tsv_write(out, tree, &rows);
	return 0;
}

static const struct view_format formats[] = {
	{ "tsv", render_tsv },
	{ 0 },
};

const struct view view_tree = {
	.name = "tree",
	.summary = "the call tree",
	.formats = formats,
	.options = VIEW_SORT | VIEW_DEPTH | VIEW_MIN_PERCENT | VIEW_LIMIT,
	.pipeline_flags = PIPELINE_OWN_COLLAPSE,
	.collapse = COLLAPSE_CONSERVATIVE,
};
