// SPDX-License-Identifier: GPL-2.0-or-later
/* What the page does: the state is the one truth, every change goes through change(). */

const BUFFERS_MS = 5000; /* from the last tree made until spare memory is let go */

const $ = (id) => document.getElementById(id);

class App {
	constructor(page) {
		this.page = page;
		this.nrNames = page.functions.names.length;
		this.marks = laneMarks(page.functions);
		this.lane = laneColumn(page.tree, page.functions);
		this.laneSums = laneSums(page.tree, this.lane);
		this.kept = { lanes: '', degree: -1, of: -1 };
		this.picture = new Picture($('canvas'), page);
		this.nrSlots = page.time ? page.time.nr : 0;
		this.state = readState(location.hash, this.nrNames, this.nrSlots);
		this.strip = page.time && new (page.time instanceof Timeline ? HeatMap : Strip)(this);
		this.dark = window.matchMedia('(prefers-color-scheme: dark)');
		makeControls(this);
		listen(this);
		this.apply();
		this.showListsSoon();
		this.warmUp(warmUp(page.tree, this.nrNames));
	}
	/* A little at a time, when nothing else is to be done. */
	warmUp(steps) {
		setTimeout(() => steps.next().done || this.warmUp(steps), 10);
	}
	/* ---- state ---- */
	change(what, isStep) {
		const hash = `#${writeState(Object.assign(this.state, what))}`;

		if (hash !== (location.hash || '#')) {
			if (isStep)
				history.pushState(null, '', hash);
			else
				history.replaceState(null, '', hash);
		}
		this.apply();
		this.showListsSoon();
	}
	restore() {
		this.state = readState(location.hash, this.nrNames, this.nrSlots);
		this.apply();
		this.showListsSoon();
	}
	isDark() {
		return this.state.theme ? this.state.theme === 'dark' : this.dark.matches;
	}
	/* ---- trees ---- */
	/* Made again only from where something changed: lanes, degree, function. */
	makeTrees() {
		const { state, kept, nrNames, page } = this, { range, versus } = state;
		const lanes = [state.width, range, versus, ...state.lanes].join();

		if (kept.lanes !== lanes) {
			const compared = this.compareRanges(), { tree, weights } = sourceTree(page, state, compared);

			if (!page.meta.diff)
				this.picture.comparison = compared &&
					new Comparison(compared.about, tree, compared.tests);
			this.base = chooseLanes(tree, this.lane, state.lanes, weights);
			Object.assign(kept, { lanes, degree: -1 });
		}
		if (kept.degree === state.degree && kept.of === state.of)
			return;
		if (kept.of >= 0)
			this.picture.panes.forEach(({ tree }) => giveTree(tree));
		if (kept.degree !== state.degree) {
			if (this.tree)
				giveTree(this.tree);
			this.tree = collapse(this.base, state.degree, nrNames);
			this.numbers = null;
		}
		Object.assign(kept, { degree: state.degree, of: state.of });
		this.picture.show(state.of < 0 ? this.stackPanes() : this.functionPanes());
		clearTimeout(this.buffersTimer);
		this.buffersTimer = setTimeout(() => buffers.clear(), BUFFERS_MS);
	}
	/* Of two ranges; null: not two are chosen. */
	compareRanges() {
		const { page, state: { range, versus } } = this, key = [range, versus].join();

		if (!page.time || !range || !versus)
			return this.compared = null;
		if (!this.compared || this.compared.key !== key)
			this.compared = Object.assign(compareRanges(page, range, versus), { key });
		return this.compared;
	}
	newPane(tree, isUp, firstLevel, isCallers) {
		return Object.assign(new Pane(tree, isUp, firstLevel), {
			isCallers,
			isWhole: this.state.lanes.every((shown) => shown),
			isInterrupt: (node) => laneOf(tree, this.marks, node) > 0,
		});
	}
	stackPanes() {
		return [this.newPane(this.tree, Boolean(this.state.up), 0, false)];
	}
	functionPanes() {
		const { base, state, nrNames } = this;
		const make = (of) => collapse(of(base, state.of), state.degree, nrNames);

		return [this.newPane(make(calleesOf), false, 1, false),
			this.newPane(make(callersOf), true, 1, true)];
	}
	apply() {
		const { state, picture } = this, [zoomed] = picture.panes;

		document.documentElement.classList.toggle('dark', this.isDark());
		picture.setTheme(this.isDark());
		this.makeTrees();
		const [pane, callers] = picture.panes;

		if (state.of < 0 && pane.isUp !== Boolean(state.up)) {
			pane.isUp = Boolean(state.up);
			pane.scrollTo(pane.scroll);
		}
		if (callers)
			this.zoomPane(callers, state.callers, zoomed !== pane);
		this.zoomPane(pane, state.zoom, zoomed !== pane);
		this.flag();
		showState(this);
		picture.resize();
		picture.paint();
		if (this.strip)
			this.strip.paint();
		this.tell(picture.cursor);
	}
	zoomPane(pane, names, isNew) {
		const node = nodeOf(pane.tree, names);

		if (pane.zoom === node && !isNew)
			return;
		pane.zoomTo(node);
		this.picture.cursor = { pane, node: node || (pane.first && pane.heaviestChild(0)) };
	}
	/* The functions that are searched for, or the one chosen in a list. */
	flag() {
		const { state, picture } = this, { names } = this.page.functions;
		let pattern = null, isBad = false;

		if (state.search)
			try {
				pattern = new RegExp(state.search, 'u');
			} catch {
				isBad = true;
			}
		picture.flags = pattern ? matchNames(names, pattern) : null;
		if (state.pick >= 0) {
			picture.flags = new Uint8Array(names.length);
			picture.flags[state.pick] = 1;
		}
		$('search').setAttribute('aria-invalid', String(isBad));
		$('found').textContent = isBad ? 'not a regular expression' : this.foundText();
	}
	foundText() {
		const { flags, panes: [pane] } = this.picture;

		if (!flags)
			return '';
		if (this.picture.comparison)
			return this.picture.comparison.countsText(...[0, 1].map((k) =>
				matchedTotal(sideOf(pane.tree, k), flags)));
		const sum = matchedTotal(pane.tree, flags);

		return `${countText(sum)} samples, ${percentText(sum, pane.tree.sum)}`;
	}
	/* ---- lists ---- */
	measure() {
		if (this.numbers)
			return;
		const { comparison } = this.picture;

		this.numbers = functionNumbers(this.tree, this.nrNames);
		Object.assign(this, findCycles(this.tree, this.numbers, this.nrNames));
		this.changes = comparison && compareFunctions(comparison, this.tree, this.nrNames);
		this.picture.cycleOf = this.cycleOf;
		this.picture.paint();
	}
	/* Behind the picture: the lists of a large tree take longer than it does. */
	showListsSoon() {
		clearTimeout(this.listsTimer);
		this.listsTimer = setTimeout(() => this.showLists());
	}
	showLists() {
		const { state } = this;

		if (this.listName() === 'none' && this.numbers)
			return;
		this.measure();
		const filter = $('filter').value.toLowerCase(), { names } = this.page.functions;
		const rows = this.changes ?
			sortChanges(this.picture.comparison, this.changes, state.sort, state.rising) :
			sortFunctions(this.numbers, state.sort, state.rising);

		this.functionList.show(filter ? rows.filter((f) =>
			names[f].toLowerCase().includes(filter)) : rows);
		this.cycleList.show(this.cycles);
		$('no-cycle').hidden = this.cycles.length > 0;
		$('tab-cycles').textContent = `Cycles (${this.cycles.length})`;
	}
	/* Beside the picture where there is room, unless it was chosen. */
	listName() {
		return this.state.list || (window.innerWidth > 820 ? 'functions' : 'none');
	}
	pick(f) {
		this.change({ pick: this.state.pick === f ? -1 : f });
	}
	/* ---- moving ---- */
	pathOf(pane, node) {
		return chainOf(pane.tree, node).map((i) => pane.tree.name[i]);
	}
	zoomTo(pane, node) {
		const at = pane.tree.level[node] < pane.first ? 0 : node;

		this.picture.cursor = { pane, node: at };
		this.change({ [pane.isCallers ? 'callers' : 'zoom']: this.pathOf(pane, at) }, true);
	}
	moveTo(node) {
		const { cursor } = this.picture;

		if (node < 0 || cursor.pane.tree.level[node] < cursor.pane.first)
			return;
		cursor.node = node;
		cursor.pane.reveal(node);
		this.picture.paint();
		this.tell(cursor);
	}
	tell({ pane, node }) {
		$('line').textContent = pane ? this.picture.describe(pane, node).join(' · ') : '';
	}
	/* Callers and callees of a function; again: back to the stacks. */
	ofFunction(f) {
		if (f === this.state.of || f < 0)
			this.change({ of: -1, zoom: [], callers: [] }, true);
		else
			this.change({ of: f, zoom: [], callers: [] }, true);
	}
	/* One step back: the function chosen, the search, the zoom, the function. */
	back() {
		const { state, picture: { cursor: { pane } } } = this;
		const key = pane.isCallers ? 'callers' : 'zoom';

		if (state.pick >= 0 || state.search)
			this.change({ pick: -1, search: '' });
		else if (state[key].length)
			this.change({ [key]: state[key].slice(0, -1) }, true);
		else if (state.of >= 0)
			this.ofFunction(-1);
	}
	exportText() {
		const { pane } = this.picture.cursor;

		return foldedText(pane.tree, this.page.functions.names, pane.zoom);
	}
	download() {
		const link = element('a', '', { download: 'eddy-selection.folded' });

		link.href = URL.createObjectURL(new Blob([this.exportText()], { type: 'text/plain' }));
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 1000);
	}
}

async function start() {
	try {
		const data = $('data'), page = await readPage(data.textContent);

		data.remove(); /* its text is as large as the tree */
		data.textContent = '';
		/* For the console, and for tests. */
		window.eddy = { page, app: new App(page), collapse, functionNumbers, findCycles,
			matchNames, matchedTotal, calleesOf, callersOf, playCalls, foldedText,
			laneColumn, chooseLanes, compareFunctions, sortChanges, sideOf };
		document.dispatchEvent(new Event('eddy'));
	} catch (error) {
		$('notice').hidden = false;
		$('notice').textContent = `This page cannot be shown: ${error.message}`;
		throw error;
	}
}

start();
