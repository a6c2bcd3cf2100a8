// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of functions: what `eddy report --view flat` prints, and the share of a search. */

/*
 * inclusive: samples whose stack holds the function, once each; frames: all occurrences; depth:
 * most in one stack.
 */
function functionNumbers(tree, nrNames) {
	const { nr, level, name, self, total } = tree;
	const numbers = {
		self: newCounts(nrNames, tree.sum),
		inclusive: newCounts(nrNames, tree.sum),
		frames: new Float64Array(nrNames),
		depth: new Int32Array(nrNames),
	};
	const path = new Int32Array(tree.maxLevel + 1), times = new Int32Array(nrNames);
	let top = 0;

	for (let i = 1; i < nr; i++) {
		const f = name[i];

		for (; top >= level[i]; top--)
			times[path[top]]--;
		top = level[i];
		path[top] = f;
		times[f]++;
		if (times[f] === 1)
			numbers.inclusive[f] += total[i];
		if (times[f] > numbers.depth[f])
			numbers.depth[f] = times[f];
		numbers.frames[f] += total[i];
		numbers.self[f] += self[i];
	}
	return numbers;
}

/* A flag for each function whose name a regular expression is found in. */
function matchNames(names, pattern) {
	return Uint8Array.from(names, (name) => (pattern.test(name) ? 1 : 0));
}

/* Samples whose stack holds a flagged function. */
function matchedTotal(tree, flags) {
	let sum = 0;

	for (let i = 1; i < tree.nr;) {
		if (flags[tree.name[i]]) {
			sum += tree.total[i];
			i = tree.end[i];
		} else {
			i++;
		}
	}
	return sum;
}

/* Numbers of functions with samples, largest first by a column, then by name. */
function sortFunctions(numbers, column, isRising) {
	const rows = [];

	for (let f = 0; f < numbers.inclusive.length; f++)
		if (numbers.inclusive[f])
			rows.push(f);
	if (column === 'name')
		return isRising ? rows : rows.reverse();
	const by = numbers[column], sign = isRising ? 1 : -1;

	return rows.sort((a, b) => sign * (by[a] - by[b]) || a - b);
}
