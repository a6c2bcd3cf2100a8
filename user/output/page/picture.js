// SPDX-License-Identifier: GPL-2.0-or-later
/* The canvas: panes painted, the frame under the pointer, the frame that keys move from. */

class Picture {
	constructor(canvas, page) {
		Object.assign(this, { canvas, page, panes: [], flags: null, cycleOf: null });
		this.comparison = page.meta.diff ?
			new Comparison(page.meta.diff, page.tree, page.functionTests) : null;
		this.context = canvas.getContext('2d', { alpha: false });
		this.paints = findPaints(page.tree, page.functions);
		this.cursor = { pane: null, node: 0 };
		this.setTheme(false);
	}
	setTheme(isDark) {
		if (this.isDark === isDark)
			return;
		this.isDark = isDark;
		const style = getComputedStyle(document.documentElement);

		this.palette = makePalette(isDark);
		this.colours = this.paints.map((p) => this.palette[p.paint][p.shade]);
		this.changePalette = makeChangePalette(isDark);
		this.irqColours = this.paints.map((p) => this.palette[PAINT_IRQ][p.shade]);
		for (const name of ['back', 'text', 'soft', 'line', 'strong', 'panel'])
			this[name] = style.getPropertyValue(`--${name}`).trim();
	}
	/* One pane, or callers above callees. */
	show(panes) {
		this.panes = panes;
		this.cursor = { pane: panes[0], node: panes[0].zoom };
		this.resize();
	}
	resize() {
		const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
		const [first, callers] = this.panes;

		if (this.width !== box.width || this.height !== box.height || this.ratio !== ratio) {
			this.canvas.width = Math.max(1, Math.round(box.width * ratio));
			this.canvas.height = Math.max(1, Math.round(box.height * ratio));
			this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
			Object.assign(this, { width: box.width, height: box.height, ratio });
		}
		if (!callers) {
			first.place(0, 0, box.width, box.height);
			return;
		}
		const middle = Math.round(box.height / 2);

		callers.place(0, 0, box.width, middle);
		first.place(0, middle, box.width, box.height - middle);
	}
	colourOf(pane, node) {
		const { tree } = pane, name = tree.name[node], { comparison } = this;

		if (comparison && name >= 0)
			return this.changePalette[comparison.verdictOf(tree, node, pane.isWhole)][
				comparison.shadeOf(tree, node)];
		if (name < 0)
			return this.panel;
		if (this.page.functions.kinds[name] === KERNEL && pane.isInterrupt(node))
			return this.irqColours[name];
		return this.colours[name];
	}
	labelOf(pane, node) {
		const { tree } = pane, name = tree.name[node];
		let label = name < 0 ? 'all' : this.page.functions.names[name];

		if (this.cycleOf && name >= 0 && this.cycleOf[name])
			label += ` ‹${this.cycleOf[name]}›`;
		if (tree.calls && tree.calls.recursions[tree.row[node]])
			label += ' ↻';
		if (this.comparison && name >= 0)
			label = CHANGES[this.comparison.verdictOf(tree, node, pane.isWhole)].sign + label;
		return label;
	}
	paintFrame(pane, node, x, y, width) {
		const { context: c } = this, isFound = !this.flags || this.flags[pane.tree.name[node]];
		const left = Math.max(x, 0), right = Math.min(x + width, this.width);
		const gap = right - left > 3 ? 1 : 0;

		c.globalAlpha = isFound ? 1 : 0.35;
		c.fillStyle = this.colourOf(pane, node);
		c.fillRect(left, y, right - left - gap, ROW - 1);
		if (this.flags && isFound) {
			c.fillStyle = this.text;
			c.fillRect(left, y + ROW - 3, right - left - gap, 2);
		}
		if (right - left >= LEAST_TEXT)
			this.paintLabel(this.labelOf(pane, node), left, y, right - left - 8);
	}
	paintLabel(label, x, y, room) {
		const { context: c } = this, most = Math.floor(room / this.letter);
		let text = label;

		if (label.length > most)
			text = most > 1 ? `${label.slice(0, most - 1)}…` : '';
		c.fillStyle = this.text;
		c.fillText(text, x + 4, y + ROW - 5, room + 2);
	}
	paintCursor() {
		const { pane, node } = this.cursor, { context: c } = this;

		if (!pane || document.activeElement !== this.canvas || pane.tree.level[node] < pane.first)
			return;
		const [x, width] = pane.spanOf(node), left = Math.max(0, x);

		c.globalAlpha = 1;
		c.strokeStyle = this.strong;
		c.lineWidth = 2;
		c.strokeRect(left + 1, pane.yOf(pane.tree.level[node]) + 1,
			Math.max(2, Math.min(width, this.width - left) - 3), ROW - 3);
	}
	/* What is above or below the part in sight, at the edge behind which it is. */
	paintMore(pane) {
		const { context: c } = this, rows = (pane.tree.maxLevel + 1 - pane.first) * ROW;
		const hidden = [pane.scroll, rows - pane.scroll - pane.height];

		hidden.forEach((pixels, isFar) => {
			const nr = Math.round(pixels / ROW), isTop = pane.isUp === Boolean(isFar);
			const text = `${isTop ? '▲' : '▼'} ${nr} more rows`;
			const width = c.measureText(text).width + 12, left = pane.left + pane.width - width;
			const top = isTop ? pane.top : pane.top + pane.height - ROW;

			if (nr < 1)
				return;
			c.globalAlpha = 1;
			c.fillStyle = this.panel;
			c.fillRect(left, top, width, ROW);
			c.fillStyle = this.strong;
			c.fillText(text, left + 6, top + ROW - 5);
		});
	}
	paintPane(pane) {
		const { context: c } = this;

		c.save();
		c.beginPath();
		c.rect(pane.left, pane.top, pane.width, pane.height);
		c.clip();
		pane.visit((node, x, y, width) => this.paintFrame(pane, node, x, y, width));
		if (this.cursor.pane === pane)
			this.paintCursor();
		this.paintMore(pane);
		c.restore();
	}
	paint() {
		const { context: c } = this;

		c.globalAlpha = 1;
		c.fillStyle = this.back;
		c.fillRect(0, 0, this.width, this.height);
		c.font = `${FONT}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
		this.letter = c.measureText('0123456789').width / 10;
		for (const pane of this.panes)
			this.paintPane(pane);
		c.globalAlpha = 1;
		if (!this.panes[0].tree.sum) {
			c.fillStyle = this.soft;
			c.fillText('no samples', 8, 20);
		}
	}
	/* What is under a place of the page: { pane, node }, or null. */
	at(event) {
		const box = this.canvas.getBoundingClientRect();
		const x = event.clientX - box.left, y = event.clientY - box.top;

		for (const pane of this.panes) {
			const node = pane.nodeAt(x, y);

			if (node >= 0)
				return { pane, node };
		}
		return null;
	}
	paneAt(event) {
		const box = this.canvas.getBoundingClientRect();

		return this.panes.find((pane) =>
			pane.holds(event.clientX - box.left, event.clientY - box.top)) || this.panes[0];
	}
	/* Facts about a frame: a line each. */
	describe(pane, node) {
		const { tree } = pane, f = tree.name[node], { functions } = this.page;
		const total = tree.total[node], self = tree.self[node];
		const lines = [f < 0 ? 'all' : functions.names[f]], facts = [];

		if (this.comparison)
			return lines.concat(this.comparison.describe(tree, node, pane.isWhole),
				f < 0 ? [] : this.describeFunction(pane, node, f));
		facts.push(`${countText(total)} samples, ${percentText(total, tree.sum)} of what is shown`);
		if (tree.level[node] > 1)
			facts.push(`${percentText(total, tree.total[tree.parent[node]])} of its ` +
				(pane.isCallers ? 'callee' : 'caller'));
		if (f >= 0 && !pane.isCallers)
			facts.push(`${countText(self)} self, ${percentText(self, tree.sum)}`);
		lines.push(facts.join('; '));
		if (f >= 0)
			lines.push(this.describeFunction(pane, node, f));
		return lines;
	}
	describeFunction(pane, node, f) {
		const { tree } = pane, { functions } = this.page, facts = [];
		const isIrq = functions.kinds[f] === KERNEL && pane.isInterrupt(node);

		facts.push(PAINTS[isIrq ? PAINT_IRQ : this.paints[f].paint].name);
		if (functions.modules[f])
			facts.push(functions.modules[f]);
		if (this.cycleOf && this.cycleOf[f])
			facts.push(`member of cycle ${this.cycleOf[f]}`);
		return facts.concat(tree.calls ? this.describeCalls(tree.calls, tree.row[node]) : [])
			.join('; ');
	}
	/* Of a collapsed tree, what its row has. */
	describeCalls({ direct, indirect, places, recursions }, row) {
		const facts = [`passed by ${countText(direct[row])}` +
			(indirect[row] ? ` (${countText(indirect[row])})` : '')];

		if (recursions[row])
			facts.push(`${countText(recursions[row])} recursions`);
		if (places[row] > 1)
			facts.push(`merged from ${countText(places[row])} call paths`);
		return facts;
	}
	/* The next frame that was found, in the order of the tree. */
	nextFound(step) {
		const { pane, node } = this.cursor, { tree } = pane;

		for (let k = 1; this.flags && k < tree.nr; k++) {
			const i = (node + step * k + 2 * tree.nr) % tree.nr;

			if (i && this.flags[tree.name[i]])
				return i;
		}
		return node;
	}
}
