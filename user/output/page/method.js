// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One function: what it calls from all places, and who calls it, as `--view callees` and `--view
 * callers` have it (analysis/method.c).  A stack counts once, from the outermost occurrence.
 */

function calleesOf(tree, func) {
	const rows = new Rows(tree.nr, tree), placed = new Int32Array(tree.nr);
	let sum = 0;

	for (let i = 1; i < tree.nr; i++) {
		const at = placed[tree.parent[i]];

		/* At row 0 the function was not met yet: nothing else stands there. */
		if (!at && tree.name[i] !== func)
			continue;
		placed[i] = rows.child(at, tree.name[i]);
		rows.addSelf(placed[i], tree, i);
		sum += tree.self[i];
	}
	return orderRows(rows, sum);
}

/* The nodes of the function that stand under no other of it. */
function outermost(tree, func) {
	const found = [];

	for (let i = 1; i < tree.nr;) {
		if (tree.name[i] === func) {
			found.push(i);
			i = tree.end[i];
		} else {
			i++;
		}
	}
	return found;
}

/* Traces from the function upwards: its callers stand under it. */
function callersOf(tree, func) {
	const from = outermost(tree, func);
	let frames = 1, sum = 0;

	for (const i of from)
		frames += tree.level[i];
	const rows = new Rows(frames, tree);

	for (const i of from) {
		let at = 0;

		for (let node = i; node; node = tree.parent[node])
			at = rows.child(at, tree.name[node]);
		rows.addTotal(at, tree, i);
		sum += tree.total[i];
	}
	return orderRows(rows, sum);
}
