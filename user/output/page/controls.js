// SPDX-License-Identifier: GPL-2.0-or-later
/* Buttons, lists and keys of the page, and how they stand for a state. */

/* "▲+1.20 %": what is marked has its sign. */
function changeCell({ picture: { comparison }, state, changes: { sides } }, f, column) {
	const counts = sides.map((numbers) => numbers[column][f]);
	const isWhole = state.lanes.every((shown) => shown);
	const test = comparison.isTested && comparison.functionTests[2 * f + (column === 'self' ? 1 : 0)];
	const verdict = isWhole ? comparison.verdict(test, ...counts) : OTHER;

	return [CHANGES[verdict].sign + comparison.changeText(...counts),
		['', 'more', 'less', '', ''][verdict]];
}

function changeRow(app) {
	return (f) => {
		const { picture: { comparison }, page: { functions }, state, changes: { sides } } = app;
		const cycle = app.cycleOf[f] ? `‹${app.cycleOf[f]}›` : '';
		const counts = (column) => sides.map((numbers) => numbers[column][f]);
		const row = cells(element('tr', undefined, { tabIndex: 0 }), [
			changeCell(app, f, 'self'), [countText(counts('self')[0])],
			[countText(counts('self')[1])], changeCell(app, f, 'inclusive'), [cycle],
			[functions.names[f], 'name'],
		]);

		row.title = [functions.names[f], functions.modules[f],
			`self: ${comparison.countsText(...counts('self'))}`,
			`inclusive: ${comparison.countsText(...counts('inclusive'))}`,
		].filter(Boolean).join('\n');
		row.setAttribute('aria-selected', String(f === state.pick));
		return choosable(app, row, f);
	};
}

function functionRow(app) {
	return (f) => {
		const { numbers, tree, page: { functions }, state } = app;
		const cycle = app.cycleOf[f] ? `‹${app.cycleOf[f]}›` : '';
		const row = cells(element('tr', undefined, { tabIndex: 0 }), [
			[percentText(numbers.self[f], tree.sum)], [countText(numbers.self[f])],
			[percentText(numbers.inclusive[f], tree.sum)], [countText(numbers.inclusive[f])],
			[cycle], [functions.names[f], 'name'],
		]);

		row.title = [functions.names[f], functions.modules[f]].filter(Boolean).join('\n');
		row.setAttribute('aria-selected', String(f === state.pick));
		return choosable(app, row, f);
	};
}

/* A click or the space bar chooses the function, Ctrl or Enter shows its callers and callees. */
function choosable(app, row, f) {
	row.addEventListener('click', (event) =>
		event.ctrlKey || event.metaKey ? app.ofFunction(f) : app.pick(f));
	row.addEventListener('keydown', (event) => {
		if (event.key === 'Enter')
			app.ofFunction(f);
		else if (event.key === ' ')
			app.pick(f);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	});
	return row;
}

const MEMBERS_SHOWN = 12;

function cycleRow(app) {
	return (cycle) => {
		const { tree, page: { functions: { names } } } = app, { functions } = cycle;
		const shown = functions.slice(0, MEMBERS_SHOWN).map((f) => names[f]).join('; ');
		const more = functions.length - MEMBERS_SHOWN;
		const round = cycle.reentered ?
			`${percentText(cycle.reentered, tree.sum)} (${cycle.observed})` : 'never seen';
		const row = cells(element('tr', undefined, { tabIndex: 0 }), [
			[`‹${app.cycleOf[functions[0]]}›`], [percentText(cycle.touched, tree.sum)], [round],
			[`${functions.length}: ${shown}${more > 0 ? ` and ${more} more` : ''}`, 'name'],
		]);

		row.title = `${countText(cycle.touched)} samples have a member in their stack; in ` +
			`${countText(cycle.reentered)} one stands twice; the largest group seen going ` +
			`round has ${cycle.observed} members`;
		return choosable(app, row, functions[0]);
	};
}

const COLUMNS = [['self %', 'self'], ['self', 'self'], ['incl %', 'inclusive'],
	['incl', 'inclusive'], ['cycle', ''], ['function', 'name']];
const CHANGE_COLUMNS = [['self change', 'self'], ['before', ''], ['after', ''],
	['incl change', 'inclusive'], ['cycle', ''], ['function', 'name']];

function makeColumns(app) {
	$('columns').textContent = '';
	for (const [text, column] of app.picture.comparison ? CHANGE_COLUMNS : COLUMNS) {
		const head = element('th', column ? undefined : text, { className: column });

		if (column) {
			const button = element('button', text, { type: 'button' });

			button.addEventListener('click', () => app.change({ sort: column,
				rising: app.state.sort === column ? 1 - app.state.rising :
					column === 'name' ? 1 : 0 }));
			head.append(button);
		}
		$('columns').append(head);
	}
}

function makeLanes(app) {
	app.laneButtons = LANES.map((lane, i) => {
		const share = percentText(app.laneSums[i], app.page.tree.sum);
		const button = element('button', `${lane} ${share}`, { type: 'button' });

		button.title = app.picture.comparison ? `of the width (${i + 1})` :
			`${countText(app.laneSums[i])} samples (${i + 1})`;
		button.addEventListener('click', () => toggleLane(app, i));
		$('lanes').append(button);
		return button;
	});
	$('lanes').hidden = !app.laneSums.slice(1).some((sum) => sum);
}

function toggleLane(app, i) {
	const lanes = app.state.lanes.slice();

	lanes[i] = !lanes[i];
	app.change({ lanes });
}

function makeLegend(app) {
	const used = new Set(app.picture.paints.map((paint) => paint.paint));

	$('legend').textContent = '';
	if (app.picture.comparison) {
		makeChangeLegend(app);
		return;
	}

	if (app.laneSums.slice(1).some((sum) => sum))
		used.add(PAINT_IRQ);
	app.legend = [];
	for (const paint of used) {
		const swatch = element('i'), entry = element('span');

		entry.append(swatch, PAINTS[paint].name);
		app.legend.push({ swatch, paint });
		$('legend').append(entry);
	}
}

function makeChangeLegend(app) {
	const { isTested } = app.picture.comparison;
	const used = CHANGES.slice(0, isTested ? CHANGES.length : OTHER - 1);

	app.legend = used.map(({ name, sign }, change) => {
		const swatch = element('i'), entry = element('span');

		entry.append(swatch, [sign, isTested ? name :
			['the same', 'more after, not tested', 'less after, not tested'][change]]
			.filter(Boolean).join(' '));
		$('legend').append(entry);
		return { swatch, change };
	});
}

const titleOf = ({ meta, account }) => meta.title || (account &&
	[account.command || account.host, account.start].filter(Boolean).join(', ')) || 'stacks';

function makeControls(app) {
	const { page } = app, texts = leftOutTexts(page.meta);
	const [account] = $('account').children;

	$('title').textContent = titleOf(page);
	document.title = `${titleOf(page)} - eddy`;
	account.textContent = footerText(page);
	showAccount($('account'), page);
	app.leftOut = texts;
	app.functionList = new List($('functions').querySelector('tbody'),
		$('functions').querySelector('.more'), (f) =>
			(app.picture.comparison ? changeRow : functionRow)(app)(f));
	app.cycleList = new List($('cycles').querySelector('tbody'),
		$('cycles').querySelector('.more'), cycleRow(app));
	walkRows($('functions'));
	walkRows($('cycles'));
	makeLanes(app);
}

function footerText({ account, accountBefore, meta }) {
	const texts = meta.diff ? [`before: ${accountText(accountBefore)}`,
		`after: ${accountText(account)}`] : [accountText(account)];

	return `eddy ${meta.version}: ${texts.join('; ')}`;
}

/* The line at the end of the page: every sample that was due. */
function accountText(account) {
	const s = account && account.samples || {}, parts = [];
	const say = (value, text) => {
		if (value !== undefined)
			parts.push(`${countText(value)} ${text}`);
	};

	say(s.due, 'expected');
	say(s.delivered, 'taken');
	say(s.idle, 'idle');
	say(s.kept, 'kept');
	say(s.lost, 'lost');
	if (account && account.user_stacks)
		say(account.user_stacks.total - account.user_stacks.complete, 'truncated');
	if (account && account.freq_hz)
		parts.push(`${account.freq_hz} Hz x ${account.cpus} CPUs`);
	if (account && account.kernel)
		parts.push(`Linux ${account.kernel}`);
	if (account && account.cost && account.cost.bpf_ns_per_sample)
		parts.push(`cost ${(account.cost.bpf_ns_per_sample / 1000).toFixed(1)} us a sample`);
	return parts.join(', ') || 'nothing is known of the capture';
}

/* ---- how a state looks ---------------------------------------------------------------------- */

function crumb(app, text, isLast, go) {
	const button = element('button', text, { type: 'button', title: text });

	if (isLast)
		button.setAttribute('aria-current', 'true');
	button.addEventListener('click', go);
	return button;
}

const CRUMBS_FIRST = 3, CRUMBS_LAST = 6;

function showCrumbs(app) {
	const { state, picture: { panes: [pane] }, page: { functions: { names } } } = app;
	const chain = state.of < 0 ? chainOf(pane.tree, pane.zoom) : [], crumbs = [];
	const gap = chain.length - CRUMBS_FIRST - CRUMBS_LAST;

	crumbs.push(crumb(app, 'all', !chain.length && state.of < 0, () =>
		app.change({ zoom: [], callers: [], of: -1 }, true)));
	if (state.of >= 0)
		crumbs.push(crumb(app, `callers and callees of ${names[state.of]}`, true, () =>
			app.change({ zoom: [], callers: [] }, true)));
	chain.forEach((node, i) => {
		if (gap > 0 && i === CRUMBS_FIRST)
			crumbs.push(element('span', `… ${gap} …`));
		if (gap <= 0 || i < CRUMBS_FIRST || i >= CRUMBS_FIRST + gap)
			crumbs.push(crumb(app, names[pane.tree.name[node]], i === chain.length - 1, () =>
				app.zoomTo(pane, node)));
	});
	$('crumbs').replaceChildren(...crumbs.flatMap((made, i) => (i ? ['›', made] : [made])));
}

/* What is there only where two sides are compared. */
function showComparison(app) {
	const { state, page, picture: { comparison } } = app, texts = app.leftOut.slice();

	if (app.shownComparison !== comparison) {
		app.shownComparison = comparison;
		$('width').parentElement.hidden = !comparison;
		makeColumns(app);
		makeLegend(app);
	}
	if (app.compared)
		texts.push(app.compared.text, page.time.diffText(state.range, state.versus));
	if (page.meta.per_slot > 1)
		texts.push(`${page.meta.per_slot} windows share a place in the strip: the page has ` +
			'no room for more.');
	if (page.time && page.time.notices)
		texts.push(...page.time.notices());
	$('notice').hidden = !texts.length;
	$('notice').textContent = texts.join(' ');
	if (app.strip)
		$('range').textContent = !state.range ? page.time.whole : page.time.text(state.range) +
			(state.versus ? `, compared with ${page.time.text(state.versus)}` : '');
	if (app.strip)
		$('all-time').disabled = !state.range;
}

function showState(app) {
	const { state, picture } = app, list = app.listName(), [pane] = picture.panes;

	showComparison(app);

	$('width').selectedIndex = state.width;
	$('sum').textContent = picture.comparison ?
		picture.comparison.countsText(...pane.tree.sideSums) :
		`${countText(pane.tree.sum)} samples` + (pane.tree.sum === app.page.tree.sum ? '' :
			`, ${percentText(pane.tree.sum, app.page.tree.sum)} of all`);
	$('degree').selectedIndex = state.degree;
	$('invert').textContent = state.up ? 'Flame' : 'Icicle';
	$('invert').disabled = state.of >= 0;
	$('theme').textContent = { '': 'Auto', light: 'Light', dark: 'Dark' }[state.theme];
	if (document.activeElement !== $('search'))
		$('search').value = state.search;
	app.laneButtons.forEach((button, i) =>
		button.setAttribute('aria-pressed', String(state.lanes[i])));
	$('lists').hidden = list === 'none';
	for (const name of ['functions', 'cycles']) {
		$(name).hidden = name !== list;
		$(`tab-${name}`).setAttribute('aria-selected', String(name === list));
	}
	for (const head of $('columns').children)
		head.setAttribute('aria-sort', head.className !== state.sort ? 'none' :
			state.rising ? 'ascending' : 'descending');
	for (const { swatch, paint, change } of app.legend)
		swatch.style.background = change === undefined ? picture.palette[paint][2] :
			picture.changePalette[change][2];
	showCrumbs(app);
}

/* ---- what people do ------------------------------------------------------------------------- */

function nextTheme(app) {
	const next = app.isDark() ? 'light' : 'dark';

	app.change({ theme: app.state.theme === next ? '' : next });
}

function showList(app, list) {
	app.change({ list: app.listName() === list ? 'none' : list });
}

const cursorFunction = ({ picture: { cursor: { pane, node } } }) => pane.tree.name[node];

/* Towards the callee is up in a flame, down in an icicle. */
function moveBy(app, isUp) {
	const { picture } = app, { pane, node } = picture.cursor;
	const other = picture.panes.find((any) => any !== pane);

	if (isUp === pane.isUp) {
		app.moveTo(pane.heaviestChild(node) || node);
	} else if (other && pane.tree.level[node] <= pane.first) {
		/* From the function among its callees to the same among its callers. */
		picture.cursor = { pane: other, node: other.zoom };
		app.moveTo(other.zoom || other.heaviestChild(0));
	} else {
		app.moveTo(pane.tree.parent[node]);
	}
}

function scrollPage(app, sign) {
	const { pane } = app.picture.cursor;

	pane.scrollBy(sign * pane.height * 0.8);
	app.picture.paint();
}

const KEYS = {
	'/': () => $('search').focus(),
	'0': (app) => app.change({ zoom: [], callers: [] }, true),
	'?': () => $('keys').showModal(),
	c: (app) => showList(app, 'cycles'),
	d: nextTheme,
	e: (app) => app.download(),
	h: () => $('keys').showModal(),
	i: (app) => app.change({ up: 1 - app.state.up }),
	n: (app) => app.moveTo(app.picture.nextFound(1)),
	N: (app) => app.moveTo(app.picture.nextFound(-1)),
	r: (app) => app.change({ degree: (app.state.degree + 1) % DEGREES.length }),
	s: (app) => app.ofFunction(app.state.of < 0 ? cursorFunction(app) : -1),
	t: (app) => showList(app, 'functions'),
	w: (app) => app.picture.comparison &&
		app.change({ width: (app.state.width + 1) % WIDTHS.length }),
	Backspace: (app) => app.back(),
	Escape: (app) => app.back(),
};
LANES.forEach((_, i) => {
	KEYS[i + 1] = (app) => toggleLane(app, i);
});

/* These belong to the picture alone. */
const PICTURE_KEYS = {
	ArrowUp: (app) => moveBy(app, true),
	ArrowDown: (app) => moveBy(app, false),
	ArrowLeft: ({ picture: { cursor: { pane, node } } }) => pane.siblingOf(node, -1),
	ArrowRight: ({ picture: { cursor: { pane, node } } }) => pane.siblingOf(node, 1),
	Enter: (app) => app.zoomTo(app.picture.cursor.pane, app.picture.cursor.node),
	Home: (app) => KEYS[0](app),
	PageUp: (app) => scrollPage(app, -1),
	PageDown: (app) => scrollPage(app, 1),
	Tab: null,
};

function onKey(app, event) {
	const isText = event.target.tagName === 'INPUT' || event.target.tagName === 'SELECT';
	const isPicture = event.target === $('canvas') || event.target === document.body;
	const act = isPicture && PICTURE_KEYS[event.key] || KEYS[event.key];

	if (event.ctrlKey || event.altKey || event.metaKey || $('keys').open || !act)
		return;
	if (isText && event.key === 'Escape') {
		event.target.blur();
		$('canvas').focus();
	} else if (isText) {
		return;
	}
	event.preventDefault();
	const node = act(app);

	if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
		app.moveTo(node);
}

function showTip(app, event) {
	const found = event && app.picture.at(event), tip = $('tip');

	tip.hidden = !found;
	if (!found)
		return;
	tip.textContent = app.picture.describe(found.pane, found.node).join('\n');
	const box = tip.getBoundingClientRect();

	tip.style.left = `${Math.max(4, Math.min(event.clientX + 12,
		window.innerWidth - box.width - 8))}px`;
	tip.style.top = `${event.clientY + box.height + 24 < window.innerHeight ?
		event.clientY + 16 : event.clientY - box.height - 10}px`;
}

function listenPicture(app) {
	const canvas = $('canvas');

	canvas.addEventListener('click', (event) => {
		const found = app.picture.at(event);

		if (!found)
			return;
		if (event.ctrlKey || event.metaKey)
			app.ofFunction(found.pane.tree.name[found.node]);
		else
			app.zoomTo(found.pane, found.node);
	});
	canvas.addEventListener('mousemove', (event) => showTip(app, event));
	canvas.addEventListener('mouseleave', () => showTip(app, null));
	canvas.addEventListener('wheel', (event) => {
		app.picture.paneAt(event).scrollBy(event.deltaMode ? event.deltaY * ROW : event.deltaY);
		app.picture.paint();
		event.preventDefault();
	}, { passive: false });
	for (const name of ['focus', 'blur'])
		canvas.addEventListener(name, () => app.picture.paint());
}

function listen(app) {
	listenPicture(app);
	$('search').addEventListener('input', () =>
		app.change({ search: $('search').value, pick: -1 }));
	$('filter').addEventListener('input', () => app.showLists());
	$('degree').addEventListener('change', () =>
		app.change({ degree: $('degree').selectedIndex }));
	$('width').addEventListener('change', () =>
		app.change({ width: $('width').selectedIndex }));
	$('invert').addEventListener('click', () => KEYS.i(app));
	$('theme').addEventListener('click', () => nextTheme(app));
	$('export').addEventListener('click', () => app.download());
	$('help').addEventListener('click', () => $('keys').showModal());
	$('panel').addEventListener('click', () =>
		app.change({ list: app.listName() === 'none' ? 'functions' : 'none' }));
	for (const name of ['functions', 'cycles'])
		$(`tab-${name}`).addEventListener('click', () => app.change({ list: name }));
	document.addEventListener('keydown', (event) => onKey(app, event));
	window.addEventListener('hashchange', () => app.restore());
	window.addEventListener('popstate', () => app.restore());
	app.dark.addEventListener('change', () => app.apply());
	new ResizeObserver(() => {
		app.picture.resize();
		app.picture.paint();
	}).observe($('canvas'));
}
