// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tails of the binomial and of Student's distribution by the continued fraction of the incomplete
 * beta function.  What stands before the fraction is a binomial probability, taken
 * by Loader's expansion (Fast and Accurate Computation of Binomial Probabilities, 2000), which
 * keeps all its digits where differences of lgamma() lose them.  The fraction takes about
 * sqrt(min(a, b)) steps; beyond BETA_MAX the tail is Lugannani and Rice's with its correction for
 * lattices (Daniels 1987), whose relative error is below 1e-8 by then: no count takes long.
 */
#include "analysis/rate_test.h"

#include <float.h>
#include <math.h>

#define BETA_MAX 1e6

/* ln(n!) without its Stirling formula. */
static double stirling_error(double n)
{
	double nn = n * n;

	if (n <= 15)
		return lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.5 * log(2 * M_PI);
	return (1. / 12 - (1. / 360 - (1. / 1260 - (1. / 1680 - 1. / 1188 / nn) / nn) / nn) / nn) /
	       n;
}

/* x ln(x / m) + m - x, to full precision where x is near m. */
static double deviance(double x, double m)
{
	double v, s, term;

	if (fabs(x - m) >= 0.1 * (x + m))
		return x * log(x / m) + m - x;
	v = (x - m) / (x + m);
	s = (x - m) * v;
	term = 2 * x * v;
	v *= v;
	for (int k = 1; k < 1000; k++) {
		double sum = s + (term *= v) / (2 * k + 1);

		if (sum == s)
			break;
		s = sum;
	}
	return s;
}

/* Gamma(a + b + 1) / (Gamma(a + 1) Gamma(b + 1)) p^a q^b for a, b > 0. */
static double binomial_term(double a, double b, double p, double q)
{
	double n = a + b;

	return exp(stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * p) -
		   deviance(b, n * q)) *
	       sqrt(n / (2 * M_PI * a * b));
}

/*
 * The fraction for I_x(a, b) of DiDonato and Morris (Algorithm 708, 1992, equation 9) by Lentz's
 * method; x below the mean.  x = 1 - y comes in by how far it is from the mean, which stays exact
 * where x rounds to 1.
 */
static double beta_fraction(double a, double b, double x, double y)
{
	double distance = a > b ? (a + b) * y - b : a - (a + b) * x;
	double f = a / (a + 1) * (distance + 1), c = f, d = 0;

	for (int n = 1; n < 100000; n++) {
		double at = a + 2 * n - 1, step;
		double alpha = (a + n - 1) / at * ((a + b + n - 1) / at) * (n * (b - n)) * x * x;
		double beta = n + n * (b - n) * x / at +
			      (a + n) / (a + 2 * n + 1) * (distance + 1 + n * (1 + y));

		d = 1 / (beta + alpha * d);
		c = beta + alpha / c;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 4 * DBL_EPSILON)
			break;
	}
	return 1 / f;
}

/* I_x(a, b), y = 1 - x. */
static double beta_below(double a, double b, double x, double y)
{
	double front = binomial_term(a, b, x, y) * a * b / (a + b);

	if (x <= (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x, y);
	return 1 - front * beta_fraction(b, a, y, x);
}

/* P(X >= x) by the expansion, where x and rest are half-way between integers, and large. */
static double tail_expansion(double x, double rest, double p, double q)
{
	double n = x + rest, w = sqrt(2 * (deviance(x, n * p) + deviance(rest, n * q)));
	double s = log(x / (n * p)) - log(rest / (n * q));
	double u = 2 * sinh(s / 2) * sqrt(x * (rest / n));

	if (s < 0)
		w = -w;
	if (fabs(w) < 1e-3)
		return 0.5 - w / sqrt(2 * M_PI);
	return 0.5 * erfc(w / M_SQRT2) + exp(-w * w / 2) / sqrt(2 * M_PI) * (1 / u - 1 / w);
}

/*
 * P(X >= k) of k + rest trials, k > 0.  The two counts travel apart, here and below: of a sum with
 * a very large one the small one could not be told again.
 */
static double tail_at_least(double k, double rest, double p, double q)
{
	if (k > BETA_MAX && rest > BETA_MAX)
		return tail_expansion(k - 0.5, rest + 0.5, p, q);
	return beta_below(k, rest + 1, p, q);
}

void binomial_tails(uint64_t k, uint64_t rest, double p, double q, double *ret_at_most,
		    double *ret_at_least)
{
	*ret_at_least = k ? tail_at_least(k, rest, p, q) : 1;
	*ret_at_most = rest ? tail_at_least(rest, k, q, p) : 1;
}

double student_two_sided(double t, double df)
{
	double tt = t * t;

	if (!tt)
		return 1;
	if (isinf(tt))
		return 0;
	return beta_below(df / 2, 0.5, df / (df + tt), tt / (df + tt));
}

/* The t that a two-sided p belongs to: halving an interval, for it is asked for seldom. */
static double student_quantile(double p, double df)
{
	double low = 0, high = 1;

	while (student_two_sided(high, df) > p && high < 1e150)
		high *= 2;
	for (int i = 0; i < 80; i++) {
		double mid = low + (high - low) / 2;

		if (student_two_sided(mid, df) > p)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* ---- the test -------------------------------------------------------------------------------- */

static double share_after(const struct rate_pair *r)
{
	return r->due_after / (r->due_before + r->due_after);
}

static double share_before(const struct rate_pair *r)
{
	return r->due_before / (r->due_before + r->due_after);
}

static double p_exact(const struct rate_pair *r)
{
	double at_most, at_least, p;

	binomial_tails(r->after, r->before, share_after(r), share_before(r), &at_most, &at_least);
	p = 2 * fmin(at_most, at_least);
	return p < 1 ? p : 1;
}

static double p_scatter(const struct rate_pair *r)
{
	double n = (double)(r->before + r->after), q = share_after(r);
	double sd = sqrt(r->dispersion * n * q * share_before(r));

	return student_two_sided((r->after - n * q) / sd, r->df);
}

double rate_pair_p(const struct rate_pair *r)
{
	double p;

	if (!r->before && !r->after)
		return 1;
	p = p_exact(r);
	return r->df > 0 ? fmax(p, p_scatter(r)) : p;
}

double rate_pair_least_p(const struct rate_pair *r)
{
	double n = (double)(r->before + r->after);
	double share = fmin(share_before(r), share_after(r)), p = 2 * pow(share, n);

	return p < 1 ? p : 1;
}

double rate_pair_ratio(const struct rate_pair *r)
{
	if (!r->before)
		return r->after ? INFINITY : NAN;
	return r->after / r->due_after / (r->before / r->due_before);
}

/*
 * The log odds at which P(X >= k) of k + rest trials is `tail`, k > 0.  ln P is concave in them,
 * and its slope is a binomial probability over P, so Newton's steps converge from the first on; the
 * bracket is there for rounding.
 */
static double odds_of_tail(double k, double rest, double tail)
{
	double low = -100, high = 100, b = rest + 1;
	double at = log((k - 0.5) / (rest + 0.5)) - 2 / sqrt(k);

	for (int i = 0; i < 100; i++) {
		double q = 1 / (1 + exp(at)), p = 1 / (1 + exp(-at));
		double is = tail_at_least(k, rest, p, q), slope, next;

		if (is < tail)
			low = at;
		else
			high = at;
		slope = binomial_term(k, b, p, q) * k * b / (k + b) / is;
		next = at - log(is / tail) / slope;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		if (fabs(next - at) < 1e-13 * (1 + fabs(at)))
			return next;
		at = next;
	}
	return at;
}

/* Ends of Wilson's interval, z^2 = zz, as odds y : n - y. */
static void wilson_odds(double x, double y, double zz, double *ret_low, double *ret_high)
{
	double n = x + y, centre = y + zz / 2, half = sqrt(zz * (x * (y / n) + zz / 4));
	double low = centre - half, high = centre + half;

	*ret_low = y ? low / (n + zz - low) : 0;
	*ret_high = x ? high / (n + zz - high) : INFINITY;
}

void rate_pair_interval(const struct rate_pair *r, double confidence, double *ret_low,
			double *ret_high)
{
	double x = r->before, y = r->after, tail = (1 - confidence) / 2;
	double scale = r->due_before / r->due_after, low = 0, high = INFINITY;

	if (y)
		low = exp(odds_of_tail(y, x, tail));
	if (x)
		high = exp(-odds_of_tail(x, y, tail));
	if (r->df > 0 && x + y > 0) {
		double t = student_quantile(1 - confidence, r->df), wide_low, wide_high;

		wilson_odds(x, y, t * t * r->dispersion, &wide_low, &wide_high);
		low = fmin(low, wide_low);
		high = fmax(high, wide_high);
	}
	*ret_low = low * scale;
	*ret_high = high * scale;
}
