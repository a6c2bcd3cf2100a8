/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two rates of samples compared: is a function's share of the CPU time different after than
 * before, and by how much?
 *
 * Samples x, y are counted over exposures E, F (samples due, that is CPU time).  If both rates are
 * equal, then, given n = x + y, the count y is binomial with n trials and probability
 * F / (E + F): the conditional test of two Poisson rates (Przyborowski and Wilenski 1940; Lehmann
 * and Romano, Testing Statistical Hypotheses, 4.5).  It is exact, whatever the counts.
 *
 *	p	twice the smaller tail of that binomial, at most 1 (the "central" test)
 *	ratio	the interval of Clopper and Pearson for the binomial's probability q, as
 *		q / (1 - q) * E / F; it holds 1 exactly when p > 1 - confidence
 *
 * A tick of the clock gives one sample or none, so counts are a little less dispersed than
 * Poisson's and the test errs on the safe side for functions with a large share.  But neighbouring
 * samples are not independent: what runs now ran a tick ago.  Where both counts came in batches,
 * their variance is known to be `dispersion` times Poisson's, estimated with `df` degrees of
 * freedom (quasi-Poisson: McCullagh and Nelder, Generalized Linear Models, 6.2.3), and
 *
 *	t = (y - n q) / sqrt(dispersion n q (1 - q)),  q = F / (E + F)
 *
 * is compared with Student's distribution; its interval is Wilson's with t^2 dispersion for z^2.
 * The larger p and the wider interval of both are given: few samples speak by the exact test,
 * many by their scatter.
 */
#ifndef EDDY_ANALYSIS_RATE_TEST_H
#define EDDY_ANALYSIS_RATE_TEST_H

#include <stdint.h>

struct rate_pair {
	uint64_t before, after;	      /* samples; their sum is within 64 bits */
	double due_before, due_after; /* exposures, > 0 */
	double dispersion;	      /* of the counts, >= 1; looked at when df > 0 */
	double df;		      /* degrees of freedom of that estimate; 0: there is none */
};

/* The p value: 0 to 1; 1 when there is no sample at all. */
double rate_pair_p(const struct rate_pair *r);

/*
 * The smallest p that this many samples could have given, however they had fallen.  It depends on
 * their sum alone, and so do the p values of equal rates only beyond it: leaving out of a family
 * of tests those that cannot speak favours none.
 */
double rate_pair_least_p(const struct rate_pair *r);

/* The rate after by that before; INFINITY when before has none, NAN when both have none. */
double rate_pair_ratio(const struct rate_pair *r);

/* The interval of that ratio at a confidence (0.95); 0 and INFINITY are possible ends. */
void rate_pair_interval(const struct rate_pair *r, double confidence, double *ret_low,
			double *ret_high);

/* P(X <= k) and P(X >= k) of k + rest trials of probability p = 1 - q. */
void binomial_tails(uint64_t k, uint64_t rest, double p, double q, double *ret_at_most,
		    double *ret_at_least);

/* P(|T| >= t) of Student's distribution with df > 0 degrees of freedom. */
double student_two_sided(double t, double df);

#endif
