// SPDX-License-Identifier: GPL-2.0-or-later
/* The view `modules`: whose code the time goes to. */
#include "analysis/functions.h"
#include "view/views.h"
#include "output/module_view.h"

#define TEXT_ROWS 40 /* for people; programs get all */

static int find(const struct view_args *args, struct module_rows *ret_rows, struct diag *ret_diag)
{
	_cleanup_profile_ struct profile *by_function = profile_join_lines(args->profile);

	return module_rows_find(by_function ? by_function : args->profile, args->modules, ret_rows,
				ret_diag);
}

static int render_text(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_module_rows_ struct module_rows rows = { 0 };
	int r = find(args, &rows, ret_diag);

	if (r < 0)
		return r;
	if (args->sort != VIEW_SORT_INCLUSIVE)
		module_rows_sort_by_self(&rows);
	module_text_write(out, &rows, profile_total(args->profile),
			  args->limit ? args->limit : TEXT_ROWS, args->width);
	return 0;
}

static int render_tsv(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_module_rows_ struct module_rows rows = { 0 };
	int r = find(args, &rows, ret_diag);

	if (r < 0)
		return r;
	if (args->sort == VIEW_SORT_SELF)
		module_rows_sort_by_self(&rows);
	module_tsv_write(out, &rows, args->limit);
	return 0;
}

static const struct view_format formats[] = {
	{ "text", render_text, .unused = 0 },
	{ "tsv", render_tsv, ".tsv", .unused = 0 },
	{ 0 },
};

const struct view view_modules = {
	.name = "modules",
	.summary = "time in the kernel, its modules, BPF programs, programs, libraries",
	.formats = formats,
	.options = VIEW_LIMIT | VIEW_SORT,
	.collapse = COLLAPSE_NONE,
};
