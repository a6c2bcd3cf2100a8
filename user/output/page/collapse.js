// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recursion collapsed in four degrees: the automaton of analysis/calltree.c, with its numbers.  A
 * (row, function) pair leads to one row for ever: a node, or a stub, whose call goes on at its
 * target, an ancestor.  All stacks are played at once over the tree of their prefixes.
 *
 * It is one loop over typed arrays, for it has to be quick the first time too, before a browser has
 * seen what is worth to be compiled.
 */

const DEGREES = ['none', 'direct', 'conservative', 'full'];
const NONE = 0, CONSERVATIVE = 2, FULL = 3;

/* (row, function) to row: open addressing, with room for more as they come; 0 is no row. */
class Steps {
	constructor(rows) {
		this.rows = rows;
		this.slots = new Int32Array(1024);
		this.nr = 0;
	}
	slotOf(parent, func) {
		const { rows, slots } = this, mask = slots.length - 1;
		let at = Math.imul(Math.imul(parent, 0x9e3779b1) ^ func, 0x85ebca6b);

		at = (at ^ at >>> 15) & mask;
		while (slots[at] && (rows.parent[slots[at]] !== parent ||
				rows.func[slots[at]] !== func))
			at = at + 1 & mask;
		return at;
	}
	find(parent, func) {
		return this.slots[this.slotOf(parent, func)];
	}
	put(row) {
		const { rows } = this;

		if (2 * ++this.nr > this.slots.length)
			this.grow();
		this.slots[this.slotOf(rows.parent[row], rows.func[row])] = row;
	}
	grow() {
		const { rows, slots: old } = this;

		this.slots = new Int32Array(4 * old.length);
		for (let i = 0; i < old.length; i++)
			if (old[i])
				this.slots[this.slotOf(rows.parent[old[i]], rows.func[old[i]])] = old[i];
	}
}

/* Rows of a tree that grows by (row, function) pairs; most have no child but their first. */
class Rows {
	constructor(max, { sum, sides, maxLevel }) {
		this.nr = 1;
		this.deepest = maxLevel;
		this.func = new Int32Array(max);
		this.parent = new Int32Array(max);
		this.first = new Int32Array(max);
		this.self = newCounts(max, sum);
		this.sides = sides && sides.map(() => new Float64Array(max));
		this.steps = new Steps(this);
		this.func[0] = -1;
	}
	/* What ends at a node of the tree ends at the row, too. */
	addSelf(row, tree, i) {
		this.self[row] += tree.self[i];
		if (this.sides)
			this.sides.forEach((side, k) => {
				side[row] += tree.sides[k][i];
			});
	}
	addTotal(row, tree, i) {
		this.self[row] += tree.total[i];
		if (this.sides)
			this.sides.forEach((side, k) => {
				side[row] += tree.sideTotals[k][i];
			});
	}
	/* The child of that function, made if it is not there. */
	child(parent, func) {
		const first = this.first[parent];

		if (!first)
			return this.first[parent] = this.add(parent, func);
		if (this.func[first] === func)
			return first;
		const found = this.steps.find(parent, func);

		if (found)
			return found;
		const made = this.add(parent, func);

		this.steps.put(made);
		return made;
	}
	add(parent, func) {
		this.func[this.nr] = func;
		this.parent[this.nr] = parent;
		return this.nr++;
	}
}

const ON_PATH = 1; /* of a row: the path has met it */
const HASHED = 2; /* its children are steps of the table */
const CROSSED = 1, MET = 2; /* of a prefix: a stub was crossed before it; it was first at its row */

/*
 * A row is also:
 *
 *	target	of a stub: where its call goes on; 0: a node
 *	level	0 of row 0; novel: how many rows to it are the first of their function
 *	same	the nearest node of its function that it was made under; 0: none
 *	next	the child of its parent that was made before it; first: the last that was made
 *	places	prefixes that led to it; recursions: stubs that were crossed to it
 *	direct	samples through it before any stub was crossed; indirect: after
 */
class CallRows {
	constructor(tree) {
		this.nr = 1;
		this.deepest = tree.maxLevel;
		for (const column of ['func', 'parent', 'first', 'next', 'target', 'level', 'novel', 'same',
			'places', 'recursions'])
			this[column] = buffers.take(Int32Array, tree.nr);
		for (const column of ['self', 'direct', 'indirect'])
			this[column] = newCounts(tree.nr, tree.sum);
		this.sides = tree.sides && tree.sides.map(() => new Float64Array(tree.nr));
		this.flags = buffers.take(Uint8Array, tree.nr);
		this.steps = new Steps(this);
		this.func[0] = -1;
	}
	/* Only where a row is met from several places can a child be there: siblings differ. */
	find(parent, func) {
		if (!(this.flags[parent] & HASHED)) {
			this.flags[parent] |= HASHED;
			for (let r = this.first[parent]; r; r = this.next[r])
				this.steps.put(r);
		}
		return this.steps.find(parent, func);
	}
	/* nearest: the nearest node of the function on the way to the parent. */
	add(parent, func, nearest, degree) {
		const r = this.nr++;

		this.func[r] = func;
		this.parent[r] = parent;
		this.next[r] = this.first[parent];
		this.first[parent] = r;
		this.level[r] = this.level[parent] + 1;
		this.novel[r] = this.novel[parent] + (nearest ? 0 : 1);
		this.same[r] = nearest;
		/* Conservative: nothing that would be cut off is the first of its name. */
		if (nearest && (degree === FULL || nearest === parent ||
				degree === CONSERVATIVE && this.novel[parent] === this.novel[nearest]))
			this.target[r] = nearest;
		if (this.flags[parent] & HASHED)
			this.steps.put(r);
		return r;
	}
}

/* Plays all prefixes in preorder; the rows. */
function playCalls(tree, degree, nrNames) {
	const { nr, level: prefixLevel, name, total, self: prefixSelf } = tree;
	const rows = new CallRows(tree);
	const { level, same, target, func, flags, self, places, recursions, direct, indirect } = rows;
	const room = tree.maxLevel + 2;
	const chain = new Int32Array(room), last = new Int32Array(nrNames);
	/* By level of the prefix on the path: what entering it changed. */
	const pathRow = new Int32Array(room), pathCur = new Int32Array(room);
	const pathChain = new Int32Array(room), pathLast = new Int32Array(room);
	const pathFlags = new Uint8Array(room);
	let depth = 0, cur = 0, crossed = 0;

	for (let i = 1; i < nr; i++) {
		const f = name[i], to = prefixLevel[i];

		for (; depth >= to; depth--) {
			const left = pathRow[depth];

			if (!target[left]) {
				chain[level[left]] = pathChain[depth];
				last[func[left]] = pathLast[depth];
			}
			if (pathFlags[depth] & MET)
				flags[left] &= ~ON_PATH;
			crossed = pathFlags[depth] & CROSSED;
			cur = pathCur[depth];
		}
		let r = places[cur] + recursions[cur] > 1 ? rows.find(cur, f) : 0;

		if (!r) {
			let nearest = degree === NONE ? 0 : last[f];

			while (nearest && (level[nearest] > level[cur] ||
					chain[level[nearest]] !== nearest))
				nearest = same[nearest];
			r = rows.add(cur, f, nearest, degree);
		}
		depth = to;
		places[r]++;
		pathRow[to] = r;
		pathCur[to] = cur;
		pathFlags[to] = crossed;
		if (!(flags[r] & ON_PATH)) {
			flags[r] |= ON_PATH;
			pathFlags[to] |= MET;
			(crossed ? indirect : direct)[r] += total[i];
		}
		cur = target[r] || r;
		self[cur] += prefixSelf[i];
		if (rows.sides)
			addSideSelves(rows, cur, tree, i);
		if (cur !== r) {
			recursions[cur]++;
			crossed = CROSSED;
			continue;
		}
		pathChain[to] = chain[level[r]];
		pathLast[to] = last[f];
		chain[level[r]] = last[f] = r;
	}
	return rows;
}

function addSideSelves(rows, row, tree, i) {
	for (let k = 0; k < 2; k++)
		rows.sides[k][row] += tree.sides[k][i];
}

/* The collapsed stacks as a tree, each sample on the chain of the node where it ends. */
function collapse(tree, degree, nrNames) {
	if (degree === NONE)
		return tree;
	const rows = playCalls(tree, degree, nrNames), { direct, indirect, places, recursions } = rows;

	buffers.give(rows.target, rows.level, rows.novel, rows.same, rows.first, rows.next, rows.flags);
	const out = orderRows(rows, tree.sum);

	buffers.give(rows.func, rows.parent, rows.self);
	/* What a row of `eddy report --view tree` has besides, by row. */
	return Object.assign(out, { calls: { direct, indirect, places, recursions } });
}

/* Nobody looks at that tree any more; one that was not collapsed stays. */
function giveTree({ calls, level, name, self, total, parent, end, x, row }) {
	if (calls)
		buffers.give(level, name, self, total, parent, end, x, row, ...Object.values(calls));
}

const WARM_NODES = 20000, WARM_ROUNDS = 3;

/* The browser compiles what is used often: so the first change of degree is as quick as the next. */
function* warmUp(tree, nrNames) {
	const part = Object.assign({}, tree, { nr: Math.min(tree.nr, WARM_NODES) });

	for (let round = 0; round < WARM_ROUNDS; round++)
		for (let degree = 1; degree < DEGREES.length; degree++) {
			giveTree(collapse(part, degree, nrNames));
			yield;
		}
}
