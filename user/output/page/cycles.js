// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cycles of the call graph with exact numbers: `eddy report --view cycles` (analysis/cycles.c,
 * analysis/phantom.c).  A component of functions that reach each other is entered by a stack once,
 * so sums over nodes are samples.
 *
 *	touched		samples with a member in their stack
 *	reentered	samples in which a member stands twice; 0: no stack ever went round it
 *	observed	members of the largest group that was seen going round
 */

/* Callees of each function, one for every node; function nrNames is nobody, who calls the roots. */
function indexCalls(tree, nrNames) {
	const start = new Int32Array(nrNames + 3), to = new Int32Array(tree.nr - 1);
	const callerOf = (i) => (tree.parent[i] ? tree.name[tree.parent[i]] : nrNames);

	for (let i = 1; i < tree.nr; i++)
		start[callerOf(i) + 2]++;
	for (let f = 1; f < start.length; f++)
		start[f] += start[f - 1];
	for (let i = 1; i < tree.nr; i++)
		to[start[callerOf(i) + 1]++] = tree.name[i];
	return { start, to, nr: nrNames + 1 };
}

/* Tarjan's algorithm, its call stack kept by hand; components are numbered callees first. */
class Components {
	constructor(calls) {
		this.calls = calls;
		this.of = new Int32Array(calls.nr).fill(-1);
		this.order = new Int32Array(calls.nr);
		this.low = new Int32Array(calls.nr);
		this.next = new Int32Array(calls.nr);
		this.caller = new Int32Array(calls.nr).fill(-1);
		this.open = [];
		this.nr = 0;
		this.met = 0;
		for (let f = 0; f < calls.nr; f++)
			if (!this.order[f])
				this.search(f);
	}
	enter(f, caller) {
		this.order[f] = this.low[f] = ++this.met;
		this.next[f] = this.calls.start[f];
		this.caller[f] = caller;
		this.open.push(f);
		return f;
	}
	leave(f) {
		const caller = this.caller[f];

		if (this.low[f] === this.order[f]) {
			let member;

			do {
				member = this.open.pop();
				this.of[member] = this.nr;
			} while (member !== f);
			this.nr++;
		}
		if (caller >= 0 && this.low[f] < this.low[caller])
			this.low[caller] = this.low[f];
		return caller;
	}
	search(root) {
		const { start, to } = this.calls;
		let f = this.enter(root, -1);

		while (f >= 0) {
			if (this.next[f] === start[f + 1]) {
				f = this.leave(f);
				continue;
			}
			const callee = to[this.next[f]++];

			if (!this.order[callee])
				f = this.enter(callee, f);
			else if (this.of[callee] < 0 && this.order[callee] < this.low[f])
				this.low[f] = this.order[callee];
		}
	}
}

/* The longest way to each component from one without callers. */
function levelsOf(components) {
	const { of, calls } = components, level = new Int32Array(components.nr);
	const members = Array.from({ length: components.nr }, () => []);

	for (let f = 0; f < calls.nr; f++)
		members[of[f]].push(f);
	for (let c = components.nr - 1; c >= 0; c--)
		for (const f of members[c])
			for (let k = calls.start[f]; k < calls.start[f + 1]; k++) {
				const to = of[calls.to[k]];

				if (to !== c && level[to] <= level[c])
					level[to] = level[c] + 1;
			}
	return { level, members };
}

/* Frames up from each node to the nearest one of its function; 0: there is none. */
function hopsOf(tree, nrNames) {
	const hops = new Int32Array(tree.nr), at = new Int32Array(nrNames);
	const path = new Int32Array(tree.maxLevel + 1), before = new Int32Array(tree.maxLevel + 1);
	let top = 0;

	for (let i = 1; i < tree.nr; i++) {
		const level = tree.level[i], f = tree.name[i];

		for (; top >= level; top--)
			at[path[top]] = before[top];
		top = level;
		path[top] = f;
		before[top] = at[f];
		hops[i] = at[f] ? level - at[f] : 0;
		at[f] = level;
	}
	return hops;
}

/* Samples that enter each component, and those of them that meet a member twice. */
function measureComponents(tree, components, hops) {
	const touched = new Float64Array(components.nr), reentered = new Float64Array(components.nr);
	const isAgain = new Uint8Array(tree.nr), { of } = components;

	for (let i = 1; i < tree.nr; i++) {
		const parent = tree.parent[i], c = of[tree.name[i]];

		if (parent && of[tree.name[parent]] === c)
			isAgain[i] = isAgain[parent];
		else
			touched[c] += tree.total[i];
		if (hops[i] && !isAgain[i]) {
			isAgain[i] = 1;
			reentered[c] += tree.total[i];
		}
	}
	return { touched, reentered };
}

function findGroup(group, f) {
	while (group[f] !== f)
		f = group[f] = group[group[f]];
	return f;
}

/* Sizes of the groups seen going round: functions between two frames of one function are one. */
function groupSizes(tree, hops, nrNames) {
	const group = Int32Array.from({ length: nrNames }, (_, f) => f);
	const size = new Int32Array(nrNames).fill(1), reach = hops.slice();

	for (let i = tree.nr - 1; i > 0; i--) {
		const parent = tree.parent[i];

		if (!reach[i])
			continue;
		if (reach[i] - 1 > reach[parent])
			reach[parent] = reach[i] - 1;
		let a = findGroup(group, tree.name[i]), b = findGroup(group, tree.name[parent]);

		if (a === b)
			continue;
		if (size[a] < size[b])
			[a, b] = [b, a];
		group[b] = a;
		size[a] += size[b];
	}
	return (f) => size[findGroup(group, f)];
}

/* The cycles in the order they are numbered in, and of each function its cycle's number or 0. */
function findCycles(tree, numbers, nrNames) {
	const components = new Components(indexCalls(tree, nrNames));
	const { level, members } = levelsOf(components), hops = hopsOf(tree, nrNames);
	const { touched, reentered } = measureComponents(tree, components, hops);
	const cycleOf = new Int32Array(nrNames);
	const found = members.map((functions, c) => ({ c, functions }))
		.filter(({ functions }) => functions.length > 1);
	const sizeOf = found.length ? groupSizes(tree, hops, nrNames) : null;
	const cycles = found.map(({ c, functions }) => ({
		touched: touched[c], reentered: reentered[c], level: level[c],
		rank: functions[0],
		observed: reentered[c] ? functions.reduce((n, f) => Math.max(n, sizeOf(f)), 0) : 0,
		functions: functions.slice().sort((a, b) =>
			numbers.inclusive[b] - numbers.inclusive[a] || a - b),
	}));

	cycles.sort((a, b) => b.touched - a.touched || a.level - b.level || a.rank - b.rank);
	cycles.forEach((cycle, i) => {
		for (const f of cycle.functions)
			cycleOf[f] = i + 1;
	});
	return { cycles, cycleOf };
}
