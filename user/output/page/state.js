// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is looked at, as the part of the address behind '#': a link shows the same view.  Functions
 * and lanes are numbers of this page; what means nothing in it is left at its default.
 */

const SORTS = ['self', 'inclusive', 'name'], LISTS = ['functions', 'cycles', 'none'];
const THEMES = ['', 'light', 'dark'];

const newState = () => ({
	degree: 0,
	up: 1,
	lanes: [true, true, true, true],
	of: -1, /* the function whose callers and callees are shown */
	zoom: [], /* functions from the root, of the stacks or of the callees */
	callers: [], /* the same of the callers */
	search: '',
	pick: -1, /* the function chosen in a list */
	sort: 'self',
	rising: 0,
	list: '',
	theme: '',
	range: null, /* of slots, [first, last]; versus: what it is compared with */
	versus: null,
	width: 0, /* of a comparison: what boxes are as wide as, of WIDTHS */
});

const choice = (list, text, otherwise) => (list.includes(text) ? text : otherwise);

function readIndex(text, nr) {
	const index = /^\d{1,9}$/.test(text) ? Number(text) : -1;

	return index < nr ? index : -1;
}

function readPath(text, nr) {
	const path = (text || '').split('.').map((part) => readIndex(part, nr));

	return path.includes(-1) ? [] : path;
}

function readRange(text, nr) {
	const range = (text || '').split('-').map((part) => readIndex(part, nr));

	return range.length === 2 && range[0] >= 0 && range[0] <= range[1] ? range : null;
}

function readState(hash, nrNames, nrSlots) {
	const state = newState(), q = new URLSearchParams(hash.replace(/^#/, ''));

	state.degree = Math.max(0, DEGREES.indexOf(q.get('degree')));
	state.up = q.get('view') === 'icicle' ? 0 : 1;
	if (q.has('lanes'))
		state.lanes = LANES.map((lane) => q.get('lanes').split('.').includes(lane));
	state.of = readIndex(q.get('of') || '', nrNames);
	state.zoom = readPath(q.get('zoom'), nrNames);
	state.callers = readPath(q.get('callers'), nrNames);
	state.search = q.get('search') || '';
	state.pick = readIndex(q.get('pick') || '', nrNames);
	state.sort = choice(SORTS, q.get('sort'), 'self');
	state.rising = q.get('rising') ? 1 : 0;
	state.list = choice(LISTS, q.get('list'), '');
	state.range = readRange(q.get('range'), nrSlots);
	state.versus = state.range && readRange(q.get('versus'), nrSlots);
	state.width = Math.max(0, WIDTHS.indexOf(q.get('width')));
	state.theme = choice(THEMES, q.get('theme'), '');
	return state;
}

/* Only what is not as it begins. */
function writeState(state) {
	const q = new URLSearchParams();
	const put = (name, value) => {
		if (value)
			q.set(name, value);
	};

	put('degree', state.degree && DEGREES[state.degree]);
	put('view', !state.up && 'icicle');
	if (!state.lanes.every((shown) => shown))
		q.set('lanes', LANES.filter((_, i) => state.lanes[i]).join('.'));
	put('of', state.of >= 0 && String(state.of));
	put('zoom', state.zoom.join('.'));
	put('callers', state.callers.join('.'));
	put('search', state.search);
	put('pick', state.pick >= 0 && String(state.pick));
	put('sort', state.sort !== 'self' && state.sort);
	put('rising', state.rising && '1');
	put('list', state.list);
	put('range', state.range && state.range.join('-'));
	put('versus', state.versus && state.versus.join('-'));
	put('width', state.width && WIDTHS[state.width]);
	put('theme', state.theme);
	return q.toString();
}
