// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Put behind a page by tests/golden/test_page.sh: what the page's functions find, in every degree,
 * is sent to the page around it as lines "WHAT DEGREE<tab>..." which eddy's own output must equal.
 */
(() => {
	const degrees = ['none', 'direct', 'conservative', 'full'];

	function* flat(e, tree, names) {
		const numbers = e.functionNumbers(tree, names.length);
		const { cycleOf } = e.findCycles(tree, numbers, names.length);

		for (let f = 0; f < names.length; f++)
			if (numbers.inclusive[f])
				yield [numbers.inclusive[f], numbers.self[f], numbers.frames[f],
					numbers.depth[f], cycleOf[f] || '', names[f]];
	}
	function* cycles(e, tree, names) {
		const numbers = e.functionNumbers(tree, names.length);
		let number = 0;

		for (const c of e.findCycles(tree, numbers, names.length).cycles)
			yield [++number, c.functions.length, c.touched, c.reentered, c.observed,
				c.functions.map((f) => names[f]).join(';')];
	}
	function* rows(e, base, degree, names) {
		const t = e.playCalls(base, degree, names.length), paths = [''];

		for (let r = 1; r < t.nr; r++) {
			paths[r] = `${paths[t.parent[r]]};${names[t.func[r]]}`;
			yield t.target[r] ?
				[t.direct[r], t.indirect[r], '', t.level[r], 'stub', '', t.places[r],
					paths[r]] :
				[t.direct[r], t.indirect[r], t.self[r], t.level[r], 'node',
					t.recursions[r], t.places[r], paths[r]];
		}
	}
	const folded = (e, tree, names) => e.foldedText(tree, names, 0).split('\n').slice(0, -1)
		.map((line) => [line]);

	let all = function* () {
		const e = window.eddy, { page } = e, { names } = page.functions, of = names.indexOf('b');
		const lane = e.laneColumn(page.tree, page.functions), nr = names.length;
		const task = e.chooseLanes(page.tree, lane, [true, false, false, false]);

		yield ['sum', document.getElementById('sum').textContent.replaceAll(',', '')];
		yield ['search', e.matchedTotal(page.tree, e.matchNames(names, /^[bc](_\[k\])?$/))];
		for (const line of folded(e, task, names))
			yield ['task', ...line];
		for (let degree = 0; degree < degrees.length; degree++) {
			const make = (tree) => e.collapse(tree, degree, nr), tree = make(page.tree);
			const parts = {
				flat: flat(e, tree, names),
				cycles: cycles(e, tree, names),
				tree: rows(e, page.tree, degree, names),
				folded: folded(e, tree, names),
				callees: of < 0 ? [] : folded(e, make(e.calleesOf(page.tree, of)), names),
				callers: of < 0 ? [] : folded(e, make(e.callersOf(page.tree, of)), names),
			};

			for (const [what, lines] of Object.entries(parts))
				for (const line of lines)
					yield [`${what} ${degrees[degree]}`, ...line];
		}
	};
	/* Of a comparison: functions as in the table of eddy diff, stacks with both counts. */
	function* changes(e) {
		const { page, app } = e, { names } = page.functions, nr = names.length;
		const { comparison } = app.picture, { sides } = e.compareFunctions(comparison, page.tree, nr);
		const mark = (test, counts) => ['', 'more', 'less', '', ''][comparison.verdict(test, ...counts)];

		for (let f = 0; f < nr; f++)
			['inclusive', 'self'].forEach((kind, at) => {
				const counts = sides.map((numbers) => numbers[kind][f]);

				if (!counts[0] && !counts[1])
					return;
				yielded.push(['row', ...counts, comparison.percent(counts[0], 0).toFixed(6),
					comparison.percent(counts[1], 1).toFixed(6),
					comparison.change(...counts).toFixed(6).replace('-0.000000', '0.000000'),
					mark(page.functionTests[2 * f + at], counts), kind, names[f]]);
			});
		yield* yielded;
		for (const line of folded(e, page.tree, names))
			yield ['two', ...line];
		/* All of it in each degree, and of one side by width: nothing is lost on the way. */
		for (let degree = 0; degree < degrees.length; degree++)
			yield [`sums ${degrees[degree]}`, ...e.collapse(page.tree, degree, nr).sideSums];
		for (const hash of ['#width=before&of=0', '#width=after&lanes=task', '#search=.&width=after']) {
			location.hash = hash;
			app.restore();
			yield ['link', hash, document.getElementById('sum').textContent,
				document.getElementById('found').textContent];
		}
	}
	const yielded = [];

	/* Keys alone: the state behind '#' after each, and what would be exported at the end. */
	function* keys(e) {
		const canvas = document.getElementById('canvas');

		canvas.focus();
		for (const key of ['ArrowUp', 'ArrowUp', 'Enter', 'r', 'r', 'r', 'i', 's', 'ArrowUp',
			'ArrowUp', 'Enter', 'Backspace', 's', '2', '2', '0', 'ArrowDown', 'ArrowDown',
			'ArrowDown', 'ArrowRight', 'Enter', 'c']) {
			canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
			yield ['keys', key, location.hash];
		}
		yield ['export', e.app.exportText().trim()];
		location.hash = '#of=1&search=^a$&lanes=task';
		e.app.restore();
		yield ['link', document.getElementById('sum').textContent,
			document.getElementById('found').textContent];
	}
	/* Of windows: ranges by keys alone, the stacks of each and of two compared. */
	function* ranges(e) {
		const { app, page } = e, { names } = page.functions, strip = document.getElementById('strip');
		const press = (keys) => keys.forEach((key) => strip.dispatchEvent(new KeyboardEvent('keydown',
			{ key: key.replace(/.*\+/, ''), shiftKey: key.startsWith('Shift'),
				ctrlKey: key.startsWith('Ctrl'), bubbles: true })));

		for (const slot of page.time.slots)
			yield ['slot', slot.due, slot.kept, slot.lost,
				slot.hottest ? names[slot.hottest - 1] : '', slot.hottestSelf];
		press(['ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight']);
		yield ['hash', location.hash];
		for (const line of folded(e, app.tree, names))
			yield ['range', ...line];
		press(['End', 'Ctrl+Enter']);
		yield ['hash', location.hash];
		for (const line of folded(e, app.tree, names))
			yield ['versus', ...line];
		app.change({ degree: 3, lanes: [true, false, false, false] });
		yield ['of tasks', ...app.tree.sideSums];
		press(['Escape']);
		yield ['hash', location.hash];
	}
	/* Of windows: what the tests of two ranges say, of functions and of the stacks through nodes. */
	const pairs = [[0, 24, 25, 49], [0, 39, 40, 49], [3, 3, 10, 12], [0, 4, 3, 9], [20, 20, 21, 49],
		[0, 19, 20, 44], [6, 30, 31, 44], [2, 9, 3, 8]];

	function* chances(e) {
		const { app, page } = e, { names } = page.functions, marks = ['', '', 'marked', ''];
		const notice = document.getElementById('notice');

		for (const [k, [first, last, from, to]] of pairs.entries()) {
			app.change({ range: [first, last], versus: [from, to] });
			const { found } = app.compared;

			yield ['notice', k, notice.textContent];
			for (let f = 0; found && f < names.length; f++)
				['inclusive', 'self'].forEach((kind, at) => told.push(['p', k, kind, names[f],
					found.p[kind][f] < 0 ? '' : found.p[kind][f].toExponential(12),
					marks[app.compared.tests[2 * f + at]]]));
			if (found)
				told.push(...paths(app.compared.tree, names).map((line) => [k, ...line]));
			yield* told.splice(0);
		}
	}
	const told = [];

	/* The test of each node with samples. */
	function paths(tree, names) {
		const path = [''], lines = [];

		for (let i = 1; i < tree.nr; i++) {
			path.length = tree.level[i];
			path.push(names[tree.name[i]]);
			if (tree.sideTotals[0][i] + tree.sideTotals[1][i])
				lines.push(['path', path.join(';'), tree.tests[i]]);
		}
		return lines;
	}
	/* The mouse from one place of the canvas to another, of its width and height. */
	function drag(strip, [x, y], [toX, toY], keys) {
		const box = strip.getBoundingClientRect();
		const at = (type, left, top) => strip.dispatchEvent(new PointerEvent(type, { bubbles: true,
			pointerId: 1, clientX: box.left + left * box.width, clientY: box.top + top * box.height,
			...keys }));

		strip.setPointerCapture = () => 0; /* there is no such pointer */
		at('pointerdown', x, y);
		at('pointermove', (x + toX) / 2, (y + toY) / 2);
		at('pointermove', toX, toY);
		at('pointerup', toX, toY);
	}
	/* Of a strip of six windows: the ranges that the mouse chooses. */
	function* mouse(e) {
		const strip = document.getElementById('strip');
		const told = () => [location.hash, document.getElementById('sum').textContent];

		drag(strip, [0.2, 0.5], [0.6, 0.1]);
		yield ['mouse', 'drag', ...told()];
		drag(strip, [0.99, 0.5], [0.7, 0.1], { ctrlKey: true });
		yield ['mouse', 'back, Ctrl', ...told()];
		drag(strip, [0.5, 0.5], [0.5, 0.5]);
		yield ['mouse', 'click', ...told()];
		drag(strip, [0.5, 0.5], [9, -4]);
		yield ['mouse', 'out of it', ...told()];
		document.getElementById('all-time').click();
		yield ['mouse', 'all', ...told()];
	}
	/* Of a timeline of 3 s: ranges by keys and mouse, and the samples of every slot. */
	function* times(e) {
		const { app, page: { time, functions: { names } } } = e, { strip } = app;
		const canvas = document.getElementById('strip');
		const press = (key, more) => canvas.dispatchEvent(new KeyboardEvent('keydown',
			{ key, bubbles: true, ...more }));
		const told = (what) => [what, location.hash.replace(/^#?/, '#'), app.tree.sum,
			document.getElementById('range').textContent];
		/* The middle of a slot's place, of the canvas. */
		const at = (slot) => [(Math.floor(slot / 100) + 0.5) * strip.shownWidth / strip.columns /
			strip.width, 1 - (slot % 100 + 0.5) / 100];

		yield told('whole');
		for (let slot = 0; slot < time.nr; slot++)
			if (time.sumOf([slot, slot]))
				yield ['slot', slot, time.sumOf([slot, slot])];
		drag(canvas, at(7), at(110));
		yield told('drag');
		for (const line of folded(e, app.tree, names))
			yield ['range', ...line];
		drag(canvas, at(205), at(190), { ctrlKey: true });
		yield [...told('back, Ctrl').slice(0, 2), ...app.tree.sideSums];
		drag(canvas, at(120), at(120));
		yield told('click');
		canvas.dispatchEvent(new MouseEvent('dblclick', { bubbles: true,
			clientX: canvas.getBoundingClientRect().left + at(150)[0] * strip.width,
			clientY: canvas.getBoundingClientRect().top + 5 }));
		yield told('double click');
		drag(canvas, at(0), at(0));
		press('ArrowUp');
		press('ArrowRight', { shiftKey: true });
		press('ArrowUp', { shiftKey: true });
		yield told('keys');
		press('End');
		press('Enter', { ctrlKey: true });
		yield [...told('keys, Ctrl').slice(0, 2), ...app.tree.sideSums];
		press('Escape');
		yield told('Escape');
		yield ['notice', document.getElementById('notice').textContent];
	}
	document.addEventListener('eddy', () => {
		if (location.pathname.includes('known'))
			all = () => keys(window.eddy);
		if (window.eddy.page.time)
			all = () => [...ranges(window.eddy), ...mouse(window.eddy)];
		if (location.pathname.includes('times'))
			all = () => times(window.eddy);
		if (location.pathname.includes('chance'))
			all = () => chances(window.eddy);
		if (window.eddy.page.meta.diff)
			all = () => changes(window.eddy);
		if (/both\d/.test(location.pathname))
			all = () => paths(window.eddy.page.tree, window.eddy.page.functions.names);
		const text = [...all()].map((line) => line.join('\t')).join('\n');

		window.parent.postMessage({ from: location.pathname, text }, '*');
	});
})();
