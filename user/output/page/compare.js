// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What changed between two sides: the numbers are of samples, rates by what the page says they are
 * taken by (meta.diff), and whether a change may be believed was tested by eddy diff.  A box has
 * the test of the stacks through it; where stacks were put together, that of its function.
 */

/* As in enum html_test, and of what was not a test's subject. */
const UNTESTED = 0, UNMARKED = 1, MARKED = 2, UNKNOWN = 3;
const SAME = 0, MORE = 1, LESS = 2, FEW = 3, OTHER = 4;
const CHANGES = [
	{ name: 'no more than chance', sign: '', hue: 220, colour: 5 },
	{ name: 'more after', sign: '▲', hue: 26, colour: 84 },
	{ name: 'less after', sign: '▼', hue: 205, colour: 68 },
	{ name: 'too few samples to tell', sign: '', hue: 220, colour: 3 },
	{ name: 'not tested', sign: '', hue: 220, colour: 3 },
];

function changeColour(change, shade, isDark) {
	const { hue, colour } = CHANGES[change];
	const light = change >= FEW ? (isDark ? 19 : 94) : change === SAME ? (isDark ? 27 : 86) :
		isDark ? 30 + 4 * shade : 84 - 6 * shade;

	return `hsl(${hue} ${isDark ? Math.round(colour * 0.75) : colour}% ${light}%)`;
}

/* By change and by how strong it is. */
const makeChangePalette = (isDark) => CHANGES.map((_, change) =>
	Array.from({ length: SHADES }, (__, shade) => changeColour(change, shade, isDark)));

class Comparison {
	/* about: whole, due; tests: of the functions, null: ranges of the page itself, not tested */
	constructor(about, tree, tests) {
		Object.assign(this, about, { tree, functionTests: tests, isTested: Boolean(tests) });
	}
	/* In percent of what rates are taken by, as eddy diff prints it. */
	percent(count, side) {
		return 100 / this.whole * (count / this.due[side]);
	}
	change(before, after) {
		return 100 * (after / this.due[1] - before / this.due[0]) / this.whole;
	}
	verdict(test, before, after) {
		if (!this.isTested)
			return [LESS, SAME, MORE][Math.sign(this.change(before, after)) + 1];
		if (test !== MARKED)
			return [FEW, SAME, MARKED, OTHER][test];
		return this.change(before, after) > 0 ? MORE : LESS;
	}
	countsOf(tree, node) {
		return tree.sideTotals.map((total) => total[node]);
	}
	/* isWhole: all stacks of the page are in the tree, so tests of functions are about it. */
	testOf(tree, node, isWhole) {
		if (!this.isTested)
			return UNKNOWN;
		if (tree.tests)
			return tree.tests[node];
		if (!isWhole)
			return UNKNOWN;
		return node ? this.functionTests[2 * tree.name[node]] : this.tree.tests[0];
	}
	verdictOf(tree, node, isWhole) {
		return this.verdict(this.testOf(tree, node, isWhole), ...this.countsOf(tree, node));
	}
	/* 0 a little to SHADES - 1 new or gone. */
	shadeOf(tree, node) {
		const [a, b] = this.countsOf(tree, node).map((count, k) => count / this.due[k]);

		return Math.min(SHADES - 1, Math.floor(SHADES * Math.abs(b - a) / (a + b || 1)));
	}
	percentText(count, side) {
		return `${this.percent(count, side).toFixed(2)} %`;
	}
	changeText(before, after) {
		const change = this.change(before, after);

		return `${change > 0 ? '+' : ''}${change.toFixed(2)} %`.replace(/^-(0\.00 %)$/, '$1');
	}
	/* "before 12 (1.20 %), after 24 (2.40 %), +1.20 %" */
	countsText(before, after) {
		return `before ${countText(before)} (${this.percentText(before, 0)}), ` +
			`after ${countText(after)} (${this.percentText(after, 1)}), ` +
			this.changeText(before, after);
	}
	describe(tree, node, isWhole) {
		const counts = this.countsOf(tree, node), verdict = this.verdictOf(tree, node, isWhole);
		const isFunctions = !tree.tests && isWhole && tree.name[node] >= 0;

		if (!this.isTested)
			return `${this.countsText(...counts)}: not tested`;
		return `${this.countsText(...counts)}: ` +
			CHANGES[verdict].name + (isFunctions ? ' (of its function)' : '');
	}
}

/* Of each function its numbers on both sides; by `change` rows are sorted. */
function compareFunctions(comparison, tree, nrNames) {
	const sides = [0, 1].map((k) => functionNumbers(sideOf(tree, k), nrNames));
	const change = (column) => Float64Array.from({ length: nrNames }, (_, f) =>
		comparison.change(sides[0][column][f], sides[1][column][f]));

	return { sides, self: change('self'), inclusive: change('inclusive') };
}

/* Marked ones first, then the largest change; then by name. */
function sortChanges(comparison, numbers, column, isRising) {
	const { sides } = numbers, at = column === 'inclusive' ? 0 : 1, rows = [];
	const { isTested, functionTests: tests } = comparison;
	const isMarked = (f) => (isTested && tests[2 * f + at] === MARKED ? 1 : 0);
	const sign = isRising ? -1 : 1;

	for (let f = 0; f < sides[0].self.length; f++)
		if (sides[0].inclusive[f] || sides[1].inclusive[f])
			rows.push(f);
	if (column === 'name')
		return isRising ? rows : rows.reverse();
	return rows.sort((a, b) => sign * (isMarked(b) - isMarked(a) ||
		Math.abs(numbers[column][b]) - Math.abs(numbers[column][a])) || a - b);
}
