// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes carry their row's number, so arcs need no names; names are only labels, and escaped. */
#include "output/tree_dot.h"

#include <inttypes.h>

#include "output/dot_quote.h"
#include "profile/frame_text.h"
#include "util/strbuf.h"

struct dot {
	FILE *out;
	const struct calltree *tree;
	struct strbuf name;
};

static double percent(const struct dot *dot, uint64_t samples)
{
	uint64_t total = calltree_total(dot->tree);

	return total ? 100.0 * samples / total : 0;
}

static void write_node(struct dot *dot, row_id r)
{
	const struct calltree_row *row = &calltree_rows(dot->tree)[r];
	const struct calltree_counts *c = &calltree_counts(dot->tree)[r];

	strbuf_reset(&dot->name);
	frame_text_add(&dot->name, calltree_frames(dot->tree), row->func, false);
	fprintf(dot->out, "\tn%u [label=\"", r);
	dot_quote(dot->out, dot->name.bytes, dot->name.len);
	fprintf(dot->out, "\\n%" PRIu64, c->direct);
	if (c->indirect)
		fprintf(dot->out, " (%" PRIu64 ")", c->indirect);
	fprintf(dot->out, " samples, %.1f %%\\nself %" PRIu64 "\"];\n",
		percent(dot, calltree_passed(c)), c->self);
	if (row->parent != ROW_TOP)
		fprintf(dot->out, "\tn%u -> n%u;\n", row->parent, r);
}

static void write_line(void *ctx, const struct tree_line *line)
{
	struct dot *dot = ctx;
	const struct calltree_row *row = &calltree_rows(dot->tree)[line->row];

	if (line->row == ROW_TOP && line->parent == ROW_TOP) {
		fprintf(dot->out, "\tmore0 [shape=plaintext, label=\"+ %zu more (%.1f %%)\"];\n",
			line->nr_more, percent(dot, line->more));
	} else if (line->row == ROW_TOP) {
		fprintf(dot->out,
			"\tmore%u [shape=plaintext, label=\"+ %zu more (%.1f %%)\"];\n"
			"\tn%u -> more%u [style=dotted];\n",
			line->parent, line->nr_more, percent(dot, line->more), line->parent,
			line->parent);
	} else if (row->target) {
		fprintf(dot->out,
			"\tn%u -> n%u [style=dashed, constraint=false, label=\"%" PRIu64 "\"];\n",
			row->parent, row->target,
			calltree_passed(&calltree_counts(dot->tree)[line->row]));
	} else {
		write_node(dot, line->row);
	}
}

void tree_dot_write(FILE *out, const struct calltree *tree, const struct tree_rows_opts *opts)
{
	struct dot dot = { .out = out, .tree = tree, .name = STRBUF_INIT };

	fputs("digraph calltree {\n\tnode [shape=box, fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\"];\n",
	      out);
	tree_rows_walk(tree, opts, write_line, &dot);
	fputs("}\n", out);
	strbuf_deinit(&dot.name);
}
