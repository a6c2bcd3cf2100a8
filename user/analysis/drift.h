/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do counts of consecutive batches hang together?  A rate that wanders slowly (load over a day, a
 * cache that fills) scatters little from one window to the next and much from one hour to another:
 * the scatter of n such windows says less than that of n independent ones.
 *
 * The autocorrelation of a series of residuals is taken to be share * rho^k at lag k: a rate that
 * is an AR(1) process, seen through counts, whose own (Poisson) scatter is white and leaves less
 * than 1 of it at lag 1.  Then the variance of the sum of n batches is that of n independent ones
 * times
 *
 *	inflation = 1 + 2 sum over k of (1 - k/n) share rho^k
 *
 * and what the batches scatter about their own mean is n - inflation times the variance of one,
 * with the degrees of freedom that Satterthwaite's approximation gives such a sum of squares (Box
 * 1954).
 *
 * The share is the sum of the autocorrelations at lags 1 to DRIFT_MAX_LAG, weighted by
 * DRIFT_RHO^lag: that finds slow drift, and little else.  Residuals about the mean of their own
 * series correlate less than the process by inflation / n, which is put back.  It is estimated for
 * the whole list, where weak drift shows, and for each function, since one may drift where others
 * do not; the larger inflation counts.  Where drift is seen, the estimate errs on the large side
 * by some standard deviations and the degrees of freedom are fewer: rho of a short series is not
 * known well, and too small a one makes false marks.  By how much was chosen by simulation
 * (tests/unit/analysis/test_diff_drift.c).
 */
#ifndef EDDY_ANALYSIS_DRIFT_H
#define EDDY_ANALYSIS_DRIFT_H

#include <stdbool.h>
#include <stddef.h>

enum { DRIFT_MAX_LAG = 8, DRIFT_MIN_BATCHES = 12, DRIFT_MAX_SERIES = 2 };
#define DRIFT_RHO 0.9

/* Series about one thing, each about its own mean; the sums of all of them. */
struct drift_series {
	size_t lengths[DRIFT_MAX_SERIES];   /* 0: there is none */
	double squares;			    /* sum of squared residuals */
	double products[DRIFT_MAX_LAG + 1]; /* of r[i] r[i + k], of series of DRIFT_MIN_BATCHES */
};

/* Series number `which` of a thing that was zero at first: nr > 1 residuals in order of time. */
void drift_series_add(struct drift_series *s, size_t which, const double *residuals, size_t nr);

/* Autocorrelation share * rho^lag; zero: none. */
struct drift {
	double share, rho;
	bool is_seen; /* beyond doubt, worth a word */
};

/* The drift of a list: sums over its members that have enough samples. */
struct drift_list {
	double correlations[DRIFT_MAX_LAG + 1]; /* sums over members */
	struct drift_series of;			/* the lengths of the longest */
	size_t nr;
};

void drift_list_add(struct drift_list *l, const struct drift_series *s);
struct drift drift_of_list(const struct drift_list *l);

/* The drift of one member, given its list's. */
struct drift drift_of(const struct drift_series *s, const struct drift *list);

/* The inflation of a series of nr. */
double drift_inflation(const struct drift *d, size_t nr);

/*
 * The variance of one batch, and its degrees of freedom; at least one series.  Without drift these
 * are the sum of squares by the sum of lengths less one each, and that sum.
 */
void drift_variance(const struct drift_series *s, const struct drift *d, double *ret_variance,
		    double *ret_df);

#endif
