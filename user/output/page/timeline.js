// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When samples were taken (record --timeline), and the heat map from which ranges are chosen: a
 * column is a second, or some, from its beginning below to its end above; a place in it a slot, or
 * some.  The more samples, the stronger.  A range goes from one place to another in the order of
 * time.  What stands in the section: output/html_timeline.c.
 */

/* The page's time as Windows has it, with slots of slot_ns from the capture's start. */
class Timeline {
	constructor(about, account, parts) {
		const isCounted = account && account.samples && !account.weight;

		Object.assign(this, about, parts, { nr: about.slots, whole: 'all of it',
			due: (isCounted && account.samples.due) || 0,
			hint: `a column is a second or more, from below: the stronger, the more samples. ` +
				'Drag from one place to another to choose all between, with Ctrl to compare; a ' +
				'double click is a whole column.' });
		delete this.slots;
	}
	/* The first of the slots with stacks that is not before that one. */
	placeOf(slot) {
		let low = 0, high = this.numbers.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (this.numbers[middle] < slot)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}
	cellsOf([first, last]) {
		return [this.begins[this.placeOf(first)], this.begins[this.placeOf(last + 1)]];
	}
	eachCell(ranges, take) {
		for (const range of ranges) {
			const [from, to] = this.cellsOf(range);

			for (let k = from; k < to; k++)
				take(this.nodes[k], this.weights[k]);
		}
	}
	column(ranges, nr) {
		const self = new Float64Array(nr);

		this.eachCell(ranges, (node, samples) => {
			self[node] += samples;
		});
		return self;
	}
	sumOf(range) {
		const [from, to] = this.cellsOf(range);
		let sum = 0;

		for (let k = from; k < to; k++)
			sum += this.weights[k];
		return sum;
	}
	/* So many as were due in all come in the same pace. */
	sums([first, last]) {
		return { due: this.due * (last + 1 - first) / this.nr, sum: this.sumOf([first, last]) };
	}
	secondsText(slot) {
		const seconds = slot * this.slot_ns / 1e9;

		return `${seconds.toFixed(this.slot_ns % 1e9 ? 3 : 0).replace(/(\.\d\d)0$/, '$1')} s`;
	}
	clockText(slot) {
		return new Date(this.start_ms + slot * this.slot_ns / 1e6).toISOString();
	}
	text([first, last]) {
		return `${this.secondsText(first)} to ${this.secondsText(last + 1)}`;
	}
	diffText() {
		return '';
	}
	describe(slot, names, around) {
		const facts = [this.text(around), `${countText(this.sumOf(around))} samples`];

		if (this.start_ms)
			facts.push(this.clockText(around[0]));
		return facts.join(' · ');
	}
	/* What is to be said of all of it. */
	notices() {
		const texts = [];

		if (this.untimed)
			texts.push(`${countText(this.untimed)} samples have no time: they are in the whole ` +
				'and in no range.');
		if (this.slot_ns > this.asked_ns)
			texts.push(`A slot of time is ${this.slot_ns / 1e6} ms: for ` +
				`${this.asked_ns / 1e6} ms there was no room.`);
		return texts;
	}
}

/* Numbers one after another. */
function numberReader(bytes) {
	let at = 0;

	return () => {
		let value = 0, scale = 1;

		for (;;) {
			const byte = bytes[at++];

			if (byte < 128)
				return value + byte * scale;
			value += (byte & 127) * scale;
			scale *= 128;
		}
	};
}

/* The cells of all slots: first how many there are, then each. */
function eachSlot(bytes, onSlot, onCell) {
	const next = numberReader(bytes);

	for (let left = countNumbers(bytes), slot = -1, cells = 0; left > 0;) {
		const nr = (slot += next(), next());

		onSlot(slot, cells);
		for (let k = 0, node = 0; k < nr; k++) {
			node += next();
			onCell(cells++, node, next());
		}
		left -= 2 + 2 * nr;
	}
}

function readTimeline(s, meta, account) {
	if (!meta.timeline)
		return null;
	let nrSlots = 0, nrCells = 0;

	eachSlot(s.times, () => nrSlots++, () => nrCells++);
	const parts = {
		numbers: new Uint32Array(nrSlots),
		begins: new Uint32Array(nrSlots + 1).fill(nrCells), /* in the next two */
		nodes: new Uint32Array(nrCells),
		weights: newCounts(nrCells, meta.timeline.timed),
	};
	let at = 0;

	eachSlot(s.times, (slot, cell) => {
		parts.numbers[at] = slot;
		parts.begins[at++] = cell;
	}, (cell, node, weight) => {
		parts.nodes[cell] = node;
		parts.weights[cell] = weight;
	});
	return new Timeline(meta.timeline, account, parts);
}

/* ---- the heat map ---- */

const LEAST_COLUMN = 3, MOST_ROWS = 100, HEAT_STEPS = 12;
const SPANS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];

class HeatMap extends Chooser {
	constructor(app) {
		super(app);
		this.canvas.classList.add('heat');
		this.canvas.addEventListener('dblclick', (event) => {
			const [slot] = this.slotsAt(event), first = slot - slot % this.perColumn;

			this.choose(first, Math.min(this.nr - 1, first + this.perColumn - 1),
				event.ctrlKey || event.metaKey);
		});
	}
	/* Slots of a place and of a column; so many columns have room. */
	layOut() {
		const { time, width } = this, most = Math.max(1, Math.floor(width / LEAST_COLUMN));
		const perSecond = time.slot_ns < 1e9 ? Math.round(1e9 / time.slot_ns) : 60;
		let least = Math.ceil(perSecond / MOST_ROWS);

		while (perSecond % least)
			least++;
		const span = SPANS.find((seconds) => this.nr / (perSecond * seconds) <= most) ||
			Math.ceil(this.nr / (perSecond * most));

		this.perPlace = least * span;
		this.rows = perSecond / least;
		this.perColumn = this.rows * this.perPlace;
		this.columns = Math.ceil(this.nr / this.perColumn);
	}
	get steps() {
		return { ArrowUp: this.perPlace, ArrowDown: -this.perPlace, ArrowLeft: -this.perColumn,
			ArrowRight: this.perColumn, Home: -this.nr, End: this.nr,
			PageUp: -10 * this.perColumn, PageDown: 10 * this.perColumn };
	}
	/* The slots of the place that one is in. */
	around(s) {
		const first = s - s % this.perPlace;

		return [first, Math.min(this.nr - 1, first + this.perPlace - 1)];
	}
	slotsAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const within = (at, nr) => Math.max(0, Math.min(nr - 1, Math.floor(at * nr)));
		const column = within((event.clientX - box.left) / this.shownWidth, this.columns);
		const row = within(1 - (event.clientY - box.top) / box.height, this.rows);

		return this.around(Math.min(this.nr - 1, column * this.perColumn + row * this.perPlace));
	}
	/* Keys move by places; an end of a range is that of its place. */
	move(to, isExtended) {
		const { range } = this.app.state, at = this.around(this.cursor);
		const next = this.around(Math.max(0, Math.min(this.nr - 1, to)));

		[this.cursor] = next;
		if (isExtended) {
			const other = range && range[0] === at[0] ? this.around(range[1]) :
				range && range[1] === at[1] ? this.around(range[0]) : at;

			this.chooseBetween(other, next, false);
			[this.cursor] = next;
		}
		this.paint();
	}
	/* No wider than it has to be: a short capture is no picture of broad bars. */
	get shownWidth() {
		return Math.min(this.width, this.columns * 24);
	}
	xOf(column) {
		return Math.round(column * this.shownWidth / this.columns);
	}
	yOf(row) {
		return Math.round(this.height - row * this.height / this.rows);
	}
	/* Samples by place: as many as there are columns and rows. */
	heats() {
		const { time, perPlace } = this, heats = new Float64Array(this.columns * this.rows);

		time.numbers.forEach((slot, i) => {
			for (let k = time.begins[i]; k < time.begins[i + 1]; k++)
				heats[Math.floor(slot / perPlace)] += time.weights[k];
		});
		return heats;
	}
	/* The picture without ranges, kept until the size or the theme is another. */
	heatPicture() {
		const { app: { picture }, width, height } = this, isDark = this.app.isDark();
		const key = [width, height, isDark, window.devicePixelRatio].join();

		if (this.paintedFor === key)
			return this.painted;
		const heats = this.heats(), most = heats.reduce((a, b) => Math.max(a, b), 0);
		const ratio = window.devicePixelRatio || 1, painted = document.createElement('canvas');
		const c = painted.getContext('2d');

		painted.width = this.canvas.width;
		painted.height = this.canvas.height;
		c.scale(ratio, ratio);
		c.fillStyle = picture.back;
		c.fillRect(0, 0, width, height);
		for (let step = 0; step <= HEAT_STEPS; step++) {
			c.fillStyle = heatColour(step, isDark);
			heats.forEach((heat, i) => {
				if (i * this.perPlace < this.nr &&
					(heat ? Math.max(1, Math.round(HEAT_STEPS * heat / most)) : 0) === step)
					this.fillPlaces(c, i, i);
			});
		}
		Object.assign(this, { painted, paintedFor: key });
		return painted;
	}
	/* All places of one column from one to the other. */
	fillPlaces(c, first, last) {
		const column = Math.floor(first / this.rows), left = this.xOf(column);
		const top = this.yOf(last % this.rows + 1), bottom = this.yOf(first % this.rows);

		c.fillRect(left, top, this.xOf(column + 1) - left, bottom - top);
	}
	paintRange(range, text, colour) {
		const { context: c, app: { picture } } = this;

		if (!range)
			return;
		const first = Math.floor(range[0] / this.perPlace), { rows } = this;
		const last = Math.floor(range[1] / this.perPlace);

		c.fillStyle = colour;
		c.globalAlpha = 0.35;
		for (let from = first; from <= last; from += rows - from % rows)
			this.fillPlaces(c, from, Math.min(last, from + rows - from % rows - 1));
		c.globalAlpha = 1;
		c.fillStyle = picture.text;
		c.fillText(text, Math.min(this.xOf(Math.floor(first / rows)) + 2, this.width - 40), 12);
	}
	paint() {
		const { context: c, app: { picture, state: { range, versus } } } = this;

		this.clean();
		if (!this.width)
			return;
		this.layOut();
		c.drawImage(this.heatPicture(), 0, 0, this.width, this.height);
		this.paintRange(range, versus ? 'before' : '', picture.palette[1][1]);
		this.paintRange(versus, 'after', picture.palette[3][1]);
		if (this.from >= 0) {
			const [a, b] = [this.from, this.cursor].sort((x, y) => x - y);

			this.paintRange([a, this.around(b)[1]], '', picture.text);
		}
		if (this.hasCursor) {
			const place = Math.floor(this.cursor / this.perPlace), column = Math.floor(place / this.rows);
			const left = this.xOf(column), top = this.yOf(place % this.rows + 1);

			c.strokeStyle = picture.text;
			c.strokeRect(left + 0.5, top - 0.5, Math.max(2, this.xOf(column + 1) - left - 1),
				Math.max(2, this.yOf(place % this.rows) - top));
		}
		this.tell();
	}
}

/* One hue from the background to its strongest: told apart by lightness alone. */
function heatColour(step, isDark) {
	const share = step / HEAT_STEPS;

	if (!step)
		return isDark ? 'hsl(24 8% 15%)' : 'hsl(24 20% 95%)';
	return `hsl(24 ${60 + 30 * share}% ${isDark ? 22 + 48 * share : 86 - 50 * share}%)`;
}
