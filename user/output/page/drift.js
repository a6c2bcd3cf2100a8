// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do counts of consecutive parts hang together?  As analysis/drift.c has it, with its names: the
 * autocorrelation at lag k is share * rho^k, and many parts that wander slowly say as much as few.
 */

const MAX_LAG = 8, MIN_BATCHES = 12, DRIFT_RHO = 0.9, MAX_RHO = 0.97, MAX_REMOVED = 0.9;
const LIST_FROM = 1.5, LIST_SEEN = 2.5, LIST_MORE = 0.5, ONE_FROM = 1.75, ONE_MORE = 1.5;
const ONE_LAG1_FROM = 2.5, UNKNOWN_RHO_DF = 0.5;
const NO_DRIFT = { share: 0, rho: 0, isSeen: false };

const newSeries = () => ({ lengths: [0, 0], squares: 0, products: new Float64Array(MAX_LAG + 1) });

/* nr > 1 residuals of side `which`, from `from` on. */
function addSeries(s, which, residuals, nr) {
	s.lengths[which] = nr;
	for (let i = 0; i < nr; i++)
		s.squares += residuals[i] * residuals[i];
	if (nr < MIN_BATCHES)
		return;
	for (let k = 0; k <= MAX_LAG && k < nr; k++)
		for (let i = k; i < nr; i++)
			s.products[k] += residuals[i] * residuals[i - k];
}

const longOnes = (s) => s.lengths.filter((nr) => nr >= MIN_BATCHES);
const nrPairs = (s, lag) => longOnes(s).reduce((sum, nr) => sum + nr - lag, 0);

/* Lags of which even the shortest long series has several pairs. */
function nrLags(s) {
	const least = Math.min(4 * MAX_LAG, ...longOnes(s));

	return least >= 3 * MAX_LAG ? MAX_LAG : Math.floor(least / 3);
}

function driftInflation({ share, rho }, nr) {
	const rest = 1 - rho;

	if (!(share > 0) || nr < 2)
		return 1;
	return 1 + 2 * share * rho / rest * (1 - (1 - rho ** nr) / (nr * rest));
}

/* What the mean takes from each correlation. */
function removedBy(s, drift) {
	let sum = 0, all = 0;

	for (const nr of longOnes(s)) {
		sum += driftInflation(drift, nr);
		all += nr;
	}
	return Math.min(MAX_REMOVED, sum / all);
}

/* From lag 1 on; null: there is nothing to tell from. */
function correlationsOf(s) {
	const nr = nrPairs(s, 0), correlations = new Float64Array(MAX_LAG + 1);

	if (!nr || !(s.products[0] > 0))
		return null;
	for (let k = 1; k <= nrLags(s); k++)
		correlations[k] = s.products[k] / s.products[0] * nr / nrPairs(s, k);
	return correlations;
}

function filterNorm(s) {
	let norm = 0;

	for (let k = 1; k <= nrLags(s); k++)
		norm += DRIFT_RHO ** (2 * k);
	return norm;
}

/* The share at DRIFT_RHO. */
function filtered(s, correlations) {
	const white = removedBy(s, NO_DRIFT);
	let sum = 0;

	for (let k = 1; k <= nrLags(s); k++)
		sum += DRIFT_RHO ** k * (correlations[k] + white);
	return sum / filterNorm(s);
}

const filteredSd = (s) => 1 / Math.sqrt(filterNorm(s) * nrPairs(s, 0));

function slowDrift(s, share) {
	const d = { share: Math.max(0, Math.min(1, share)), rho: DRIFT_RHO, isSeen: false };
	const white = removedBy(s, NO_DRIFT), norm = filterNorm(s);
	let sum = 0;

	for (let k = 1; k <= nrLags(s); k++)
		sum += DRIFT_RHO ** k;
	for (let i = 0; i < 30; i++) {
		const more = removedBy(s, d) - white;

		d.share = Math.max(0, Math.min(1, share * (1 - more) + more * sum / norm));
	}
	return d;
}

/* By the first correlation alone, or by the first two. */
function fittedDrift(s, first, second) {
	const d = { share: 0, rho: 0, isSeen: false };

	for (let i = 0; i < 60; i++) {
		const gone = removedBy(s, d), r1 = first * (1 - gone) + gone;

		if (r1 <= 0)
			return NO_DRIFT;
		d.rho = second === null ? r1 : Math.max(r1, (second * (1 - gone) + gone) / r1);
		d.rho = Math.min(d.rho, MAX_RHO);
		d.share = Math.min(1, r1 / d.rho);
	}
	return d;
}

const largerDrift = (s, a, b) => (removedBy(s, b) > removedBy(s, a) ? b : a);

/* Of a list: sums over its members that have enough samples. */
const newDriftList = () => ({ correlations: new Float64Array(MAX_LAG + 1), of: newSeries(), nr: 0 });

function addToDriftList(list, s) {
	const correlations = correlationsOf(s);

	if (!correlations)
		return;
	for (let k = 1; k <= MAX_LAG; k++)
		list.correlations[k] += correlations[k];
	if (nrPairs(s, 0) > nrPairs(list.of, 0))
		list.of = s;
	list.nr++;
}

function driftOfList({ correlations, of, nr }) {
	if (!nr)
		return NO_DRIFT;
	const mean = correlations.map((sum) => sum / nr), own = filteredSd(of), sd = own / Math.sqrt(nr);
	let share = filtered(of, mean);

	if (share <= LIST_FROM * sd)
		return NO_DRIFT;
	if (share > LIST_SEEN * sd)
		share += LIST_MORE * own;
	const d = largerDrift(of, slowDrift(of, share), fittedDrift(of, mean[1], mean[2]));

	return { share: d.share, rho: d.rho, isSeen: share > LIST_SEEN * sd };
}

/* The drift of one member, given its list's. */
function driftOf(s, list) {
	const correlations = correlationsOf(s), nr = nrPairs(s, 0);
	let d = list;

	if (!correlations)
		return d;
	const share = filtered(s, correlations), sd = filteredSd(s);
	let first = correlations[1];

	if (share > (list.isSeen ? 0 : ONE_FROM * sd))
		d = largerDrift(s, d, slowDrift(s, share + ONE_MORE * sd));
	if ((first + removedBy(s, NO_DRIFT)) * Math.sqrt(nr) > ONE_LAG1_FROM) {
		first = Math.min(1, first);
		d = largerDrift(s, d, fittedDrift(s, first + Math.sqrt((1 - first * first) / nr), null));
	}
	return d;
}

function squaredTrace(d, nr) {
	const inflation = driftInflation(d, nr);
	let sum = nr, rows = 0;

	for (let k = 1; k < nr; k++)
		sum += 2 * (nr - k) * (d.share * d.rho ** k) ** 2;
	for (let i = 0; i < nr; i++)
		rows += (1 + d.share * d.rho / (1 - d.rho) * (2 - d.rho ** i - d.rho ** (nr - 1 - i))) ** 2;
	return sum - 2 * rows / nr + inflation * inflation;
}

/* The variance of one part, and its degrees of freedom. */
function driftVariance(s, d) {
	let trace = 0, squared = 0, most = 1;

	for (const nr of s.lengths.filter((length) => length > 1)) {
		const inflation = driftInflation(d, nr);

		trace += nr - inflation;
		squared += squaredTrace(d, nr);
		most = Math.max(most, inflation);
	}
	return { variance: s.squares / trace,
		df: trace * trace / squared * (1 - UNKNOWN_RHO_DF * (most - 1) / most) };
}
