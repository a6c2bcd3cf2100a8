// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is one rate of samples another than the other, more than chance makes them?  The test of `eddy
 * diff` with its formulas and its names: analysis/rate_test.c says why each is as it is, and
 * analysis/fdr.c how many of a list may be believed.
 */

const BETA_MAX = 1e6, DBL_EPSILON = 2 ** -52;

/* ln(n!) without its Stirling formula, n > 15. */
function stirlingSeries(n) {
	const nn = n * n;

	return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / nn) / nn) / nn) / nn) / n;
}

/* The same of every n > 0: n! by that of a larger one. */
function stirlingError(n) {
	const far = n + 16, half = Math.log(2 * Math.PI) / 2;
	let product = 1;

	if (n > 15)
		return stirlingSeries(n);
	for (let k = n + 1; k < far + 0.5; k++)
		product *= k;
	return (far + 0.5) * Math.log(far) - far + half + stirlingSeries(far) - Math.log(product) -
		((n + 0.5) * Math.log(n) - n + half);
}

/* x ln(x / m) + m - x */
function deviance(x, m) {
	if (Math.abs(x - m) >= 0.1 * (x + m))
		return x * Math.log(x / m) + m - x;
	const v = (x - m) / (x + m);
	let s = (x - m) * v, term = 2 * x * v;

	for (let k = 1; k < 1000; k++) {
		term *= v * v;
		const sum = s + term / (2 * k + 1);

		if (sum === s)
			break;
		s = sum;
	}
	return s;
}

function binomialTerm(a, b, p, q) {
	const n = a + b;

	return Math.exp(stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * p) -
		deviance(b, n * q)) * Math.sqrt(n / (2 * Math.PI * a * b));
}

function betaFraction(a, b, x, y) {
	const distance = a > b ? (a + b) * y - b : a - (a + b) * x;
	let f = a / (a + 1) * (distance + 1), c = f, d = 0;

	for (let n = 1; n < 100000; n++) {
		const at = a + 2 * n - 1;
		const alpha = (a + n - 1) / at * ((a + b + n - 1) / at) * (n * (b - n)) * x * x;
		const beta = n + n * (b - n) * x / at + (a + n) / (a + 2 * n + 1) *
			(distance + 1 + n * (1 + y));

		d = 1 / (beta + alpha * d);
		c = beta + alpha / c;
		f *= c * d;
		if (Math.abs(c * d - 1) < 4 * DBL_EPSILON)
			break;
	}
	return 1 / f;
}

/* I_x(a, b), y = 1 - x */
function betaBelow(a, b, x, y) {
	const front = binomialTerm(a, b, x, y) * a * b / (a + b);

	if (x <= (a + 1) / (a + b + 2))
		return front * betaFraction(a, b, x, y);
	return 1 - front * betaFraction(b, a, y, x);
}

/* The complementary error function: the series where it is not small, else the fraction. */
function erfc(x) {
	let sum = x, term = x, fraction = 1;

	if (x < 0)
		return 2 - erfc(-x);
	if (x > 2.5) {
		for (let k = 100; k > 0; k--)
			fraction = 1 + k / (2 * x * x) / fraction;
		return Math.exp(-x * x) / (x * Math.sqrt(Math.PI) * fraction);
	}
	for (let k = 1; term > sum * DBL_EPSILON; k++)
		sum += term *= 2 * x * x / (2 * k + 1);
	return 1 - 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
}

function tailExpansion(x, rest, p, q) {
	const n = x + rest, size = Math.sqrt(2 * (deviance(x, n * p) + deviance(rest, n * q)));
	const s = Math.log(x / (n * p)) - Math.log(rest / (n * q)), w = s < 0 ? -size : size;
	const u = 2 * Math.sinh(s / 2) * Math.sqrt(x * (rest / n));

	if (Math.abs(w) < 1e-3)
		return 0.5 - w / Math.sqrt(2 * Math.PI);
	return 0.5 * erfc(w / Math.SQRT2) + Math.exp(-w * w / 2) / Math.sqrt(2 * Math.PI) * (1 / u - 1 / w);
}

/* P(X >= k) of k + rest trials of probability p = 1 - q. */
function tailAtLeast(k, rest, p, q) {
	if (!k)
		return 1;
	if (k > BETA_MAX && rest > BETA_MAX)
		return tailExpansion(k - 0.5, rest + 0.5, p, q);
	return betaBelow(k, rest + 1, p, q);
}

/* P(|T| >= t) of Student's distribution. */
function studentTwoSided(t, df) {
	const tt = t * t;

	if (!tt)
		return 1;
	return tt === Infinity ? 0 : betaBelow(df / 2, 0.5, df / (df + tt), tt / (df + tt));
}

/* The p of two counts whose exposures are as `before` to `after`; df 0: the scatter is not known. */
function ratePairP(counts, [before, after], dispersion, df) {
	const n = counts[0] + counts[1], q = after / (before + after), rest = before / (before + after);
	const p = Math.min(1, 2 * Math.min(tailAtLeast(counts[1], counts[0], q, rest),
		tailAtLeast(counts[0], counts[1], rest, q)));

	if (!(df > 0))
		return p;
	return Math.max(p, studentTwoSided((counts[1] - n * q) / Math.sqrt(dispersion * n * q * rest), df));
}

/* The least p that so many samples could have. */
function ratePairLeastP(counts, [before, after]) {
	return Math.min(1, 2 * (Math.min(before, after) / (before + after)) ** (counts[0] + counts[1]));
}

/* Benjamini and Hochberg: of each p the least level at which it is believed. */
function adjustFalseDiscoveries(p) {
	const order = new Uint32Array(p.length).map((_, i) => i).sort((a, b) => p[a] - p[b]);
	const q = new Float64Array(p.length);
	let least = 1;

	for (let rank = p.length; rank > 0; rank--) {
		const i = order[rank - 1];

		least = Math.min(least, p[i] * p.length / rank);
		q[i] = least;
	}
	return q;
}
