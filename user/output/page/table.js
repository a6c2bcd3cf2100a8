// SPDX-License-Identifier: GPL-2.0-or-later
/* The lists beside the picture: functions and cycles.  All text goes through textContent. */

const TABLE_ROWS = 200;

function element(tag, text, properties) {
	const made = document.createElement(tag);

	if (text !== undefined)
		made.textContent = text;
	return Object.assign(made, properties);
}

function cells(row, texts, tag) {
	for (const [text, kind] of texts)
		row.append(element(tag || 'td', text, { className: kind || '' }));
	return row;
}

/* Only the first rows are made; a button makes more. */
class List {
	constructor(body, more, makeRow) {
		Object.assign(this, { body, more, makeRow, items: [], shown: 0 });
		more.addEventListener('click', () => this.grow());
	}
	show(items) {
		this.items = items;
		this.shown = 0;
		this.body.textContent = '';
		this.grow();
	}
	grow() {
		const next = this.items.slice(this.shown, this.shown + TABLE_ROWS);

		this.body.append(...next.map(this.makeRow));
		this.shown += next.length;
		this.more.hidden = this.shown === this.items.length;
		this.more.textContent = `${countText(this.shown)} of ${countText(this.items.length)} ` +
			'shown: more';
	}
}

/* Arrow keys go from row to row. */
function walkRows(body) {
	body.addEventListener('keydown', (event) => {
		const row = event.target.closest('tr');
		const to = event.key === 'ArrowDown' ? row && row.nextElementSibling :
			event.key === 'ArrowUp' ? row && row.previousElementSibling : null;

		if (!to)
			return;
		to.focus();
		event.preventDefault();
		event.stopPropagation();
	});
}

/* One sentence a fact, from the `.json` of the capture; what is not known is not said. */
function accountFacts(account) {
	const a = account || {}, s = a.samples || {}, cost = a.cost || {}, stacks = a.user_stacks || {};
	const facts = [];
	const say = (name, value) => {
		if (value !== undefined && value !== null && value !== '')
			facts.push([name, typeof value === 'number' ? countText(value) : String(value)]);
	};

	say('host', a.host);
	say('kernel', a.kernel);
	say('command', a.command);
	say('filter', a.filter);
	say('event', a.event);
	say('Hz', a.freq_hz);
	say('CPUs', a.cpus);
	say('start', a.start);
	say('end', a.end);
	say('expected', s.due);
	say('taken', s.delivered);
	say('idle', s.idle);
	say('filtered', s.filtered);
	say('kept', s.kept);
	say('lost', s.lost);
	for (const [reason, nr] of Object.entries(a.losses || {}))
		say(`lost: ${reason}`, nr);
	if (s.due > s.delivered)
		say('not taken', s.due - s.delivered);
	if (stacks.total)
		say('user stacks whole', percentText(stacks.complete, stacks.total));
	for (const [reason, nr] of Object.entries(stacks.broken || {}))
		say(`truncated: ${reason}`, nr);
	if (cost.bpf_ns_per_sample)
		say('own cost in the kernel', `${(cost.bpf_ns_per_sample / 1000).toFixed(1)} us a sample`);
	if (cost.cpu_seconds)
		say('own CPU time', `${cost.cpu_seconds} s`);
	if (cost.max_rss_bytes)
		say('own memory', `${(cost.max_rss_bytes / 2 ** 20).toFixed(1)} MiB`);
	return facts;
}

function showAccount(into, { meta, account, accountBefore }) {
	if (!meta.diff) {
		showCapture(into, account);
		return;
	}
	into.append(element('p', meta.diff.words, { className: 'words' }));
	[accountBefore, account].forEach((side, k) => {
		into.append(element('h2', `${['before', 'after'][k]}: ${meta.diff.names[k]}`));
		showCapture(into, side);
	});
}

function showCapture(into, account) {
	const facts = accountFacts(account), list = element('dl');

	for (const [name, value] of facts)
		list.append(element('dt', name), element('dd', value));
	into.append(list);
	if (!account)
		into.append(element('p', 'Nothing is known about the capture: not all files of ' +
			'stacks had a .json beside them.'));
	for (const note of account && account.notes || [])
		into.append(element('p', note));
}

/* What the page does not show though it was there. */
function leftOutTexts(meta) {
	const out = meta.left_out, texts = [];

	if (out)
		texts.push(`${countText(out.nodes)} nodes of fewer than ${countText(out.threshold)} ` +
			`samples are left out: the ${countText(out.samples)} samples that end there ` +
			'stand as [left out], and functions may have more than is shown.');
	if (meta.dropped)
		texts.push(`${countText(meta.dropped)} samples were left out by --irq, --focus or ` +
			'--ignore.');
	if (meta.unit)
		texts.push(`Counts are ${meta.unit}.`);
	return texts;
}
