// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arcs and cycles as tables.  The exact numbers stand first; gprof2dot's estimate and its
 * error stand beside them only where it is an estimate: inside cycles.
 */
#include "output/graph_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output/text_columns.h"
#include "util/mem.h"
#include "util/text_width.h"

#define NARROW 60 /* columns */

/* Columns of numbers in front of a name, so that the name can be cut to fit. */
struct table {
	FILE *out;
	struct strbuf line;
	size_t width; /* of the terminal; 0: not one */
	bool ascii;
};

static void table_u64(struct table *t, uint64_t value, int columns)
{
	strbuf_addf(&t->line, "%*" PRIu64 "  ", columns, value);
}

static void table_end(struct table *t, const char *name)
{
	size_t room = t->width > t->line.len ? t->width - t->line.len : 0;

	if (t->width && room < 16)
		room = 16;
	text_fit_add(&t->line, name, strlen(name), t->width ? room : SIZE_MAX, t->ascii);
	strbuf_addch(&t->line, '\n');
	fwrite(t->line.bytes, 1, t->line.len, t->out);
	strbuf_reset(&t->line);
}

/* Then estimates, and what else a name needs the room of, are left out. */
static bool is_narrow(const struct graph_opts *opts)
{
	return opts->width && opts->width < NARROW;
}

/* Is row i of nr the first that is not shown? */
static bool is_cut(const struct graph_view *v, const struct graph_opts *opts, uint32_t i,
		   uint64_t samples)
{
	return (opts->limit && i == opts->limit) ||
	       !graph_view_is_above(v, samples, opts->min_percent, GRAPH_TEXT_MIN_PERCENT);
}

static void print_more(FILE *out, const struct graph_opts *opts, uint32_t nr, const char *what)
{
	double min = opts->min_percent < 0 ? GRAPH_TEXT_MIN_PERCENT : opts->min_percent;

	if (nr && opts->limit)
		fprintf(out, "+ %u more %s (--limit %zu)\n", nr, what, opts->limit);
	else if (nr)
		fprintf(out, "+ %u more %s below %.4g %% (--min-percent 0 shows all)\n", nr, what,
			min);
}

static void print_foot(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	fprintf(out, "%" PRIu64 " samples, %u functions, %u cycle%s%s\n", v->total,
		graph_view_nr_code(v), v->cycles->nr_cycles, v->cycles->nr_cycles == 1 ? "" : "s",
		v->cycles->nr_cycles ? " (--view cycles)" : "");
	if (v->cycles->nr_cycles && !is_narrow(opts))
		fputs("est: gprof2dot's estimate, err = est - incl; only inside cycles, elsewhere "
		      "it is exact\n",
		      out);
}

/* Takes those out that no function makes, or that lead to none. */
static uint32_t drop_bases(const struct graph_view *v, uint32_t *arcs, uint32_t nr)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct graph_arc *arc = &v->graph->arcs[arcs[i]];

		if (!graph_view_is_base(v, arc->caller) && !graph_view_is_base(v, arc->callee))
			arcs[left++] = arcs[i];
	}
	return left;
}

/* ---- arcs ------------------------------------------------------------------------------------ */

void arcs_text_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	uint32_t nr, i;
	_cleanup_free_ uint32_t *arcs = graph_view_arcs(v, &nr);
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct table t = {
		.out = out, .line = STRBUF_INIT, .width = opts->width, .ascii = opts->ascii
	};
	int incl = text_columns(v->total, "    incl"), frames;
	int est = text_estimate_columns(v->total), err = est + 1;
	bool has_frames = !is_narrow(opts), has_cycles = has_frames && v->cycles->nr_cycles;
	uint64_t most_frames = 0;

	nr = drop_bases(v, arcs, nr);
	for (i = 0; i < nr; i++)
		if (v->graph->arcs[arcs[i]].frames > most_frames)
			most_frames = v->graph->arcs[arcs[i]].frames;
	frames = text_columns(most_frames, "  frames");
	fprintf(out, "incl %%  %*s  ", incl, "incl");
	if (has_frames)
		fprintf(out, "%*s  ", frames, "frames");
	if (has_cycles)
		fprintf(out, "%*s  %*s  ", est, "est", err, "err");
	fputs("caller > callee\n", out);
	for (i = 0; i < nr; i++) {
		const struct graph_arc *arc = &v->graph->arcs[arcs[i]];
		bool is_inner = cycles_is_inner(v->cycles, arc);
		double estimate = is_inner ? v->estimate.arcs[arcs[i]] : NAN;

		if (is_cut(v, opts, i, arc->inclusive))
			break;
		strbuf_addf(&t.line, "%6.2f  ", graph_view_percent(v, arc->inclusive));
		table_u64(&t, arc->inclusive, incl);
		if (has_frames)
			table_u64(&t, arc->frames, frames);
		if (has_cycles) {
			text_estimate_add(&t.line, estimate, est);
			text_estimate_add(&t.line, estimate - arc->inclusive, err);
		}
		strbuf_reset(&name);
		strbuf_addf(&name, "%s > %s", v->names[arc->caller], v->names[arc->callee]);
		table_end(&t, name.bytes);
	}
	strbuf_deinit(&t.line);
	print_more(out, opts, nr - i, "arcs");
	print_foot(out, v, opts);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

void cycle_text_facts(struct strbuf *sb, const struct graph_view *v, const struct component *x)
{
	strbuf_addf(sb, "%u functions, touched %.2f %%, ", x->nr,
		    graph_view_percent(v, x->arrivals));
	if (x->reentered)
		strbuf_addf(sb, "re-entered %.2f %%, largest group going round %u",
			    graph_view_percent(v, x->reentered), x->observed);
	else
		strbuf_addstr(sb, "re-entered 0: a phantom, no stack goes round it");
}

void cycle_text_hint(FILE *out, const struct graph_view *v, const struct component *x,
		     const struct graph_opts *opts)
{
	const char *option;
	uint32_t f;

	if (graph_view_irq_hint(v, x, opts, &f, &option))
		fprintf(out,
			"hint: stacks hardly go round cycle %u, and %s is in it: %s cuts there\n",
			x->number, v->names[f], option);
}

struct entry {
	uint64_t arrivals;
	uint32_t function;
};

/* Puts an entry among the largest ones; members come in order, so ties keep theirs. */
static void keep_largest(struct entry *largest, size_t nr, struct entry entry)
{
	for (size_t i = 0; i < nr; i++)
		if (entry.arrivals > largest[i].arrivals) {
			struct entry out = largest[i];

			largest[i] = entry;
			entry = out;
		}
}

/* ", entered at a 60.00 %, b 40.00 %": shares of the arrivals. */
static void print_entries(FILE *out, const struct graph_view *v, const struct component *x)
{
	enum { SHOWN = 4 };
	const struct graph *g = v->graph;
	struct entry largest[SHOWN] = { 0 };
	uint32_t i;

	for (uint32_t m = x->first; m < x->first + x->nr; m++) {
		struct entry entry = { .function = v->cycles->members[m] };

		for (i = g->in_start[entry.function]; i < g->in_start[entry.function + 1]; i++)
			if (!cycles_is_inner(v->cycles, &g->arcs[g->in_arc[i]]))
				entry.arrivals += g->arcs[g->in_arc[i]].frames;
		keep_largest(largest, SHOWN, entry);
	}
	for (i = 0; i < SHOWN && largest[i].arrivals; i++)
		fprintf(out, "%s%s %.2f %%", i ? ", " : ", entered at ",
			v->names[largest[i].function], 100.0 * largest[i].arrivals / x->arrivals);
	if (x->nr_entries > SHOWN)
		fprintf(out, ", + %u more", x->nr_entries - SHOWN);
}

/* What the estimate of the cycle is worth, when something is left out of it. */
static void print_left(FILE *out, const struct graph_view *v, const struct component *x)
{
	double left = v->estimate.left[x - v->cycles->components];

	if (left >= 1)
		fprintf(out, "not estimated, the cycle is entered in too many places: exact "
			     "numbers only\n");
	else if (left > 0)
		fprintf(out, "est is low by %.2f at most: %.2f %% of the arrivals are left out\n",
			left * x->arrivals, 100 * left);
}

static void print_members(FILE *out, const struct graph_view *v, const struct component *x,
			  const struct graph_opts *opts)
{
	struct table t = {
		.out = out, .line = STRBUF_INIT, .width = opts->width, .ascii = opts->ascii
	};
	int incl = text_columns(v->total, "    incl");
	int est = text_estimate_columns(v->total), err = est + 1;
	struct graph_opts members = { .min_percent = opts->min_percent };
	uint32_t i;

	fprintf(out, "    incl %%  %*s  ", incl, "incl");
	if (!is_narrow(opts))
		fprintf(out, "%*s  %*s  %*s  ", incl, "self", est, "est", err, "err");
	fputs("function\n", out);
	for (i = 0; i < x->nr; i++) {
		uint32_t f = v->cycles->members[x->first + i];
		const struct graph_function *function = &v->graph->functions[f];
		double estimate = v->estimate.functions[f];

		if (is_cut(v, &members, i, function->inclusive))
			break;
		strbuf_addf(&t.line, "    %6.2f  ", graph_view_percent(v, function->inclusive));
		table_u64(&t, function->inclusive, incl);
		if (!is_narrow(opts)) {
			table_u64(&t, function->self, incl);
			text_estimate_add(&t.line, estimate, est);
			text_estimate_add(&t.line, estimate - function->inclusive, err);
		}
		table_end(&t, v->names[f]);
	}
	strbuf_deinit(&t.line);
	if (i < x->nr) {
		fputs("    ", out);
		print_more(out, &members, x->nr - i, "functions");
	}
}

void cycles_text_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	const struct cycles *c = v->cycles;
	uint32_t i;

	for (i = 0; i < c->nr_cycles; i++) {
		const struct component *x = &c->components[c->printed[i]];
		_cleanup_strbuf_ struct strbuf facts = STRBUF_INIT;

		if (is_cut(v, opts, i, x->arrivals))
			break;
		cycle_text_facts(&facts, v, x);
		fprintf(out, "cycle %u: %s", x->number, facts.bytes);
		print_entries(out, v, x);
		putc('\n', out);
		print_members(out, v, x, opts);
		print_left(out, v, x);
		cycle_text_hint(out, v, x, opts);
		putc('\n', out);
	}
	print_more(out, opts, c->nr_cycles - i, "cycles");
	if (!c->nr_cycles)
		fprintf(out, "no cycle in the call graph of %" PRIu64 " samples\n", v->total);
	else
		print_foot(out, v, opts);
}
