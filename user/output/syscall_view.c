// SPDX-License-Identifier: GPL-2.0-or-later
/* The view `syscalls`. */
#include "output/syscall_view.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "util/strbuf.h"
#include "util/text_escape.h"

#define UNNAMED "[unnamed]" /* for people it stands last, whatever its number */

static size_t rows_shown(const struct syscall_rows *rows, size_t limit)
{
	return limit && limit < rows->nr ? limit : rows->nr;
}

static void print_name(FILE *out, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	text_escape(&text, name, strlen(name));
	fputs(text.bytes, out);
}

static void tsv_row(FILE *out, uint64_t inclusive, const char *name)
{
	fprintf(out, "%" PRIu64 "\t", inclusive);
	print_name(out, name);
	putc('\n', out);
}

void syscall_tsv_write(FILE *out, const struct syscall_rows *rows, size_t limit)
{
	size_t left = limit ? limit : SIZE_MAX;
	bool is_told = !rows->unnamed;

	fputs("inclusive\tname\n", out);
	for (size_t i = 0; i < rows->nr && left; i++, left--) {
		if (!is_told && rows->rows[i].inclusive < rows->unnamed) {
			tsv_row(out, rows->unnamed, UNNAMED);
			is_told = true;
			if (!--left)
				return;
		}
		tsv_row(out, rows->rows[i].inclusive, rows->rows[i].name);
	}
	if (!is_told && left)
		tsv_row(out, rows->unnamed, UNNAMED);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_row(FILE *out, uint64_t samples, uint64_t all)
{
	fprintf(out, "%10" PRIu64 "  %5.1f %%  ", samples, percent(samples, all));
}

void syscall_text_write(FILE *out, const struct syscall_rows *rows, uint64_t all, size_t limit)
{
	size_t shown = rows_shown(rows, limit);

	fputs("   samples   of all  system call\n", out);
	print_row(out, rows->total, all);
	fputs("all system calls\n", out);
	for (size_t i = 0; i < shown; i++) {
		print_row(out, rows->rows[i].inclusive, all);
		print_name(out, rows->rows[i].name);
		putc('\n', out);
	}
	if (shown < rows->nr)
		fprintf(out, "                     + %zu more\n", rows->nr - shown);
	if (rows->unnamed) {
		print_row(out, rows->unnamed, all);
		fputs(UNNAMED " on the way in and out, or its function is not in the stacks\n",
		      out);
	}
}
