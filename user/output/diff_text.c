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
#include "util/text_escape.h"
#include "util/text_width.h"

#define MORE  "\033[31m"
#define LESS  "\033[32m"
#define PLAIN "\033[0m"

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
	return fmax(diff_percent(n, DIFF_BEFORE), diff_percent(n, DIFF_AFTER)) >= min_percent(v);
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
		graph_view_fit(line, name, room);
		return;
	}
	for (const char *at = name, *end; (end = strchr(at, ';')); at = end + 1) {
		columns -= text_width(at, end - at) + (at != name);
		if (columns + 1 <= room || !strchr(end + 1, ';')) {
			strbuf_addstr(line, "…");
			graph_view_fit(line, end, room - 1);
			return;
		}
	}
	graph_view_fit(line, name, room);
}

static void write_row(FILE *out, struct diff_view *v, const struct diff_row *row)
{
	const struct diff_number *n = diff_view_main(v, row), *other = diff_view_other(v, row);
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	bool is_marked = diff_view_is_marked(v, n);

	strbuf_addf(&line, "%c %6.2f  %6.2f  %+7.2f", is_marked ? '*' : ' ',
		    diff_percent(n, DIFF_BEFORE), diff_percent(n, DIFF_AFTER),
		    100 * diff_change(n));
	add_interval(&line, n);
	if (other)
		strbuf_addf(&line, "  %+7.2f%c", 100 * diff_change(other),
			    diff_view_is_marked(v, other) ? '*' : ' ');
	strbuf_addstr(&line, "  ");
	add_name(&line, v, diff_view_name(v, row), line.len);
	if (v->opts->colour && is_marked)
		fprintf(out, "%s%s%s\n", diff_change(n) > 0 ? MORE : LESS, line.bytes, PLAIN);
	else
		fprintf(out, "%s\n", line.bytes);
}

static void write_head(FILE *out, const struct diff_view *v)
{
	static const char *const sides[] = { "before", "after" };
	const struct diff *d = v->diff;

	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

		text_escape(&name, v->opts->names[s], strlen(v->opts->names[s]));
		fprintf(out, "%-6s  %s: %" PRIu64 " samples", sides[s], name.bytes,
			diff_total(d, s));
		if (v->opts->is_due_known)
			fprintf(out, " of %.0f due", diff_due(d, s));
		if (diff_nr_batches(d, s) > 1)
			fprintf(out, ", in %zu parts", diff_nr_batches(d, s));
		putc('\n', out);
	}
	putc('\n', out);
	if (v->opts->is_stacks)
		fputs("  before   after   change   ratio  95 % range   stack\n", out);
	else
		fprintf(out,
			"  before   after   change   ratio  95 %% range   %s  function\n"
			"  %s %%%*s                                    change\n",
			v->opts->by_inclusive ? "   self" : "   incl",
			v->opts->by_inclusive ? "incl" : "self", 0, "");
}

/* The test in words. */
static void write_test(FILE *out, const struct diff_view *v)
{
	const struct diff *d = v->diff;

	fputs("test: two Poisson rates, exact, given their sum", out);
	if (diff_has_scatter(d))
		fprintf(out,
			", and\nStudent's t by the scatter of %zu and %zu parts: the larger p and "
			"the wider range of both\n",
			diff_nr_batches(d, DIFF_BEFORE), diff_nr_batches(d, DIFF_AFTER));
	else
		fputs("; it takes samples for independent,\nwhich neighbours are not: folders of "
		      "snapshots are judged by how their windows scatter\n",
		      out);
}

static void write_foot(FILE *out, const struct diff_view *v)
{
	size_t nr_untested = 0;

	for (size_t i = 0; i < v->rows.nr; i++)
		nr_untested +=
			!v->rows.rows[i].self.is_tested && !v->rows.rows[i].inclusive.is_tested;
	if (v->opts->is_due_known)
		fputs("\n%: of the samples that were due (.json), which is CPU time\n", out);
	else
		fputs("\n%: of all samples; how many were due is not known without a .json "
		      "beside each file\n",
		      out);
	write_test(out, v);
	fprintf(out,
		"*: of all marks at most %.4g %% are wrong on average (Benjamini and Hochberg, "
		"%zu tests)\n",
		100 * v->opts->level, v->rows.nr_tests);
	if (nr_untested)
		fprintf(out, "too few samples to tell, however they fell: %zu of %zu %s\n",
			nr_untested, v->rows.nr, v->opts->is_stacks ? "stacks" : "functions");
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
