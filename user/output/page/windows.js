// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The windows that the stacks come from, in slots along the time: what each had of every stack, and
 * the strip above the picture from which ranges are chosen.  A range is [first, last] of slots.
 */

const SLOT_FIELDS = ['start', 'seconds', 'windows', 'untold', 'due', 'busy', 'kept', 'lost',
	'hottest', 'hottestSelf', 'cells'];

/* The windows as page.time: what a range is, and what it has.  Timeline has the same methods. */
class Windows {
	constructor(slots, cells) {
		Object.assign(this, { slots, cells, whole: 'all windows', hint: 'busy share above, the ' +
			'hottest function\'s below, marks: lost samples. Drag to choose, with Ctrl to compare.' });
	}
	get nr() {
		return this.slots.length;
	}
	/* Calls take(node, samples) for all stacks of some ranges. */
	eachCell(ranges, take) {
		const { slots, cells } = this;

		for (const [first, last] of ranges)
			for (let k = slots[first].first, s = first; s <= last; s++)
				for (let node = 0, end = k + 2 * slots[s].cells; k < end; k += 2)
					take(node += cells[k], cells[k + 1]);
	}
	/* Samples of some ranges, by node. */
	column(ranges, nr) {
		const self = new Float64Array(nr);

		this.eachCell(ranges, (node, samples) => {
			self[node] += samples;
		});
		return self;
	}
	/* What is known of a range as a whole; due 0: not of all of it. */
	sums([first, last]) {
		const sums = { due: 0, sum: 0, untold: 0 };

		for (let s = first; s <= last; s++)
			for (const name of Object.keys(sums))
				sums[name] += this.slots[s][name];
		if (sums.untold)
			sums.due = 0;
		return sums;
	}
	ends([first, last]) {
		const { slots } = this;

		return [timeText(slots[first].start), timeText(slots[last].start + slots[last].seconds)];
	}
	text(range) {
		return this.ends(range).join(' to ');
	}
	/* The command that compares two ranges as the page does, and tests what it finds. */
	diffText(range, versus) {
		return 'More says eddy diff ' + `--before ${this.ends(range).join('..')} ` +
			`--after ${this.ends(versus).join('..')} DIR.`;
	}
	describe(s, names) {
		const slot = this.slots[s], facts = [this.text([s, s])];

		if (slot.windows > 1)
			facts.push(`${countText(slot.windows)} windows`);
		facts.push(`${countText(slot.sum)} samples`);
		if (slot.untold)
			facts.push('not all of it has a .json: how busy it was is not known');
		else if (slot.due)
			facts.push(`busy ${percentText(slot.busy, slot.due)}`);
		if (slot.hottest)
			facts.push(`hottest ${names[slot.hottest - 1]} ` +
				percentText(slot.hottestSelf, slot.sum));
		if (!slot.untold)
			facts.push(`lost ${countText(slot.lost)}`);
		return facts.join(' · ');
	}
}

const timeText = (seconds) => new Date(1000 * seconds).toISOString().replace(/\.000Z$/, 'Z');

function readWindows(s) {
	if (!s.windows.length)
		return null;
	const numbers = readNumbers(s.windows, new Float64Array(countNumbers(s.windows)), 0);
	const cells = readNumbers(s.cells, new Float64Array(countNumbers(s.cells)), 0);
	const slots = [];
	let at = 0;

	for (let i = 0; i < numbers.length; i += SLOT_FIELDS.length) {
		const slot = { first: at, sum: 0 };

		SLOT_FIELDS.forEach((name, k) => {
			slot[name] = numbers[i + k];
		});
		at += 2 * slot.cells;
		for (let k = slot.first + 1; k < at; k += 2)
			slot.sum += cells[k];
		slots.push(slot);
	}
	return new Windows(slots, cells);
}

const BAND = 22; /* pixels of each row: busy, hottest */

/*
 * Choosing ranges of slots on the canvas above the picture: by mouse and by keys.  Who extends it
 * says what is at a place (slotsAt), how far keys go (steps), and paints.
 */
class Chooser {
	constructor(app) {
		Object.assign(this, { app, time: app.page.time, canvas: $('strip'), cursor: 0, from: -1 });
		this.context = this.canvas.getContext('2d', { alpha: false });
		$('time').hidden = false;
		$('hint').textContent = this.time.hint;
		this.listen();
	}
	get nr() {
		return this.time.nr;
	}
	/* isOther: the range that the chosen one is compared with. */
	choose(a, b, isOther) {
		const { state } = this.app, range = [Math.min(a, b), Math.max(a, b)];

		this.cursor = b;
		if (isOther && state.range)
			this.app.change({ versus: range, zoom: [], callers: [] }, true);
		else
			this.app.change({ range, versus: null, zoom: [], callers: [] }, true);
	}
	/* From where two places begin to where they end, in the order of time. */
	chooseBetween(one, other, isOther) {
		const first = Math.min(one[0], other[0]), last = Math.max(one[1], other[1]);

		if (one[0] > other[0])
			this.choose(last, first, isOther);
		else
			this.choose(first, last, isOther);
	}
	clear() {
		this.app.change({ range: null, versus: null, zoom: [], callers: [] }, true);
	}
	/* The range's other end stays where it is. */
	move(to, isExtended) {
		const { range } = this.app.state, at = this.cursor;

		this.cursor = Math.max(0, Math.min(this.nr - 1, to));
		if (isExtended)
			this.choose(range && range[0] === at ? range[1] :
				range && range[1] === at ? range[0] : at, this.cursor, false);
		this.paint();
	}
	onKey(event) {
		const { steps } = this;

		if (event.key in steps)
			this.move(this.cursor + steps[event.key], event.shiftKey);
		else if (event.key === 'Enter' || event.key === ' ')
			this.chooseBetween(this.around(this.cursor), this.around(this.cursor),
				event.ctrlKey || event.metaKey);
		else if (event.key === 'Escape')
			this.clear();
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}
	listen() {
		const { canvas } = this;

		canvas.addEventListener('pointerdown', (event) => {
			this.from = this.cursor = this.slotsAt(event)[0];
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener('pointermove', (event) => {
			[this.cursor] = this.slotsAt(event);
			this.paint();
		});
		canvas.addEventListener('pointerup', (event) => {
			if (this.from >= 0)
				this.chooseBetween(this.around(this.from), this.slotsAt(event),
					event.ctrlKey || event.metaKey);
			this.from = -1;
		});
		canvas.addEventListener('pointercancel', () => {
			this.from = -1;
		});
		canvas.addEventListener('keydown', (event) => this.onKey(event));
		for (const name of ['focus', 'blur'])
			canvas.addEventListener(name, () => this.paint());
		$('all-time').addEventListener('click', () => this.clear());
		new ResizeObserver(() => this.paint()).observe(canvas);
	}
	/* An empty canvas of the size that it has now; where a place is within it is said in pixels. */
	clean() {
		const { canvas, context: c, app: { picture } } = this;
		const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;

		Object.assign(this, { width: box.width, height: box.height });
		canvas.width = Math.max(1, Math.round(box.width * ratio));
		canvas.height = Math.max(1, Math.round(box.height * ratio));
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.fillStyle = picture.back;
		c.fillRect(0, 0, this.width, this.height);
		c.font = '11px system-ui, sans-serif';
	}
	get hasCursor() {
		return document.activeElement === this.canvas || this.from >= 0;
	}
	tell() {
		$('slot').textContent = this.time.describe(this.cursor, this.app.page.functions.names,
			this.around(this.cursor));
	}
}

class Strip extends Chooser {
	get steps() {
		return { ArrowLeft: -1, ArrowRight: 1, Home: -this.nr, End: this.nr, PageUp: -10,
			PageDown: 10 };
	}
	around(s) {
		return [s, s];
	}
	slotsAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const s = Math.max(0, Math.min(this.nr - 1,
			Math.floor((event.clientX - box.left) / box.width * this.nr)));

		return [s, s];
	}
	/* Left edge of a slot in pixels. */
	xOf(s) {
		return Math.round(s * this.width / this.nr);
	}
	paintRange(range, text, top) {
		const { context: c, app: { picture } } = this;

		if (!range)
			return;
		const left = this.xOf(range[0]), width = Math.max(2, this.xOf(range[1] + 1) - left);

		c.strokeStyle = picture.strong;
		c.lineWidth = 2;
		c.strokeRect(left + 1, 1, width - 2, this.height - 2);
		c.fillStyle = picture.strong;
		c.fillText(text, Math.min(left + 4, this.width - 50), top);
	}
	paintSlot(s, isLit) {
		const { context: c, app: { picture } } = this, slot = this.time.slots[s];
		const left = this.xOf(s), width = Math.max(1, this.xOf(s + 1) - left - (this.nr < 200));
		const bar = (share, bottom, colour) => {
			const height = share > 0 ? Math.max(1, Math.min(1, share) * (BAND - 2)) : 0;

			c.fillStyle = colour;
			c.fillRect(left, bottom - height, width, height);
		};

		c.globalAlpha = isLit ? 1 : 0.4;
		if (!slot.untold && slot.due)
			bar(slot.busy / slot.due, BAND, picture.palette[1][1]);
		bar(slot.hottestSelf / (slot.sum || 1), 2 * BAND, picture.palette[0][1]);
		if (slot.lost) {
			c.fillStyle = picture.palette[PAINT_IRQ][0];
			c.fillRect(left, 2 * BAND + 2, Math.max(2, width), 6);
		}
		c.globalAlpha = 1;
	}
	paint() {
		const { context: c, app: { picture, state: { range, versus } } } = this;
		const isIn = (s, r) => r && s >= r[0] && s <= r[1];

		this.clean();
		for (let s = 0; s < this.nr; s++)
			this.paintSlot(s, !range || isIn(s, range) || isIn(s, versus));
		this.paintRange(range, versus ? 'before' : '', 12);
		this.paintRange(versus, 'after', 12);
		if (this.hasCursor) {
			c.strokeStyle = picture.text;
			c.strokeRect(this.xOf(this.cursor) + 0.5, 0.5,
				Math.max(2, this.xOf(this.cursor + 1) - this.xOf(this.cursor) - 1),
				this.height - 1);
		}
		this.tell();
	}
}

/* The tree of what is chosen: all of it, a range, or two ranges that were compared. */
function sourceTree({ tree, time }, { range, width }, compared) {
	if (compared)
		return { tree: compared.tree,
			weights: widthColumn(compared.tree.sides, width, compared.about.due) };
	if (time && range)
		return { tree, weights: time.column([range], tree.nr) };
	return { tree, weights: width && tree.sides ? tree.sides[width - 1] : null };
}
