// SPDX-License-Identifier: GPL-2.0-or-later
/* The view `syscalls`: what the kernel does for whom asked it, by what it was asked for. */
#include "view/views.h"
#include "output/syscall_view.h"

#define TEXT_ROWS 30 /* for people; programs get all */

static int render_text(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_syscall_rows_ struct syscall_rows rows = { 0 };

	syscall_rows_find(args->profile, &rows);
	syscall_text_write(out, &rows, profile_total(args->profile),
			   args->limit ? args->limit : TEXT_ROWS);
	return 0;
}

static int render_tsv(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_syscall_rows_ struct syscall_rows rows = { 0 };

	syscall_rows_find(args->profile, &rows);
	syscall_tsv_write(out, &rows, args->limit);
	return 0;
}

static const struct view_format formats[] = {
	{ "text", render_text, .unused = 0 },
	{ "tsv", render_tsv, ".tsv", .unused = 0 },
	{ 0 },
};

const struct view view_syscalls = {
	.name = "syscalls",
	.summary = "time under each system call",
	.formats = formats,
	.options = VIEW_LIMIT,
	.collapse = COLLAPSE_NONE,
};
