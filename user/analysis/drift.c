// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of geometric series; the few numbers that were chosen by simulation stand together. */
#include "analysis/drift.h"

#include <math.h>

#define MAX_RHO	       0.97
#define MAX_REMOVED    0.9  /* of the variance, by taking the mean away */
#define LIST_FROM      1.5  /* standard deviations from which on a list drifts, */
#define LIST_SEEN      2.5  /* and from which on that is beyond doubt */
#define LIST_MORE      0.5  /* then so many of those of one member are added */
#define ONE_FROM       1.75 /* the same for one member */
#define ONE_MORE       1.5
#define ONE_LAG1_FROM  2.5
#define UNKNOWN_RHO_DF 0.5 /* share of the degrees of freedom that is lost by not knowing rho */

void drift_series_add(struct drift_series *s, size_t which, const double *residuals, size_t nr)
{
	s->lengths[which] = nr;
	for (size_t i = 0; i < nr; i++)
		s->squares += residuals[i] * residuals[i];
	if (nr < DRIFT_MIN_BATCHES)
		return;
	for (size_t k = 0; k <= DRIFT_MAX_LAG && k < nr; k++)
		for (size_t i = k; i < nr; i++)
			s->products[k] += residuals[i] * residuals[i - k];
}

/* Of one series: is it long enough to say something of drift? */
static bool is_long(size_t nr)
{
	return nr >= DRIFT_MIN_BATCHES;
}

/* Residuals in the series that are long enough, and how many pairs they have at a lag. */
static size_t nr_pairs(const struct drift_series *s, size_t lag)
{
	size_t nr = 0;

	for (int i = 0; i < DRIFT_MAX_SERIES; i++)
		if (is_long(s->lengths[i]))
			nr += s->lengths[i] - lag;
	return nr;
}

/* Lags of which even the shortest long series has several pairs. */
static size_t nr_lags(const struct drift_series *s)
{
	size_t least = 4 * DRIFT_MAX_LAG;

	for (int i = 0; i < DRIFT_MAX_SERIES; i++)
		if (is_long(s->lengths[i]) && s->lengths[i] < least)
			least = s->lengths[i];
	return least >= 3 * DRIFT_MAX_LAG ? DRIFT_MAX_LAG : least / 3;
}

double drift_inflation(const struct drift *d, size_t nr)
{
	double rest = 1 - d->rho;

	if (!(d->share > 0) || nr < 2)
		return 1;
	return 1 + 2 * d->share * d->rho / rest * (1 - (1 - pow(d->rho, nr)) / (nr * rest));
}

/* What the mean takes from each correlation. */
static double removed(const struct drift_series *s, const struct drift *d)
{
	double sum = 0, nr = 0;

	for (int i = 0; i < DRIFT_MAX_SERIES; i++) {
		if (!is_long(s->lengths[i]))
			continue;
		sum += drift_inflation(d, s->lengths[i]);
		nr += s->lengths[i];
	}
	return fmin(MAX_REMOVED, sum / nr);
}

static bool correlations_of(const struct drift_series *s, double ret[DRIFT_MAX_LAG + 1])
{
	size_t nr = nr_pairs(s, 0);

	if (!nr || !(s->products[0] > 0))
		return false;
	for (size_t k = 1; k <= nr_lags(s); k++)
		ret[k] = s->products[k] / s->products[0] * nr / nr_pairs(s, k);
	return true;
}

/* Sum of DRIFT_RHO^2k over the lags. */
static double filter_norm(const struct drift_series *s)
{
	double norm = 0, power = 1;

	for (size_t k = 1; k <= nr_lags(s); k++) {
		power *= DRIFT_RHO;
		norm += power * power;
	}
	return norm;
}

/* The share at DRIFT_RHO, as if no mean had been taken away of anything but white noise. */
static double filtered(const struct drift_series *s, const double correlations[])
{
	static const struct drift none;
	double sum = 0, power = 1, white = removed(s, &none);

	for (size_t k = 1; k <= nr_lags(s); k++) {
		power *= DRIFT_RHO;
		sum += power * (correlations[k] + white);
	}
	return sum / filter_norm(s);
}

static double filtered_sd(const struct drift_series *s)
{
	return 1 / sqrt(filter_norm(s) * nr_pairs(s, 0));
}

/* The process behind such a share: what it is depends on what the mean took, which depends on it */
static struct drift slow_drift(const struct drift_series *s, double share)
{
	static const struct drift none;
	struct drift d = { .share = fmax(0, fmin(1, share)), .rho = DRIFT_RHO };
	double sum = 0, power = 1;

	for (size_t k = 1; k <= nr_lags(s); k++)
		sum += power *= DRIFT_RHO;
	for (int i = 0; i < 30; i++) {
		double more = removed(s, &d), white = removed(s, &none);
		double left = share * (1 - (more - white)) + (more - white) * sum / filter_norm(s);

		d.share = fmax(0, fmin(1, left));
	}
	return d;
}

/* rho by the first correlation alone (share 1), or by the first two when there is a second. */
static struct drift fitted_drift(const struct drift_series *s, double first, const double *second)
{
	struct drift d = { 0 };

	for (int i = 0; i < 60; i++) {
		double gone = removed(s, &d), r1 = first * (1 - gone) + gone;

		if (r1 <= 0)
			return (struct drift){ 0 };
		d.rho = second ? fmax(r1, (*second * (1 - gone) + gone) / r1) : r1;
		d.rho = fmin(d.rho, MAX_RHO);
		d.share = fmin(1, r1 / d.rho);
	}
	return d;
}

static struct drift larger(const struct drift_series *s, struct drift a, struct drift b)
{
	return removed(s, &b) > removed(s, &a) ? b : a;
}

void drift_list_add(struct drift_list *l, const struct drift_series *s)
{
	double correlations[DRIFT_MAX_LAG + 1] = { 0 };

	if (!correlations_of(s, correlations))
		return;
	for (size_t k = 1; k <= DRIFT_MAX_LAG; k++)
		l->correlations[k] += correlations[k];
	if (nr_pairs(s, 0) > nr_pairs(&l->of, 0))
		l->of = *s;
	l->nr++;
}

struct drift drift_of_list(const struct drift_list *l)
{
	double mean[DRIFT_MAX_LAG + 1] = { 0 }, sd, share;
	struct drift d;

	if (!l->nr)
		return (struct drift){ 0 };
	for (size_t k = 1; k <= DRIFT_MAX_LAG; k++)
		mean[k] = l->correlations[k] / l->nr;
	share = filtered(&l->of, mean);
	sd = filtered_sd(&l->of) / sqrt(l->nr);
	if (share <= LIST_FROM * sd)
		return (struct drift){ 0 };
	d.is_seen = share > LIST_SEEN * sd;
	if (d.is_seen)
		share += LIST_MORE * filtered_sd(&l->of);
	d = larger(&l->of, slow_drift(&l->of, share), fitted_drift(&l->of, mean[1], &mean[2]));
	d.is_seen = share > LIST_SEEN * sd;
	return d;
}

struct drift drift_of(const struct drift_series *s, const struct drift *list)
{
	double correlations[DRIFT_MAX_LAG + 1] = { 0 }, share, sd, first, nr = nr_pairs(s, 0);
	struct drift d = *list;

	if (!correlations_of(s, correlations))
		return d;
	share = filtered(s, correlations);
	sd = filtered_sd(s);
	/* Where all drift, a member needs no more to be believed. */
	if (share > (list->is_seen ? 0 : ONE_FROM * sd))
		d = larger(s, d, slow_drift(s, share + ONE_MORE * sd));
	first = correlations[1];
	if ((first + removed(s, &(struct drift){ 0 })) * sqrt(nr) > ONE_LAG1_FROM) {
		first = fmin(1, first);
		d = larger(s, d, fitted_drift(s, first + sqrt((1 - first * first) / nr), NULL));
	}
	return d;
}

/* The trace of the squared matrix (I - J) R: what Satterthwaite's degrees of freedom need. */
static double squared_trace(const struct drift *d, size_t nr)
{
	double inflation = drift_inflation(d, nr), sum = nr, rows = 0, power = 1;

	for (size_t k = 1; k < nr; k++) {
		double r = d->share * (power *= d->rho);

		sum += 2 * (nr - k) * r * r;
	}
	power = 1;
	for (size_t i = 0; i < nr; i++, power *= d->rho) {
		double end = pow(d->rho, nr - 1 - i);
		double row = 1 + d->share * d->rho / (1 - d->rho) * (2 - power - end);

		rows += row * row;
	}
	return sum - 2 * rows / nr + inflation * inflation;
}

void drift_variance(const struct drift_series *s, const struct drift *d, double *ret_variance,
		    double *ret_df)
{
	double trace = 0, squared = 0, most = 1;

	for (int i = 0; i < DRIFT_MAX_SERIES; i++) {
		size_t nr = s->lengths[i];

		if (nr < 2)
			continue;
		trace += nr - drift_inflation(d, nr);
		squared += squared_trace(d, nr);
		most = fmax(most, drift_inflation(d, nr));
	}
	*ret_variance = s->squares / trace;
	*ret_df = trace * trace / squared * (1 - UNKNOWN_RHO_DF * (most - 1) / most);
}
