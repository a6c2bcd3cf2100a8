// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes are numbered in the order of the flat view, so that equal profiles give equal files.  Only
 * arcs between two functions that are shown are drawn.
 */
#include "output/dot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output/dot_quote.h"
#include "output/graph_text.h"
#include "profile/frame_role.h"
#include "util/mem.h"
#include "util/text_width.h"

enum { NAME_COLUMNS = 60 };

struct dot {
	FILE *out;
	const struct graph_view *view;
	const struct graph_opts *opts;
	uint32_t *node; /* of each function, from 1; 0: not shown */
	uint32_t nr_shown;
};

/* What a function is: the shape of its node, and a word for its label. */
struct kind {
	const char *word; /* "": nothing to say */
	const char *shape;
};

static struct kind kind_of(const struct graph_view *v, uint32_t f)
{
	const struct frame *frame = frame_table_get(v->frames, f);
	size_t len;
	const char *name = frame_table_name(v->frames, f, &len);
	enum frame_role role = frame->role;

	if (role == FRAME_ROLE_NONE && frame->origin == FRAME_KERNEL)
		role = frame_role_of_name(name, len);
	switch (role) {
	case FRAME_ROLE_IRQ_ENTRY:
	case FRAME_ROLE_NMI_ENTRY:
	case FRAME_ROLE_IRQ_PATH:
	case FRAME_ROLE_SOFTIRQ_CORE:
		return (struct kind){ "interrupt", "shape=hexagon" };
	default:
		break;
	}
	if (name[0] == '[' && !frame->unnamed && len && name[len - 1] == ']' &&
	    !strstr(name, "+0x"))
		return (struct kind){ "", "shape=ellipse" };
	switch (frame->origin) {
	case FRAME_KERNEL:
		return (struct kind){ "kernel", "shape=box, peripheries=2" };
	case FRAME_JIT:
		return (struct kind){ "JIT", "shape=component" };
	case FRAME_INLINED:
		return (struct kind){ "inlined", "shape=box, style=\"filled,dashed\"" };
	case FRAME_BASE:
		return (struct kind){ "", "shape=ellipse" };
	case FRAME_SITE: /* none is left */
		break;
	}
	return (struct kind){ "", "shape=box" };
}

static void write_node(struct dot *d, uint32_t f, const char *indent)
{
	const struct graph_view *v = d->view;
	const struct graph_function *function = &v->graph->functions[f];
	double share = graph_view_percent(v, function->inclusive) / 100;
	struct kind kind = kind_of(v, f);
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	text_fit_add(&name, v->names[f], strlen(v->names[f]), NAME_COLUMNS, false);
	fprintf(d->out, "%sn%u [%s, fillcolor=\"0.085 %.3f 1.000\", label=\"", indent, d->node[f],
		kind.shape, 0.04 + 0.66 * sqrt(share));
	dot_quote(d->out, name.bytes, name.len);
	if (*kind.word)
		fprintf(d->out, "\\n%s", kind.word);
	fprintf(d->out, "\\n%.2f %% (%" PRIu64 ")", 100 * share, function->inclusive);
	if (function->self)
		fprintf(d->out, "\\nself %.2f %% (%" PRIu64 ")",
			graph_view_percent(v, function->self), function->self);
	if (function->depth > 1)
		fprintf(d->out, "\\nup to %u in one stack", function->depth);
	fputs("\", tooltip=\"", d->out);
	dot_quote(d->out, v->names[f], strlen(v->names[f]));
	fputs("\"];\n", d->out);
}

static void write_cluster(struct dot *d, const struct component *x)
{
	const uint32_t *members = d->view->cycles->members + x->first;
	_cleanup_strbuf_ struct strbuf facts = STRBUF_INIT;
	uint32_t nr_shown = 0;

	for (uint32_t m = 0; m < x->nr; m++)
		nr_shown += d->node[members[m]] != 0;
	if (!nr_shown)
		return;
	cycle_text_facts(&facts, d->view, x);
	fprintf(d->out, "\tsubgraph cluster_%u {\n", x->number);
	fprintf(d->out, "\t\tstyle=\"rounded,dashed\"; fontsize=10;\n\t\tlabel=\"cycle %u\\n%s",
		x->number, facts.bytes);
	fprintf(d->out, "\\nself %.2f %% (%" PRIu64 ")", graph_view_percent(d->view, x->self),
		x->self);
	if (nr_shown < x->nr)
		fprintf(d->out, ", + %u functions not shown", x->nr - nr_shown);
	fputs("\";\n", d->out);
	for (uint32_t m = 0; m < x->nr; m++)
		if (d->node[members[m]])
			write_node(d, members[m], "\t\t");
	fputs("\t}\n", d->out);
}

static void write_arc(struct dot *d, const struct graph_arc *arc)
{
	double percent = graph_view_percent(d->view, arc->inclusive);

	fprintf(d->out,
		"\tn%u -> n%u [label=\"%.2f %% (%" PRIu64 ")\", penwidth=%.2f, weight=%d%s];\n",
		d->node[arc->caller], d->node[arc->callee], percent, arc->inclusive,
		0.5 + percent / 20, 1 + (int)percent,
		cycles_is_inner(d->view->cycles, arc) ? ", style=dashed" : "");
}

static uint32_t write_arcs(struct dot *d)
{
	uint32_t nr, nr_shown = 0;
	_cleanup_free_ uint32_t *arcs = graph_view_arcs(d->view, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		const struct graph_arc *arc = &d->view->graph->arcs[arcs[i]];

		if (!graph_view_is_above(d->view, arc->inclusive, d->opts->min_edge_percent,
					 DOT_MIN_EDGE_PERCENT))
			break;
		if (!d->node[arc->caller] || !d->node[arc->callee])
			continue;
		write_arc(d, arc);
		nr_shown++;
	}
	return nr_shown;
}

static void choose_nodes(struct dot *d)
{
	const struct graph_view *v = d->view;

	for (uint32_t i = 0; i < v->nr_functions; i++) {
		uint32_t f = v->functions[i];

		if ((d->opts->limit && i == d->opts->limit) ||
		    !graph_view_is_above(v, v->graph->functions[f].inclusive, d->opts->min_percent,
					 DOT_MIN_PERCENT))
			break;
		d->node[f] = ++d->nr_shown;
	}
}

void dot_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	_cleanup_free_ uint32_t *node = xcalloc(v->graph->nr_functions, sizeof(*node));
	struct dot d = { .out = out, .view = v, .opts = opts, .node = node };
	const struct cycles *c = v->cycles;
	uint32_t nr_arcs;

	choose_nodes(&d);
	fputs("digraph callgraph {\n"
	      "\tgraph [labelloc=t, fontname=\"Helvetica\", ranksep=0.4, nodesep=0.25];\n"
	      "\tnode [style=filled, fontname=\"Helvetica\", fontsize=11, margin=\"0.12,0.05\"];\n"
	      "\tedge [fontname=\"Helvetica\", fontsize=9, color=\"#404040\"];\n",
	      out);
	for (uint32_t i = 0; i < v->nr_functions; i++)
		if (node[v->functions[i]] && !cycles_of(c, v->functions[i])->number)
			write_node(&d, v->functions[i], "\t");
	for (uint32_t i = 0; i < c->nr_cycles; i++)
		write_cluster(&d, &c->components[c->printed[i]]);
	nr_arcs = write_arcs(&d);
	fprintf(out,
		"\tlabel=\"%" PRIu64 " samples, %u of %u functions, %u arcs; shapes: box user, "
		"double box kernel, hexagon interrupt, ellipse task or mark; colour: "
		"inclusive share\";\n}\n",
		v->total, d.nr_shown, v->nr_functions, nr_arcs);
}

static int write_profile(FILE *to, const struct profile *p, const struct writer_opts *opts,
			 struct diag *ret_diag)
{
	return graph_view_write(to, p, dot_write, ret_diag);
}

const struct writer dot_writer = {
	.name = "dot",
	.suffixes = ".dot .gv",
	.write = write_profile,
};
