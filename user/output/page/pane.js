// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A part of the canvas that shows one tree: where its nodes are, what is under the pointer.  Of
 * the tree only what is wide enough and in sight is visited.
 */

const ROW = 18, FONT = 12, LEAST_WIDTH = 0.4, LEAST_TEXT = 22;

class Pane {
	constructor(tree, isUp, firstLevel) {
		this.tree = tree;
		this.isUp = isUp; /* callees above their callers */
		this.first = firstLevel; /* the level of the first row: node 0 is not always shown */
		this.zoom = 0;
		this.scroll = 0; /* in pixels, from the first row */
		this.place(0, 0, 0, 0);
	}
	place(left, top, width, height) {
		Object.assign(this, { left, top, width, height });
		this.scrollTo(this.scroll);
	}
	/* Rows below the deepest node in sight would be empty. */
	scrollTo(pixels) {
		const rows = this.tree.maxLevel + 1 - this.first;

		this.scroll = Math.max(0, Math.min(pixels, rows * ROW - this.height));
	}
	scrollBy(pixels) {
		this.scrollTo(this.scroll + (this.isUp ? -pixels : pixels));
	}
	/* The upper edge of a level's row. */
	yOf(level) {
		const from = (level - this.first) * ROW - this.scroll;

		return this.isUp ? this.top + this.height - from - ROW : this.top + from;
	}
	levelAt(y) {
		const from = this.isUp ? this.top + this.height - y : y - this.top;

		return Math.floor((from + this.scroll) / ROW) + this.first;
	}
	holds(x, y) {
		return x >= this.left && x < this.left + this.width && y >= this.top &&
			y < this.top + this.height;
	}
	get scale() {
		return this.width / (this.tree.total[this.zoom] || 1);
	}
	/* Left edge and width of a node; those that lead to the one zoomed to are all as wide. */
	spanOf(node) {
		const { tree, zoom, left } = this;

		if (tree.level[node] < tree.level[zoom])
			return [left, this.width];
		return [left + (tree.x[node] - tree.x[zoom]) * this.scale, tree.total[node] * this.scale];
	}
	/* Calls draw(node, x, y, width) for all that can be seen. */
	visit(draw) {
		const { tree, zoom } = this, { level, end, total } = tree;
		const low = this.levelAt(this.isUp ? this.top + this.height - 1 : this.top);
		const high = this.levelAt(this.isUp ? this.top : this.top + this.height - 1);
		const scale = this.scale, origin = this.left - tree.x[zoom] * scale;

		for (let i = zoom; i && level[i] >= this.first; i = tree.parent[i])
			if (i !== zoom && level[i] >= low && level[i] <= high)
				draw(i, this.left, this.yOf(level[i]), this.width);
		for (let i = zoom; i < end[zoom];) {
			const width = total[i] * scale;

			if (width < LEAST_WIDTH || level[i] > high) {
				i = end[i];
				continue;
			}
			if (level[i] >= low && level[i] >= this.first)
				draw(i, origin + tree.x[i] * scale, this.yOf(level[i]), width);
			i++;
		}
		if (zoom && this.first === 0 && low === 0)
			draw(0, this.left, this.yOf(0), this.width);
	}
	/* The node at a place; -1: none. */
	nodeAt(x, y) {
		const { tree, zoom } = this, level = this.levelAt(y);

		if (!this.holds(x, y) || level < this.first)
			return -1;
		if (level <= tree.level[zoom])
			return chainOf(tree, zoom)[level - 1] || 0;
		const sample = tree.x[zoom] + (x - this.left) / this.scale;
		let node = zoom;

		while (tree.level[node] < level) {
			let child = node + 1;

			while (child < tree.end[node] && sample >= tree.x[child] + tree.total[child])
				child = tree.end[child];
			if (child >= tree.end[node])
				return -1;
			node = child;
		}
		return node;
	}
	/* Scrolls so that a node's row is in sight. */
	reveal(node) {
		const from = (this.tree.level[node] - this.first) * ROW;

		if (from < this.scroll)
			this.scrollTo(from);
		else if (from + ROW > this.scroll + this.height)
			this.scrollTo(from + ROW - this.height);
	}
	zoomTo(node) {
		this.zoom = node;
		this.reveal(node);
	}
	/* The child with most samples; 0: there is none. */
	heaviestChild(node) {
		const { tree } = this;
		let best = 0;

		for (let i = node + 1; i < tree.end[node]; i = tree.end[i])
			if (!best || tree.total[i] > tree.total[best])
				best = i;
		return best;
	}
	/* The sibling before or after a node; the node itself where there is none. */
	siblingOf(node, step) {
		const { tree } = this, parent = tree.parent[node];

		if (!node)
			return node;
		if (step > 0)
			return tree.end[node] < tree.end[parent] ? tree.end[node] : node;
		let before = node;

		for (let i = parent + 1; i < node; i = tree.end[i])
			before = i;
		return before;
	}
}
