// SPDX-License-Identifier: GPL-2.0-or-later
/* A call tree as tab-separated values: one line a row, nothing folded away unless asked for. */
#include "output/tree_tsv.h"

#include <inttypes.h>

#include "profile/frame_text.h"
#include "util/strbuf.h"

struct tsv {
	FILE *out;
	const struct calltree *tree;
	struct strbuf name;
};

static void write_line(void *ctx, const struct tree_line *line)
{
	struct tsv *tsv = ctx;
	const struct calltree_row *row = &calltree_rows(tsv->tree)[line->row];
	const struct calltree_counts *c = &calltree_counts(tsv->tree)[line->row];

	if (line->row == ROW_TOP)
		return;
	strbuf_reset(&tsv->name);
	frame_text_add(&tsv->name, calltree_frames(tsv->tree), row->func, false);
	fprintf(tsv->out, "%" PRIu64 "\t%" PRIu64 "\t", c->direct, c->indirect);
	if (row->target)
		fprintf(tsv->out, "\t%u\tstub\t\t%u\t", row->level, c->places);
	else
		fprintf(tsv->out, "%" PRIu64 "\t%u\tnode\t%u\t%u\t", c->self, row->level,
			c->recursions, c->places);
	fwrite(tsv->name.bytes, 1, tsv->name.len, tsv->out);
	putc('\n', tsv->out);
}

void tree_tsv_write(FILE *out, const struct calltree *tree, const struct tree_rows_opts *opts)
{
	struct tsv tsv = { .out = out, .tree = tree, .name = STRBUF_INIT };

	fputs("direct\tindirect\tself\tlevel\tkind\trecursions\tmerged\tname\n", out);
	tree_rows_walk(tree, opts, write_line, &tsv);
	strbuf_deinit(&tsv.name);
}
