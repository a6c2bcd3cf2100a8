// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tree of calls as columns in preorder; node 0 stands over all stacks.
 *
 *	name	number of the function; -1: node 0
 *	level	0 of node 0, 1 of the outermost frames
 *	self	samples that end there; total: and under it; sum: all
 *	x	samples left of it: where it begins in the picture
 *	end	the first node that is not under it
 *	sides	of a comparison: self before and after, by node; sideTotals, sideSums: of them; then
 *		self is what the picture's widths are made of
 *	tests	of a comparison: of each node enum html_test
 */

/* The columns of a tree, all of it to be filled but what node 0 has. */
function newTree(nr, sum) {
	const name = buffers.take(Int32Array, nr), end = buffers.take(Int32Array, nr);

	name[0] = -1;
	end[0] = nr;
	return {
		nr, sum, name, end, maxLevel: nr > 1 ? 1 : 0,
		level: buffers.take(Int32Array, nr),
		parent: buffers.take(Int32Array, nr),
		self: newCounts(nr, sum),
		total: newCounts(nr, sum),
		x: newCounts(nr, sum),
	};
}

/* From level and self: parent, end, total. */
function linkTree(t) {
	const { nr, level, parent, self, total, end } = t, at = [0];

	for (let i = 1; i < nr; i++) {
		const own = level[i];

		if (own > t.maxLevel)
			t.maxLevel = own;
		parent[i] = at[own - 1];
		at[own] = i;
		end[i] = i + 1;
	}
	for (let i = nr - 1; i > 0; i--) {
		const above = parent[i];

		total[i] += self[i];
		total[above] += total[i];
		if (end[above] < end[i])
			end[above] = end[i];
	}
}

function placeTree({ nr, maxLevel, level, total, x }) {
	const next = new Float64Array(maxLevel + 2);

	for (let i = 1; i < nr; i++) {
		const own = level[i], at = next[own];

		x[i] = at;
		next[own] = at + total[i];
		next[own + 1] = at;
	}
}

/* t: new, with name, level and self. */
function finishTree(t) {
	linkTree(t);
	placeTree(t);
	return t;
}

function addSides(t, sides) {
	const sideTotals = sides.map((side) => side.slice());

	for (const total of sideTotals)
		for (let i = t.nr - 1; i > 0; i--)
			total[t.parent[i]] += total[i];
	return Object.assign(t, { sides, sideTotals, sideSums: sideTotals.map((total) => total[0]) });
}

/* One side of a comparison as a tree of its own. */
const sideOf = (t, k) => Object.assign({}, t,
	{ self: t.sides[k], total: t.sideTotals[k], sum: t.sideSums[k] });

/* ---- trees from rows: a row's parent stands before it, siblings in any order ---------------- */

/* Adds up what is under each row; a row that is not drawn (a stub) has no samples. */
function sumRows({ nr, parent, self, sides }) {
	const total = buffers.take(sides ? Float64Array : self.constructor, nr);

	for (const column of sides || [self])
		for (let r = 1; r < nr; r++)
			total[r] += column[r];
	for (let r = nr - 1; r > 0; r--)
		total[parent[r]] += total[r];
	return total;
}

/* Siblings that are not in the order of their functions. */
function sortSiblings(first, next, func, parent) {
	const siblings = [];

	for (let r = first[parent]; r; r = next[r])
		siblings.push(r);
	siblings.sort((a, b) => func[a] - func[b]);
	siblings.forEach((r, i) => {
		next[r] = siblings[i + 1] || 0;
	});
	[first[parent]] = siblings;
}

/* Children of each row that is drawn, a list by function: most were made in that order. */
function linkRows({ nr, parent, func }, total) {
	const first = buffers.take(Int32Array, nr), next = buffers.take(Int32Array, nr);
	const unsorted = new Set();
	let drawn = 1;

	for (let r = nr - 1; r > 0; r--) {
		if (!total[r])
			continue;
		const above = parent[r], sibling = first[above];

		if (sibling && func[sibling] < func[r])
			unsorted.add(above);
		next[r] = sibling;
		first[above] = r;
		drawn++;
	}
	for (const above of unsorted)
		sortSiblings(first, next, func, above);
	return { first, next, drawn };
}

function pickRows(column, row) {
	const picked = new column.constructor(row.length);

	for (let i = 0; i < row.length; i++)
		picked[i] = column[row[i]];
	return picked;
}

/* Fills the columns in preorder; the row of each node. */
function fillTree(t, { func, parent: above, self: selfOf, deepest }, totalOf, { first, next }) {
	const { level, name, self, total, parent, end, x } = t;
	const row = buffers.take(Int32Array, t.nr), room = deepest + 2;
	/* By level: the node on the way here, and where the next one begins. */
	const path = new Int32Array(room), at = new Float64Array(room);
	let node = 0, depth = 1;

	for (let r = first[0]; r;) {
		level[++node] = depth;
		name[node] = func[r];
		self[node] = selfOf[r];
		total[node] = totalOf[r];
		parent[node] = path[depth - 1];
		x[node] = at[depth];
		row[node] = r;
		path[depth] = node;
		if (first[r]) {
			at[depth + 1] = at[depth];
			r = first[r];
			if (++depth > t.maxLevel)
				t.maxLevel = depth;
			continue;
		}
		while (r) {
			const left = path[depth];

			end[left] = node + 1;
			at[depth] += total[left];
			if (next[r])
				break;
			r = above[r];
			depth--;
		}
		r = next[r];
	}
	return row;
}

/* The rows with samples at or under them as a tree; tree.row says which row a node was. */
function orderRows(rows, sum) {
	const samples = sumRows(rows), links = linkRows(rows, samples);
	const widths = rows.sides ? sumRows(Object.assign({}, rows, { sides: null })) : samples;
	const tree = newTree(links.drawn, sum);

	tree.total[0] = widths[0];
	tree.row = fillTree(tree, rows, widths, links);
	buffers.give(samples, links.first, links.next);
	return rows.sides ? addSides(tree, rows.sides.map((side) => pickRows(side, tree.row))) : tree;
}

/* The nodes with samples at or under them, with other weights. */
function keepNodes(tree, self, sides, sum) {
	const samples = sumRows({ nr: tree.nr, parent: tree.parent, self, sides });
	let nr = 1;

	for (let i = 1; i < tree.nr; i++)
		nr += samples[i] ? 1 : 0;
	const t = newTree(nr, sum), row = new Int32Array(nr);
	const kept = sides && sides.map(() => new Float64Array(nr));
	let node = 0;

	for (let i = 1; i < tree.nr; i++) {
		if (!samples[i])
			continue;
		row[++node] = i;
		t.level[node] = tree.level[i];
		t.name[node] = tree.name[i];
		t.self[node] = self[i];
		for (let k = 0; kept && k < 2; k++)
			kept[k][node] = sides[k][i];
	}
	finishTree(t).row = row;
	return kept ? addSides(t, kept) : t;
}

/* ---- lanes ---------------------------------------------------------------------------------- */

const LANES = ['task', 'softirq', 'hardirq', 'nmi'];
const LANE_MARKS = { '[softirq]': 1, '[hardirq]': 2, '[nmi]': 3 };
const LANE_MAX_LEVEL = 8; /* below this many frames a mark is no lane's */

/* Of each function the lane that it begins; 0: none. */
const laneMarks = ({ names }) => Uint8Array.from(names, (name) => LANE_MARKS[name] || 0);

/* Of each node the lane that its stack belongs to. */
function laneColumn(tree, functions) {
	const { nr, level, name, parent } = tree, lane = new Uint8Array(nr);
	const marks = laneMarks(functions);

	if (!marks.some((mark) => mark))
		return lane;
	for (let i = 1; i < nr; i++)
		lane[i] = level[i] <= LANE_MAX_LEVEL && marks[name[i]] || lane[parent[i]];
	return lane;
}

/* The same of one node. */
function laneOf(tree, marks, node) {
	for (let i = node; i; i = tree.parent[i])
		if (tree.level[i] <= LANE_MAX_LEVEL && marks[tree.name[i]])
			return marks[tree.name[i]];
	return 0;
}

function laneSums(tree, lane) {
	const sums = [0, 0, 0, 0];

	for (let i = 1; i < tree.nr; i++)
		sums[lane[i]] += tree.self[i];
	return sums;
}

/*
 * Widths of a comparison: of both sides together, as if both had the larger exposure, or of one of
 * them.  Whole numbers, and none is 0 where there are samples.
 */
const WIDTHS = ['both', 'before', 'after'];

function widthColumn(sides, width, due) {
	const most = Math.max(...due), [before, after] = sides;

	if (width)
		return sides[width - 1].slice();
	return before.map((own, i) => Math.round(own * (most / due[0])) +
		Math.round(after[i] * (most / due[1])));
}

/* The test of a node that has lost samples is not its. */
function keepTests(from, tree) {
	tree.tests = pickRows(from.tests, tree.row);
	for (let i = 0; i < tree.nr; i++)
		for (let k = 0; k < 2; k++)
			if (tree.sideTotals[k][i] !== from.sideTotals[k][tree.row[i]])
				tree.tests[i] = UNKNOWN;
	return tree;
}

/* The stacks of some lanes; self: the widths. */
function chooseLanes(tree, lane, isShown, weights) {
	const self = (weights || tree.self).slice();
	const sides = tree.sides && tree.sides.map((side) => side.slice());
	let sum = 0;

	if (!weights && isShown.every((shown) => shown))
		return tree;
	for (let i = 1; i < tree.nr; i++) {
		if (!isShown[lane[i]]) {
			self[i] = 0;
			for (const side of sides || [])
				side[i] = 0;
		}
		sum += self[i];
	}
	const chosen = keepNodes(tree, self, sides, sum);

	return tree.tests ? keepTests(tree, chosen) : chosen;
}

/* ---- walks ---------------------------------------------------------------------------------- */

/* The nodes from the outermost frame to one. */
function chainOf(tree, node) {
	const chain = [];

	for (let i = node; i; i = tree.parent[i])
		chain.push(i);
	return chain.reverse();
}

/* The child of a function; 0: there is none. */
function childOf(tree, node, name) {
	for (let i = node + 1; i < tree.end[node]; i = tree.end[i])
		if (tree.name[i] === name)
			return i;
	return 0;
}

/* The node at the end of a chain of functions, or where it leaves the tree. */
function nodeOf(tree, names) {
	let node = 0;

	for (const name of names) {
		const child = childOf(tree, node, name);

		if (!child)
			break;
		node = child;
	}
	return node;
}

/* Folded text of the stacks that pass through a node; of a comparison with both counts. */
function foldedText(tree, names, from) {
	const path = [], lines = [], sides = tree.sides || [tree.self];

	for (const i of chainOf(tree, from))
		path[tree.level[i] - 1] = names[tree.name[i]];
	for (let i = from || 1; i < tree.end[from]; i++) {
		path.length = tree.level[i];
		path[tree.level[i] - 1] = names[tree.name[i]];
		if (sides.some((side) => side[i]))
			lines.push(`${path.join(';')} ${sides.map((side) => side[i]).join(' ')}\n`);
	}
	return lines.join('');
}
