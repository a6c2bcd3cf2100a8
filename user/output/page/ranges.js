// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two ranges of the page's time compared: what each side is made of, and the parts that its test
 * goes by, which are those of `eddy diff` (load/diff_input.c).  No sample is on both sides: what both
 * ranges have counts as before.
 */

const MAX_PARTS = 32;

/* A range without what another one has: no, one or two ranges. */
function rangeWithout([first, last], [from, to]) {
	const left = [[first, Math.min(last, from - 1)], [Math.max(first, to + 1), last]];

	return left.filter(([a, b]) => a <= b);
}

const nrSlotsOf = (ranges) => ranges.reduce((nr, [first, last]) => nr + last + 1 - first, 0);

/* Slots number from..to - 1 of some ranges. */
function cutRanges(ranges, from, to) {
	const cut = [];
	let at = 0;

	for (const [first, last] of ranges) {
		const a = first + Math.max(0, from - at), b = Math.min(last, first + to - at - 1);

		if (a <= b)
			cut.push([a, b]);
		at += last + 1 - first;
	}
	return cut;
}

/* At most MAX_PARTS of about as many slots, each with what was due in it. */
function partsOf(time, ranges, per) {
	const nr = nrSlotsOf(ranges), wanted = Math.min(nr, MAX_PARTS), parts = [], dues = [];
	const dueOf = (from, to) => cutRanges(ranges, from, to).reduce((sum, range) =>
		sum + time.sums(range)[per === 'due' ? 'due' : 'sum'], 0);
	let from = 0;

	for (let b = 1; b <= wanted; b++) {
		const to = Math.floor(nr * b / wanted), due = dueOf(from, to);

		/* Where nothing was due is no part, it goes with others. */
		if (per === 'due' && to < nr && (!due || !dueOf(to, nr)))
			continue;
		if (due > 0) {
			parts.push(cutRanges(ranges, from, to));
			dues.push(due);
		}
		from = to;
	}
	return { parts, dues };
}

/* What rates are taken by: what was due, or else all samples of each side. */
function sideDues(time, sides) {
	const sums = sides.map((ranges) => ranges.map((range) => time.sums(range)));
	const per = sums.every((side) => side.every(({ due }) => due)) ? 'due' : 'share';
	const due = sums.map((side) => side.reduce((all, sum) =>
		all + (per === 'due' ? sum.due : sum.sum), 0) || 1);

	return { per, due };
}

/* Why two ranges are not tested; '': they are. */
function untestedText({ meta }, sides) {
	if (!sides[1].length)
		return 'One range holds the other: not tested what is more than chance.';
	if (meta.unit)
		return 'Counts are not samples: not tested what is more than chance.';
	return '';
}

function testText({ nr, hasScatter, drift }, [before, after]) {
	const how = hasScatter ? ` and by the scatter of ${before} and ${after} parts` :
		'; it takes samples for independent, which neighbours are not: ranges of more ' +
		'windows are judged by how these scatter';

	return `Tested as by eddy diff: two Poisson rates${how}` + (drift.isSeen ?
		'; neighbouring parts are alike, and only what is more than their wandering is marked' :
		'') + `. Expected false discoveries: at most ${100 * LEVEL} % of ${nr} tests.`;
}

/* The tree with both sides, and what a Comparison needs; text: how it was tested, or why not. */
function compareRanges({ tree, time, meta, functions }, range, versus) {
	const sides = [[range], rangeWithout(versus, range)], why = untestedText({ meta }, sides);
	const shown = sides[1].length ? sides : [[range], [versus]];
	const about = Object.assign(sideDues(time, shown), { whole: 1,
		names: [range, versus].map((any) => time.text(any)) });
	const columns = shown.map((ranges) => time.column(ranges, tree.nr));
	const both = addSides(Object.assign({}, tree), columns);

	if (why)
		return { tree: both, about, tests: null, text: why };
	const parted = sides.map((ranges) => partsOf(time, ranges, about.per));
	const [before, after] = parted.map(({ dues }) => dues);

	if (!before.length || !after.length)
		return { tree: both, about, tests: null, text: 'One range has nothing to compare.' };
	const found = testParts(both, time, [].concat(...parted.map(({ parts }) => parts)),
		[before, after], functions.names.length);

	both.tests = found.tests;
	return { tree: both, about, tests: found.functionTests, found,
		text: testText(found, [before.length, after.length]) };
}
