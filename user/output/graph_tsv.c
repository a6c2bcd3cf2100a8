// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows are put together in a buffer that is written when it is full: on a large profile the gprof
 * table has millions of small fields.  Percents and estimates have two decimals; what does not
 * exist is empty.
 */
#include "output/graph_tsv.h"

#include <math.h>
#include <string.h>

#include "analysis/gprof.h"

struct tsv {
	FILE *out;
	struct strbuf buf;
};

enum { FLUSH_BYTES = 64 * 1024 };

static void add_u64(struct strbuf *sb, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = '0' + value % 10;
		value /= 10;
	} while (value);
	strbuf_add(sb, digits + at, sizeof(digits) - at);
}

static void tsv_u64(struct tsv *t, uint64_t value)
{
	add_u64(&t->buf, value);
	strbuf_addch(&t->buf, '\t');
}

static void tsv_double(struct tsv *t, double value)
{
	if (!isnan(value))
		strbuf_addf(&t->buf, "%.2f", value);
	strbuf_addch(&t->buf, '\t');
}

/* Without 0: that is "none". */
static void tsv_number(struct tsv *t, uint32_t number)
{
	if (number)
		add_u64(&t->buf, number);
	strbuf_addch(&t->buf, '\t');
}

static void tsv_end(struct tsv *t)
{
	strbuf_addch(&t->buf, '\n');
	if (t->buf.len < FLUSH_BYTES)
		return;
	fwrite(t->buf.bytes, 1, t->buf.len, t->out);
	strbuf_reset(&t->buf);
}

static void tsv_begin(struct tsv *t, FILE *out, const char *head)
{
	*t = (struct tsv){ .out = out, .buf = STRBUF_INIT };
	fputs(head, out);
}

static void tsv_deinit(struct tsv *t)
{
	fwrite(t->buf.bytes, 1, t->buf.len, t->out);
	strbuf_deinit(&t->buf);
}

void flat_tsv_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	struct tsv t;

	tsv_begin(&t, out, "inclusive\tself\tframes\tdepth\testimate\tcycle\tname\n");
	for (uint32_t i = 0; i < v->nr_functions; i++) {
		uint32_t f = v->functions[i];
		const struct graph_function *function = &v->graph->functions[f];

		if ((opts->limit && i == opts->limit) ||
		    !graph_view_is_above(v, function->inclusive, opts->min_percent, 0))
			break;
		tsv_u64(&t, function->inclusive);
		tsv_u64(&t, function->self);
		tsv_u64(&t, function->frames);
		tsv_u64(&t, function->depth);
		tsv_double(&t, v->estimate.functions[f]);
		tsv_number(&t, cycles_of(v->cycles, f)->number);
		strbuf_addstr(&t.buf, v->names[f]);
		tsv_end(&t);
	}
	tsv_deinit(&t);
}

void arcs_tsv_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	uint32_t nr;
	_cleanup_free_ uint32_t *arcs = graph_view_arcs(v, &nr);
	struct tsv t;

	tsv_begin(&t, out, "inclusive\tframes\testimate\tcaller\tcallee\n");
	for (uint32_t i = 0; i < nr; i++) {
		const struct graph_arc *arc = &v->graph->arcs[arcs[i]];

		if ((opts->limit && i == opts->limit) ||
		    !graph_view_is_above(v, arc->inclusive, opts->min_percent, 0))
			break;
		tsv_u64(&t, arc->inclusive);
		tsv_u64(&t, arc->frames);
		tsv_double(&t, v->estimate.arcs[arcs[i]]);
		strbuf_addstr(&t.buf, v->names[arc->caller]);
		strbuf_addch(&t.buf, '\t');
		strbuf_addstr(&t.buf, v->names[arc->callee]);
		tsv_end(&t);
	}
	tsv_deinit(&t);
}

void cycles_tsv_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	struct tsv t;

	tsv_begin(&t, out, "cycle\tmembers\ttouched\treentered\tobserved\tfunctions\n");
	for (uint32_t i = 0; i < v->cycles->nr_cycles; i++) {
		const struct component *x = &v->cycles->components[v->cycles->printed[i]];

		if ((opts->limit && i == opts->limit) ||
		    !graph_view_is_above(v, x->arrivals, opts->min_percent, 0))
			break;
		tsv_u64(&t, x->number);
		tsv_u64(&t, x->nr);
		tsv_u64(&t, x->arrivals);
		tsv_u64(&t, x->reentered);
		tsv_u64(&t, x->observed);
		for (uint32_t m = 0; m < x->nr; m++) {
			if (m)
				strbuf_addch(&t.buf, ';');
			strbuf_addstr(&t.buf, v->names[v->cycles->members[x->first + m]]);
		}
		tsv_end(&t);
	}
	tsv_deinit(&t);
}

static void tsv_called(struct tsv *t, const struct gprof_line *line)
{
	if (line->called != GPROF_CALLED_NOT)
		add_u64(&t->buf, line->calls);
	if (line->called == GPROF_CALLED_OF || line->called == GPROF_CALLED_PLUS) {
		strbuf_addch(&t->buf, line->called == GPROF_CALLED_OF ? '/' : '+');
		add_u64(&t->buf, line->more);
	}
	strbuf_addch(&t->buf, '\t');
}

static void tsv_line(struct tsv *t, const struct graph_view *v, const struct graph_opts *opts,
		     const struct gprof_line *line)
{
	static const char *const roles[] = {
		[GPROF_SPONTANEOUS] = "spontaneous\t", [GPROF_CALLER] = "caller\t",
		[GPROF_PRIMARY] = "primary\t",	       [GPROF_MEMBER] = "member\t",
		[GPROF_CALLEE] = "callee\t",
	};

	tsv_number(t, line->index);
	strbuf_addstr(&t->buf, roles[line->role]);
	tsv_double(t, line->role == GPROF_PRIMARY
			      ? graph_view_percent(v, line->self + line->children)
			      : NAN);
	if (line->has_time) {
		tsv_u64(t, line->self);
		tsv_u64(t, line->children);
	} else {
		strbuf_addstr(&t->buf, "\t\t");
	}
	tsv_called(t, line);
	if (line->has_inclusive && !opts->gprof_blank)
		add_u64(&t->buf, line->inclusive);
	strbuf_addch(&t->buf, '\t');
	if (line->role == GPROF_PRIMARY && !line->function)
		strbuf_addf(&t->buf, "<cycle %u as a whole>", line->cycle);
	else
		strbuf_addstr(&t->buf, v->names[line->function]);
	strbuf_addch(&t->buf, '\t');
	if (line->cycle)
		add_u64(&t->buf, line->cycle);
}

void gprof_tsv_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	_cleanup_gprof_ struct gprof *gp = gprof_new(v->graph, v->cycles);
	struct tsv t;

	tsv_begin(&t, out,
		  "entry\tindex\trole\tpercent\tself\tchildren\tcalled\tinclusive\tname\tcycle\n");
	for (size_t i = 0; i < gp->nr_entries; i++) {
		const struct gprof_entry *entry = &gp->entries[i];
		const struct gprof_line *lines;
		size_t nr;

		if ((opts->limit && i == opts->limit) ||
		    !graph_view_is_above(v, entry->self + entry->children, opts->min_percent, 0))
			break;
		lines = gprof_lines(gp, i, &nr);
		for (size_t k = 0; k < nr; k++) {
			tsv_u64(&t, i + 1);
			tsv_line(&t, v, opts, &lines[k]);
			tsv_end(&t);
		}
	}
	tsv_deinit(&t);
}
