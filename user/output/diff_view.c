// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of rows: what may be believed first, then by size of the change, then by name. */
#include "output/diff_view.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/name_rank.h"
#include "profile/frame_text.h"
#include "util/mem.h"

/* Enough of it to compare rows; qsort_r() hands it through. */
struct ordering {
	const struct diff_view *v;
	struct name_rank names;
};

const struct diff_number *diff_view_main(const struct diff_view *v, const struct diff_row *row)
{
	return v->opts->by_inclusive && !v->opts->is_stacks ? &row->inclusive : &row->self;
}

const struct diff_number *diff_view_other(const struct diff_view *v, const struct diff_row *row)
{
	if (v->opts->is_stacks)
		return NULL;
	return v->opts->by_inclusive ? &row->self : &row->inclusive;
}

bool diff_view_is_marked(const struct diff_view *v, const struct diff_number *n)
{
	return n->is_tested && n->q <= v->opts->level;
}

const char *const diff_per_names[NR_DIFF_PERS] = { "due", "cpu", "share" };

double diff_view_total(const struct diff_view *v, enum diff_side side)
{
	return diff_total(v->diff, side) / diff_due(v->diff, side);
}

double diff_view_whole(const struct diff_view *v)
{
	double before = diff_view_total(v, DIFF_BEFORE), after = diff_view_total(v, DIFF_AFTER);

	if (v->opts->base.per != DIFF_PER_CPU)
		return 1;
	return before > 0 ? before : after > 0 ? after : 1;
}

double diff_view_percent(const struct diff_view *v, const struct diff_number *n,
			 enum diff_side side)
{
	return 100 / diff_view_whole(v) *
	       (side == DIFF_BEFORE ? n->rates.before / n->rates.due_before
				    : n->rates.after / n->rates.due_after);
}

double diff_view_change(const struct diff_view *v, const struct diff_number *n)
{
	return 100 * diff_change(n) / diff_view_whole(v);
}

static int row_cmp(const void *a, const void *b, void *ctx)
{
	const struct ordering *o = ctx;
	const struct diff_row *x = &o->v->rows.rows[*(const size_t *)a];
	const struct diff_row *y = &o->v->rows.rows[*(const size_t *)b];
	const struct diff_number *m = diff_view_main(o->v, x), *n = diff_view_main(o->v, y);
	bool x_marked = diff_view_is_marked(o->v, m), y_marked = diff_view_is_marked(o->v, n);
	double x_size = fabs(diff_change(m)), y_size = fabs(diff_change(n));

	if (x_marked != y_marked)
		return x_marked ? -1 : 1;
	if (x_size != y_size)
		return x_size > y_size ? -1 : 1;
	if (o->names.nr && o->names.ranks[x->id] != o->names.ranks[y->id])
		return o->names.ranks[x->id] < o->names.ranks[y->id] ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

void diff_view_init(struct diff_view *v, const struct diff *d, const struct diff_opts *opts)
{
	struct ordering o = { .v = v };

	*v = (struct diff_view){ .diff = d, .opts = opts, .name = STRBUF_INIT };
	if (opts->is_stacks) {
		diff_stacks(d, opts->level, &v->rows);
	} else {
		diff_functions(d, opts->level, &v->rows);
		name_rank_update(&o.names, profile_frames(diff_shape(d)));
	}
	v->order = xcalloc(v->rows.nr, sizeof(*v->order));
	for (size_t i = 0; i < v->rows.nr; i++)
		v->order[i] = i;
	qsort_r(v->order, v->rows.nr, sizeof(*v->order), row_cmp, &o);
	name_rank_deinit(&o.names);
}

void diff_view_deinit(struct diff_view *v)
{
	free(v->rows.rows);
	free(v->order);
	strbuf_deinit(&v->name);
}

static void add_stack(struct diff_view *v, node_id node)
{
	const struct profile *shape = diff_shape(v->diff);
	_cleanup_free_ node_id *path = NULL;
	size_t depth = profile_chain(shape, node, &path);

	for (size_t i = 0; i < depth; i++) {
		if (i)
			strbuf_addch(&v->name, ';');
		frame_text_add(&v->name, profile_frames(shape), profile_frame(shape, path[i]),
			       v->opts->no_annotate);
	}
	if (!depth)
		strbuf_addstr(&v->name, "[empty]");
}

const char *diff_view_name(struct diff_view *v, const struct diff_row *row)
{
	strbuf_reset(&v->name);
	if (v->opts->is_stacks)
		add_stack(v, row->id);
	else
		frame_text_add(&v->name, profile_frames(diff_shape(v->diff)), row->id,
			       v->opts->no_annotate);
	return v->name.bytes;
}

/* ---- TSV ------------------------------------------------------------------------------------- */

/* A field and its tab; what is no number, or has no end, is empty. */
static void add_fixed(struct strbuf *sb, double value)
{
	if (isfinite(value))
		strbuf_addf(sb, "%.6f", value);
	strbuf_addch(sb, '\t');
}

static void add_digits(struct strbuf *sb, double value)
{
	if (isfinite(value))
		strbuf_addf(sb, "%.6g", value);
	strbuf_addch(sb, '\t');
}

static const char *mark_of(const struct diff_view *v, const struct diff_number *n)
{
	if (!diff_view_is_marked(v, n))
		return "";
	return diff_change(n) > 0 ? "more" : "less";
}

static void write_number(FILE *out, struct diff_view *v, const struct diff_row *row,
			 const struct diff_number *n, const char *kind)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	const struct diff_base *base = &v->opts->base;
	const struct rate_pair *r = &n->rates;
	double low, high;

	rate_pair_interval(r, DIFF_CONFIDENCE, &low, &high);
	strbuf_addf(&line, "%llu\t%llu\t", (unsigned long long)r->before,
		    (unsigned long long)r->after);
	add_fixed(&line, diff_view_percent(v, n, DIFF_BEFORE));
	add_fixed(&line, diff_view_percent(v, n, DIFF_AFTER));
	add_fixed(&line, diff_view_change(v, n));
	add_digits(&line, rate_pair_ratio(r));
	add_digits(&line, low);
	add_digits(&line, high);
	add_digits(&line, r->df > 0 ? r->dispersion : NAN);
	add_digits(&line, n->is_tested ? n->p : NAN);
	add_digits(&line, n->is_tested ? n->q : NAN);
	fprintf(out, "%s%s\t%s\t%s\t%s", line.bytes, mark_of(v, n), kind, diff_view_name(v, row),
		diff_per_names[base->per]);
	if (base->unit == DIFF_SECONDS)
		fprintf(out, "\t%.6f\t%.6f\n", r->before * base->of_sample[DIFF_BEFORE],
			r->after * base->of_sample[DIFF_AFTER]);
	else
		fputs("\t\t\n", out);
}

static bool is_above(const struct diff_view *v, const struct diff_row *row)
{
	const struct diff_number *n = v->opts->is_stacks ? &row->self : &row->inclusive;

	return fmax(diff_view_percent(v, n, DIFF_BEFORE), diff_view_percent(v, n, DIFF_AFTER)) >=
	       v->opts->min_percent;
}

static bool has_samples(const struct diff_number *n)
{
	return n->rates.before || n->rates.after;
}

void diff_tsv_write(FILE *out, struct diff_view *v)
{
	size_t nr = 0;

	fputs("before\tafter\tpercent_before\tpercent_after\tchange\tratio\tlow\thigh\tdispersion\t"
	      "p\tq\tmark\tkind\tname\tper\tseconds_before\tseconds_after\n",
	      out);
	for (size_t i = 0; i < v->rows.nr; i++) {
		const struct diff_row *row = &v->rows.rows[v->order[i]];

		if (!is_above(v, row))
			continue;
		if (v->opts->limit && nr++ == v->opts->limit)
			break;
		if (!v->opts->is_stacks)
			write_number(out, v, row, &row->inclusive, "inclusive");
		if (has_samples(&row->self))
			write_number(out, v, row, &row->self,
				     v->opts->is_stacks ? "stack" : "self");
	}
}
