// SPDX-License-Identifier: GPL-2.0-or-later
/* The comparison in words: how much in all, what rates are taken by, and how they were tested. */
#include <inttypes.h>
#include <math.h>

#include "output/diff_view.h"

/* ---- units ----------------------------------------------------------------------------------- */

static struct diff_scale scale_of(enum diff_unit unit, double most)
{
	struct diff_scale s = { unit == DIFF_EVENTS ? "events" : "samples", 1, 0 };

	if (unit == DIFF_SECONDS) {
		s = most >= 1	   ? (struct diff_scale){ "s", 1, 0 }
		    : most >= 1e-3 ? (struct diff_scale){ "ms", 1e3, 0 }
				   : (struct diff_scale){ "us", 1e6, 0 };
		s.decimals = 2;
	}
	if (s.by * most < 100 && (unit == DIFF_SECONDS || s.by * most != floor(s.by * most)))
		s.decimals = 3;
	if (s.by * most >= 1e4)
		s.decimals = 0;
	return s;
}

struct diff_scale diff_scale_of(const struct diff_view *v)
{
	return scale_of(v->opts->base.unit,
			fmax(diff_view_total(v, DIFF_BEFORE), diff_view_total(v, DIFF_AFTER)));
}

/* ", -50 %"; never -0. */
static void write_relative(FILE *out, const double values[NR_DIFF_SIDES])
{
	double percent = round(100 * (values[DIFF_AFTER] / values[DIFF_BEFORE] - 1));

	fprintf(out, ", %+.0f %%", percent + 0.0);
}

static const char *arrow(const struct diff_view *v)
{
	return v->opts->ascii ? "->" : "→";
}

/* "2.35 s → 1.17 s, -50 %" */
static void write_change(FILE *out, const struct diff_view *v, const double values[NR_DIFF_SIDES])
{
	struct diff_scale s =
		scale_of(v->opts->base.unit, fmax(values[DIFF_BEFORE], values[DIFF_AFTER]));

	if (s.decimals > 2)
		s.decimals = 2;
	fprintf(out, "%.*f %s %s %.*f %s", s.decimals, s.by * values[DIFF_BEFORE], s.unit, arrow(v),
		s.decimals, s.by * values[DIFF_AFTER], s.unit);
	if (values[DIFF_BEFORE] > 0)
		write_relative(out, values);
}

static void write_percents(FILE *out, const struct diff_view *v, const double shares[NR_DIFF_SIDES])
{
	fprintf(out, "%.2f %% %s %.2f %%", 100 * shares[DIFF_BEFORE], arrow(v),
		100 * shares[DIFF_AFTER]);
	if (shares[DIFF_BEFORE] > 0)
		write_relative(out, shares);
}

/* ---- what is printed ------------------------------------------------------------------------- */

void diff_totals_write(FILE *out, const struct diff_view *v)
{
	const struct diff_base *b = &v->opts->base;
	double totals[NR_DIFF_SIDES], rates[NR_DIFF_SIDES];

	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		totals[s] = diff_total(v->diff, s) * b->of_sample[s];
		rates[s] = diff_view_total(v, s);
	}
	fputs(b->unit == DIFF_SECONDS ? "CPU time " : "total ", out);
	write_change(out, v, totals);
	putc('\n', out);
	if (b->per == DIFF_PER_DUE) {
		fputs(b->unit == DIFF_SECONDS ? "of the CPUs' time " : "of the samples expected ",
		      out);
		write_percents(out, v, rates);
		putc('\n', out);
	} else if (b->has_work) {
		fputs("by unit of work ", out);
		write_change(out, v, rates);
		fprintf(out, " (%.15g and %.15g done)\n", b->work[DIFF_BEFORE],
			b->work[DIFF_AFTER]);
	}
	putc('\n', out);
}

static void write_cpu_base(FILE *out, const struct diff_view *v)
{
	const struct diff_base *b = &v->opts->base;

	fprintf(out, "%s: %s", diff_scale_of(v).unit,
		b->unit == DIFF_SECONDS ? "CPU time (samples by their period)"
		: b->unit == DIFF_EVENTS
			? "events (samples by their period)"
			: "samples, as if both sides had the same period: how long "
			  "one stands is not in a .json beside each file");
	if (b->has_work)
		fputs(", by unit of work (--work)\n", out);
	else
		fprintf(out, ", of all that was done before and of all that was done after%s\n",
			b->is_asked ? " (--per cpu)"
				    : ": both sides were captured with a command or a filter of "
				      "processes (--per due compares by the machine's time)");
}

void diff_base_write(FILE *out, const struct diff_view *v)
{
	const struct diff_base *b = &v->opts->base;

	if (b->per == DIFF_PER_CPU)
		write_cpu_base(out, v);
	else if (b->per == DIFF_PER_DUE)
		fputs("%: of the expected samples (.json), the machine's time while it was "
		      "sampled; for CPU time of one run by one run: --per cpu, by unit of work: "
		      "--work BEFORE:AFTER\n",
		      out);
	else if (b->is_asked)
		fputs("%: of all samples of the side (--per share): what takes less makes all else "
		      "look more\n",
		      out);
	else
		fputs("%: of all samples of the side; how many were expected is not known without "
		      "a "
		      ".json beside each file. What takes less makes all else look more: --per "
		      "cpu "
		      "compares samples by samples\n",
		      out);
}

/* Of neighbouring parts that are alike many say no more than few. */
static void write_drift(FILE *out, const struct diff_view *v)
{
	const struct drift *drift = &v->rows.drift;
	size_t nr[NR_DIFF_SIDES];
	double of[NR_DIFF_SIDES];

	if (!drift->is_seen)
		return;
	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		nr[s] = diff_nr_batches(v->diff, s);
		of[s] = nr[s] / drift_inflation(drift, nr[s]);
	}
	fprintf(out,
		"drift: neighbouring parts are alike (correlation %.2f over all), so %zu and %zu "
		"parts say as much as %.1f and %.1f: only what is more than their wandering is "
		"marked\n",
		drift->share * drift->rho, nr[DIFF_BEFORE], nr[DIFF_AFTER], of[DIFF_BEFORE],
		of[DIFF_AFTER]);
}

void diff_test_write(FILE *out, const struct diff_view *v)
{
	const struct diff *d = v->diff;

	fputs("test: two Poisson rates, exact, given their sum", out);
	if (!diff_has_scatter(d)) {
		fputs("; it takes samples for independent, which neighbours are not: directories "
		      "of "
		      "snapshots are judged by how their windows scatter\n",
		      out);
		return;
	}
	fprintf(out,
		", and Student's t by the scatter of %zu and %zu parts: the larger p and the "
		"wider "
		"range of both\n",
		diff_nr_batches(d, DIFF_BEFORE), diff_nr_batches(d, DIFF_AFTER));
	write_drift(out, v);
}

void diff_level_write(FILE *out, const struct diff_view *v)
{
	fprintf(out,
		"expected false discoveries at most %.4g %% (Benjamini and Hochberg, %zu tests)\n",
		100 * v->opts->level, v->rows.nr_tests);
}
