// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both sides are written as folded text, which knows what a line may look like, and their lines
 * are joined by the stack in front of the count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/diff_view.h"
#include "output/folded.h"
#include "util/mem.h"

struct line {
	const char *stack;
	size_t len;
	uint64_t count;
};

struct lines {
	char *text;
	size_t len;
	struct line *lines;
	size_t nr, cap;
};

static void lines_deinit(struct lines *l)
{
	free(l->text);
	free(l->lines);
}

static int line_cmp(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = memcmp(x->stack, y->stack, x->len < y->len ? x->len : y->len);

	return c ? c : (x->len > y->len) - (x->len < y->len);
}

static int lines_init(struct lines *l, const struct diff *d, enum diff_side side,
		      const struct diff_opts *opts, struct diag *ret_diag)
{
	_cleanup_profile_ struct profile *p = diff_profile(d, side);
	FILE *f = open_memstream(&l->text, &l->len);
	int r;

	if (!f)
		return diag_set(ret_diag, errno, "memory for folded text: %s", strerror(errno));
	r = folded_writer.write(f, p, &(struct writer_opts){ .no_annotate = opts->no_annotate },
				ret_diag);
	fclose(f);
	if (r < 0)
		return r;
	for (char *at = l->text, *end; (end = strchr(at, '\n')); at = end + 1) {
		char *space = memrchr(at, ' ', end - at);

		array_reserve(l->lines, l->cap, l->nr + 1);
		l->lines[l->nr++] = (struct line){ at, space - at, strtoull(space, NULL, 10) };
	}
	/* The count is part of what folded text is sorted by: not quite the order of stacks. */
	qsort(l->lines, l->nr, sizeof(*l->lines), line_cmp);
	return 0;
}

/* As difffolded.pl -n does it: cut to an integer. */
static uint64_t normalized(const struct diff *d, uint64_t before)
{
	double v = before * (diff_due(d, DIFF_AFTER) / diff_due(d, DIFF_BEFORE));

	return v < 0x1p63 ? (uint64_t)v : (uint64_t)INT64_MAX;
}

int diff_folded_write(FILE *out, const struct diff *d, const struct diff_opts *opts,
		      struct diag *ret_diag)
{
	__attribute__((cleanup(lines_deinit))) struct lines a = { 0 };
	__attribute__((cleanup(lines_deinit))) struct lines b = { 0 };
	int r = lines_init(&a, d, DIFF_BEFORE, opts, ret_diag);

	if (r >= 0)
		r = lines_init(&b, d, DIFF_AFTER, opts, ret_diag);
	if (r < 0)
		return r;
	for (size_t i = 0, k = 0; i < a.nr || k < b.nr;) {
		int c = i == a.nr ? 1 : k == b.nr ? -1 : line_cmp(&a.lines[i], &b.lines[k]);
		const struct line *line = c <= 0 ? &a.lines[i] : &b.lines[k];
		uint64_t before = c <= 0 ? a.lines[i++].count : 0;
		uint64_t after = c >= 0 ? b.lines[k++].count : 0;

		if (opts->is_normalized)
			before = normalized(d, before);
		fwrite(line->stack, 1, line->len, out);
		fprintf(out, " %llu %llu\n", (unsigned long long)before, (unsigned long long)after);
	}
	return 0;
}
