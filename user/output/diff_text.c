// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The comparison as a table.  Beside the number that rows are sorted by stands how far it may be
 * off; of the other number (inclusive beside self, or the other way round) only the change.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output/diff_view.h"
#include "output/graph_view.h"
#include "util/cleanup.h"
#include "util/text_escape.h"
#include "util/text_width.h"
#include "util/text_wrap.h"

#define NARROW	      60 /* columns below which a row has both rates and its name */
#define USUAL_COLUMNS 80 /* of what stands below the table, where there is no terminal */

#define MORE  "\033[31m"
#define LESS  "\033[32m"
#define PLAIN "\033[0m"

static bool is_narrow(const struct diff_view *v)
{
	return v->opts->width && v->opts->width < NARROW;
}

static double min_percent(const struct diff_view *v)
{
	return v->opts->min_percent < 0 ? DIFF_TEXT_MIN_PERCENT : v->opts->min_percent;
}

/* A believed change is shown however small, unless a minimum was asked for. */
static bool is_shown(const struct diff_view *v, const struct diff_row *row)
{
	const struct diff_number *n = diff_view_main(v, row), *other = diff_view_other(v, row);

	if (v->opts->min_percent < 0 &&
	    (diff_view_is_marked(v, n) || (other && diff_view_is_marked(v, other))))
		return true;
	return fmax(diff_view_percent(v, n, DIFF_BEFORE), diff_view_percent(v, n, DIFF_AFTER)) >=
	       min_percent(v);
}

static void add_ratio(struct strbuf *sb, double value)
{
	strbuf_addf(sb, value < 9.995 ? "%.2f" : value < 999.5 ? "%.1f" : "%.0f", value);
}

/* "1.63 1.40-1.90", "new >3.2", "gone <0.41", 20 columns. */
static void add_interval(struct strbuf *line, const struct diff_number *n)
{
	_cleanup_strbuf_ struct strbuf ratio = STRBUF_INIT, range = STRBUF_INIT;
	double low, high;

	rate_pair_interval(&n->rates, DIFF_CONFIDENCE, &low, &high);
	if (!n->rates.before && !n->rates.after) {
		strbuf_addf(line, "  %6s  %-11s", "", "");
		return;
	}
	if (!n->rates.before) {
		strbuf_addstr(&ratio, "new");
		strbuf_addch(&range, '>');
		add_ratio(&range, low);
	} else if (!n->rates.after) {
		strbuf_addstr(&ratio, "gone");
		strbuf_addch(&range, '<');
		add_ratio(&range, high);
	} else {
		add_ratio(&ratio, rate_pair_ratio(&n->rates));
		add_ratio(&range, low);
		strbuf_addch(&range, '-');
		add_ratio(&range, high);
	}
	strbuf_addf(line, "  %6s  %-11s", ratio.bytes, range.bytes);
}

/* The end of a stack says more than its beginning. */
static void add_name(struct strbuf *line, const struct diff_view *v, const char *name, size_t used)
{
	size_t room = v->opts->width > used + 16 ? v->opts->width - used : 16;
	size_t columns = text_width(name, strlen(name));

	if (!v->opts->width || columns <= room) {
		strbuf_addstr(line, name);
		return;
	}
	if (!v->opts->is_stacks) {
		text_fit_add(line, name, strlen(name), room, v->opts->ascii);
		return;
	}
	for (const char *at = name, *end; (end = strchr(at, ';')); at = end + 1) {
		columns -= text_width(at, end - at) + (at != name);
		if (columns + 1 <= room || !strchr(end + 1, ';')) {
			strbuf_addstr(line, v->opts->ascii ? ".." : "…");
			text_fit_add(line, end, strlen(end), room - 1 - v->opts->ascii,
				     v->opts->ascii);
			return;
		}
	}
	text_fit_add(line, name, strlen(name), room, v->opts->ascii);
}

static double rate(const struct diff_number *n, enum diff_side side)
{
	return side == DIFF_BEFORE ? n->rates.before / n->rates.due_before
				   : n->rates.after / n->rates.due_after;
}

static bool is_cpu(const struct diff_view *v)
{
	return v->opts->base.per == DIFF_PER_CPU;
}

/* "-75 %", 8 columns; nothing where before was nothing. */
static void add_relative(struct strbuf *line, double before, double after)
{
	double percent = round(100 * (after / before - 1)) + 0.0; /* never -0 */

	if (!(before > 0))
		strbuf_addf(line, "%8s", "");
	else if (percent > 99999)
		strbuf_addf(line, "%8s", ">99999 %");
	else
		strbuf_addf(line, "%+6.0f %%", percent);
}

static void add_change(struct strbuf *line, const struct diff_view *v, const struct diff_number *n)
{
	struct diff_scale scale = diff_scale_of(v);

	if (is_cpu(v))
		strbuf_addf(line, "%+8.*f", scale.decimals, scale.by * diff_change(n));
	else
		strbuf_addf(line, "%+7.2f", diff_view_change(v, n));
}

/* Before, after and, where there is room, the change. */
static void add_rates(struct strbuf *line, const struct diff_view *v, const struct diff_number *n)
{
	struct diff_scale scale = diff_scale_of(v);

	for (int s = 0; s < NR_DIFF_SIDES; s++)
		if (is_cpu(v))
			strbuf_addf(line, s ? "  %7.*f" : " %7.*f", scale.decimals,
				    scale.by * rate(n, s));
		else
			strbuf_addf(line, s ? "  %6.2f" : " %6.2f", diff_view_percent(v, n, s));
	if (is_narrow(v))
		return;
	strbuf_addstr(line, "  ");
	add_change(line, v, n);
	if (is_cpu(v))
		add_relative(line, rate(n, DIFF_BEFORE), rate(n, DIFF_AFTER));
}

static void write_row(FILE *out, struct diff_view *v, const struct diff_row *row)
{
	const struct diff_number *n = diff_view_main(v, row), *other = diff_view_other(v, row);
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	bool is_marked = diff_view_is_marked(v, n);

	strbuf_addch(&line, is_marked ? '*' : ' ');
	add_rates(&line, v, n);
	if (!is_narrow(v))
		add_interval(&line, n);
	if (other && !is_narrow(v)) {
		strbuf_addstr(&line, "  ");
		add_change(&line, v, other);
		strbuf_addch(&line, diff_view_is_marked(v, other) ? '*' : ' ');
	}
	strbuf_addstr(&line, "  ");
	add_name(&line, v, diff_view_name(v, row), line.len);
	if (v->opts->colour && is_marked)
		fprintf(out, "%s%s%s\n", diff_change(n) > 0 ? MORE : LESS, line.bytes, PLAIN);
	else
		fprintf(out, "%s\n", line.bytes);
}

static void write_narrow_columns(FILE *out, const struct diff_view *v)
{
	const char *of = v->opts->is_stacks ? "" : v->opts->by_inclusive ? "incl " : "self ";

	fprintf(out, is_cpu(v) ? "   before    after  %s\n" : "  before   after  %s\n",
		v->opts->is_stacks ? "stack" : "function");
	fprintf(out, "  %s%s\n", of, is_cpu(v) ? diff_scale_of(v).unit : "%");
}

static void write_columns(FILE *out, const struct diff_view *v)
{
	const char *other = v->opts->by_inclusive ? "   self" : "   incl";
	const char *of = v->opts->by_inclusive ? "incl" : "self";
	const char *unit = diff_scale_of(v).unit;

	if (v->opts->is_stacks && is_cpu(v))
		fprintf(out,
			"   before    after    change       %%   ratio  95 %% range   stack\n"
			"  %7s\n",
			unit);
	else if (v->opts->is_stacks)
		fputs("  before   after   change   ratio  95 % range   stack\n", out);
	else if (is_cpu(v))
		fprintf(out,
			"   before    after    change       %%   ratio  95 %% range    %s  "
			"function\n"
			"  %s %-9s                                            change\n",
			other, of, unit);
	else
		fprintf(out,
			"  before   after   change   ratio  95 %% range   %s  function\n"
			"  %s %%                                    change\n",
			other, of);
}

static void write_head(FILE *out, const struct diff_view *v)
{
	static const char *const sides[] = { "before", "after" };
	const struct diff *d = v->diff;

	diff_totals_write(out, v);
	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

		text_escape(&name, v->opts->names[s], strlen(v->opts->names[s]));
		fprintf(out, "%-6s  %s: %" PRIu64 " samples", sides[s], name.bytes,
			diff_total(d, s));
		if (v->opts->base.per == DIFF_PER_DUE)
			fprintf(out, " of %.0f expected", diff_due(d, s));
		if (diff_nr_batches(d, s) > 1)
			fprintf(out, ", in %zu parts", diff_nr_batches(d, s));
		putc('\n', out);
	}
	putc('\n', out);
	if (is_narrow(v))
		write_narrow_columns(out, v);
	else
		write_columns(out, v);
}

static void write_foot(FILE *out, const struct diff_view *v)
{
	_cleanup_free_ char *text = NULL;
	size_t nr_untested = 0, len;
	FILE *foot = open_memstream(&text, &len);

	if (!foot)
		return;
	for (size_t i = 0; i < v->rows.nr; i++)
		nr_untested +=
			!v->rows.rows[i].self.is_tested && !v->rows.rows[i].inclusive.is_tested;
	diff_base_write(foot, v);
	diff_test_write(foot, v);
	fputs("*: ", foot);
	diff_level_write(foot, v);
	if (nr_untested)
		fprintf(foot, "too few samples to test: %zu of %zu %s\n", nr_untested, v->rows.nr,
			v->opts->is_stacks ? "stacks" : "functions");
	fclose(foot);
	putc('\n', out);
	text_wrap_write(out, text, len, v->opts->width ? v->opts->width : USUAL_COLUMNS);
}

void diff_text_write(FILE *out, struct diff_view *v)
{
	size_t nr = 0, nr_small = 0, nr_cut = 0;

	write_head(out, v);
	for (size_t i = 0; i < v->rows.nr; i++) {
		const struct diff_row *row = &v->rows.rows[v->order[i]];

		if (!is_shown(v, row)) {
			nr_small++;
		} else if (v->opts->limit && nr == v->opts->limit) {
			nr_cut++;
		} else {
			write_row(out, v, row);
			nr++;
		}
	}
	if (nr_cut)
		fprintf(out, "+ %zu more (--limit %zu)\n", nr_cut, v->opts->limit);
	if (nr_small)
		fprintf(out, "+ %zu more below %.4g %% (--min-percent 0 shows all)\n", nr_small,
			min_percent(v));
	write_foot(out, v);
}
