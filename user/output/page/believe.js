// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list of tests and the counts that they are about: analysis/diff_compare.c, with its names.
 * Counts of one thing are those of the parts of both sides, one behind the other.
 */

const MIN_DF = 4, MIN_SHARING = 10, MAX_SHARED = 10, OUTLIER = 2, LEVEL = 0.05;
const NO_SAMPLES = -1, TOO_FEW = -2; /* instead of a p */

/* Smyth 2004: what estimates of dispersions that scatter as df explains are estimates of. */
function shareDispersion(dispersions, df) {
	const nr = dispersions.length, half = df / 2;
	let sum = 0, squares = 0;

	if (nr < MIN_SHARING)
		return { dispersion: 0, df: 0 };
	for (const dispersion of dispersions) {
		const e = Math.log(Math.max(dispersion, 1e-6)) + 1 / (2 * half) + 1 / (12 * half * half);

		sum += e;
		squares += e * e;
	}
	sum /= nr;
	const excess = (squares - nr * sum * sum) / (nr - 1) - 1 / half - 1 / (2 * half * half);

	return { dispersion: Math.exp(sum),
		df: excess > 0 ? Math.min(2 / excess + 1, MAX_SHARED * df) : MAX_SHARED * df };
}

/* By how many standard deviations a sum of squares is more than chance (Wilson and Hilferty). */
const chiExcess = (squares, df) =>
	(Math.cbrt(squares / df) - 1 + 2 / (9 * df)) / Math.sqrt(2 / (9 * df));

class TestList {
	/* dues: of the parts of each side; isSeen: of each counts one look(), then settle() */
	constructor(dues) {
		this.dues = dues;
		this.lengths = dues.map((side) => side.length);
		this.due = dues.map((side) => side.reduce((sum, due) => sum + due, 0));
		this.nrParts = this.lengths[0] + this.lengths[1];
		this.hasScatter = this.nrParts - 2 >= MIN_DF;
		this.room = new Float64Array(Math.max(...this.lengths));
		this.sums = [0, 0];
		this.usual = 1;
		this.shared = { dispersion: 0, df: 0 };
		this.drift = NO_DRIFT;
		this.seen = { dispersions: [], list: newDriftList(), mostDf: 0 };
	}
	/* Sums of the sides; false: there is nothing. */
	add(counts, from) {
		const { lengths: [before], nrParts, sums } = this;

		sums[0] = sums[1] = 0;
		for (let k = 0; k < before; k++)
			sums[0] += counts[from + k];
		for (let k = before; k < nrParts; k++)
			sums[1] += counts[from + k];
		return sums[0] + sums[1] > 0;
	}
	/* Pearson's residuals of the sides that have any of it, and their degrees of freedom. */
	seriesOf(counts, from) {
		const { dues, lengths, room, sums } = this, series = newSeries();
		let at = from, df = 0;

		for (let s = 0; s < 2; at += lengths[s++]) {
			const rate = sums[s] / this.due[s], nr = lengths[s];

			if (nr < 2 || !sums[s])
				continue;
			for (let i = 0; i < nr; i++) {
				const e = Math.sqrt(rate * dues[s][i]);

				room[i] = counts[at + i] / e - e;
			}
			addSeries(series, s, room, nr);
			df += nr - 1;
		}
		return { series, df };
	}
	/* What the list is to know of a member; null: too little. */
	lookAt(counts, from) {
		if (!this.hasScatter || !this.add(counts, from) ||
			this.sums[0] + this.sums[1] < this.nrParts)
			return null;
		const found = this.seriesOf(counts, from);

		return found.df < MIN_DF ? null : found;
	}
	/* isAgain: the counts are those of the member before. */
	look(counts, from, isAgain) {
		const { seen } = this;

		if (!isAgain)
			seen.last = this.lookAt(counts, from);
		if (!seen.last)
			return;
		seen.mostDf = Math.max(seen.mostDf, seen.last.df);
		seen.dispersions.push(seen.last.series.squares / seen.last.df);
		addToDriftList(seen.list, seen.last.series);
	}
	settle() {
		const { dispersions, list, mostDf } = this.seen;

		if (!dispersions.length)
			return;
		const sorted = Float64Array.from(dispersions).sort();

		this.usual = Math.max(1, sorted[sorted.length >> 1]);
		this.shared = shareDispersion(sorted, mostDf);
		this.drift = driftOfList(list);
	}
	/* What the drift makes of both sides together; one part drifts as the other side's do. */
	inflationOf(drift) {
		const [before, after] = this.lengths.map((nr, s) =>
			driftInflation(drift, nr > 1 ? nr : this.lengths[1 - s]));

		return (after * this.due[0] + before * this.due[1]) / (this.due[0] + this.due[1]);
	}
	/* Without drift: the dispersion of its own and the list's together, unless it stands out. */
	moderate({ variance, df }) {
		const { shared } = this, own = variance * df, all = df + shared.df;

		if (!(shared.df > 0) || chiExcess(own / Math.max(1, shared.dispersion), df) > OUTLIER)
			return { variance, df };
		return { variance: (own + shared.df * shared.dispersion) / all, df: all };
	}
	scatterOf(counts, from) {
		const { series, df } = this.seriesOf(counts, from), drift = driftOf(series, this.drift);
		let found = { variance: (series.squares + (MIN_DF - df) * this.usual) / MIN_DF, df: MIN_DF };

		if (df >= MIN_DF) {
			found = driftVariance(series, drift);
			if (!(drift.share > 0))
				found = this.moderate(found);
		}
		return { dispersion: Math.max(1, found.variance) * this.inflationOf(drift), df: found.df };
	}
	/* The p, or why there is none. */
	compare(counts, from) {
		if (!this.add(counts, from))
			return NO_SAMPLES;
		if (!(ratePairLeastP(this.sums, this.due) <= LEVEL))
			return TOO_FEW;
		const { dispersion, df } = this.hasScatter ? this.scatterOf(counts, from) :
			{ dispersion: 1, df: 0 };

		return ratePairP(this.sums, this.due, dispersion, df);
	}
}

/* p of each subject, in lists that are believed together, to bytes as in enum html_test. */
function markTests(...lists) {
	const tested = [].concat(...lists.map((list) => Array.from(list.filter((p) => p >= 0))));
	const q = adjustFalseDiscoveries(Float64Array.from(tested));
	let at = 0;

	return { nr: tested.length, marks: lists.map((list) => Uint8Array.from(list, (p) =>
		(p < 0 ? UNTESTED : q[at++] <= LEVEL ? MARKED : UNMARKED))) };
}

/* ---- counts of a tree by part ---------------------------------------------------------------- */

/* The counts that end at each node, node by node: of node i those from start[i] to start[i + 1]. */
function cellsByNode(time, parts, nr) {
	const start = new Uint32Array(nr + 1);

	for (const ranges of parts)
		time.eachCell(ranges, (node) => start[node + 1]++);
	for (let i = 0; i < nr; i++)
		start[i + 1] += start[i];
	const part = new Uint8Array(start[nr]), count = new Float64Array(start[nr]);
	const next = start.slice();

	parts.forEach((ranges, p) => time.eachCell(ranges, (node, own) => {
		part[next[node]] = p;
		count[next[node]++] = own;
	}));
	return { start, part, count };
}

/*
 * visit(node, counts, from, isAgain) with what is at and under each node, the last first; isAgain:
 * they are those of the node before, its only callee.
 */
function visitSums(tree, cells, nrParts, visit) {
	const counts = new Float64Array((tree.maxLevel + 2) * nrParts), { level } = tree;
	const { start, part, count } = cells, { end } = tree;

	for (let i = tree.nr - 1; i >= 0; i--) {
		const at = level[i] * nrParts, under = at + nrParts;
		const isAgain = i + 1 < end[i] && end[i + 1] === end[i] && start[i] === start[i + 1];

		for (let k = start[i]; k < start[i + 1]; k++)
			counts[under + part[k]] += count[k];
		visit(i, counts, under, isAgain);
		for (let p = 0; p < nrParts; p++) {
			counts[at + p] += counts[under + p];
			counts[under + p] = 0;
		}
	}
}

/* By function and part: samples whose stack holds it, and those that end in it. */
function functionCounts(tree, cells, nrParts, nrNames, onNode) {
	const inclusive = new Float64Array(nrNames * nrParts), self = new Float64Array(nrNames * nrParts);
	const hops = hopsOf(tree, nrNames), { name } = tree, { start, part, count } = cells;

	visitSums(tree, cells, nrParts, (i, counts, from, isAgain) => {
		const to = name[i] * nrParts;

		onNode(counts, from, isAgain);
		if (!i)
			return;
		for (let k = start[i]; k < start[i + 1]; k++)
			self[to + part[k]] += count[k];
		for (let p = 0; !hops[i] && p < nrParts; p++)
			inclusive[to + p] += counts[from + p];
	});
	return { inclusive, self };
}

function testFunctions(dues, counts, nrNames) {
	const list = new TestList(dues), { nrParts } = list, p = new Float64Array(nrNames);

	for (let f = 0; f < nrNames; f++)
		list.look(counts, f * nrParts);
	list.settle();
	for (let f = 0; f < nrNames; f++)
		p[f] = list.compare(counts, f * nrParts);
	return { p, list };
}

/*
 * The tests of eddy diff, of functions and of the stacks through each node.  parts: ranges of time,
 * first those of the side before; dues: what was due in each, by side.
 */
function testParts(tree, time, parts, dues, nrNames) {
	const cells = cellsByNode(time, parts, tree.nr), paths = new TestList(dues);
	const pathP = new Float64Array(tree.nr).fill(NO_SAMPLES);
	const counts = functionCounts(tree, cells, parts.length, nrNames, (...member) =>
		paths.look(...member));
	const [inclusive, self] = [counts.inclusive, counts.self].map((column) =>
		testFunctions(dues, column, nrNames));

	paths.settle();
	visitSums(tree, cells, parts.length, (i, sums, from, isAgain) => {
		pathP[i] = isAgain ? pathP[i + 1] : paths.compare(sums, from);
	});
	const functions = markTests(inclusive.p, self.p), [marked, own] = functions.marks;
	const functionTests = new Uint8Array(2 * nrNames);

	for (let f = 0; f < nrNames; f++) {
		functionTests[2 * f] = marked[f];
		functionTests[2 * f + 1] = own[f];
	}
	return {
		functionTests, nr: functions.nr, p: { inclusive: inclusive.p, self: self.p, paths: pathP },
		tests: markTests(pathP).marks[0], hasScatter: paths.hasScatter,
		drift: self.list.drift.isSeen ? self.list.drift : inclusive.list.drift,
	};
}
