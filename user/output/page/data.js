// SPDX-License-Identifier: GPL-2.0-or-later
/* The data behind the page: base64, gzip, columns.  What stands where: output/html_data.h. */

const SECTIONS = ['meta', 'account', 'names', 'kinds', 'nameModules', 'modules', 'levels',
	'functions', 'selves', 'before', 'tests', 'functionTests', 'accountBefore', 'windows', 'cells',
	'times'];
const USER = 0, KERNEL = 1, JIT = 2, INLINED = 3, BASE = 4, LEFT_OUT = 5;

function fromBase64(text) {
	const packed = atob(text);
	const bytes = new Uint8Array(packed.length);

	for (let i = 0; i < packed.length; i++)
		bytes[i] = packed.charCodeAt(i);
	return bytes;
}

async function gunzip(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function splitSections(bytes) {
	const lengths = new DataView(bytes.buffer, 0, 4 * SECTIONS.length);
	const found = {};
	let at = 4 * SECTIONS.length;

	SECTIONS.forEach((name, i) => {
		const length = lengths.getUint32(4 * i, true);

		found[name] = bytes.subarray(at, at + length);
		at += length;
	});
	return found;
}

/* LEB128 into the array, from its element `first` on; past 2^53 a number is rounded. */
function readNumbers(bytes, into, first) {
	let to = first, value = 0, scale = 1;

	for (let i = 0; i < bytes.length; i++) {
		const byte = bytes[i];

		if (byte > 127) {
			value += (byte & 127) * scale;
			scale *= 128;
			continue;
		}
		into[to++] = value + byte * scale;
		value = 0;
		scale = 1;
	}
	return into;
}

function countNumbers(bytes) {
	let nr = 0;

	for (let i = 0; i < bytes.length; i++)
		nr += bytes[i] < 128 ? 1 : 0;
	return nr;
}

const readLines = (bytes) => new TextDecoder().decode(bytes).split('\n').slice(0, -1);
const readJson = (bytes) => (bytes.length ? JSON.parse(new TextDecoder().decode(bytes)) : null);

/* Counts that add up to `sum`: no more bytes than they need. */
const newCounts = (nr, sum) => buffers.take(sum < 2 ** 32 ? Uint32Array : Float64Array, nr);

/* "[libc.so.6+0x1234]" says its module itself. */
function moduleOfText(name) {
	const found = /^\[(.+)\+0x[0-9a-f]+\](_\[k\])?$/.exec(name);

	return found ? found[1] : '';
}

function readFunctions(s) {
	const names = readLines(s.names), modules = readLines(s.modules);
	const numbers = readNumbers(s.nameModules, new Int32Array(names.length), 0);

	return {
		names,
		kinds: s.kinds.slice(),
		modules: names.map((name, i) => modules[numbers[i] - 1] || moduleOfText(name)),
	};
}

/* A column by node: node 0 has nothing of its own. */
const readColumn = (bytes, nr) => readNumbers(bytes, new Float64Array(nr), 1);

function readTree(s, meta) {
	const nr = countNumbers(s.levels) + 1;
	const sides = meta.diff && [readColumn(s.before, nr), readColumn(s.selves, nr)];
	const self = sides ? widthColumn(sides, 0, meta.diff.due) : readColumn(s.selves, nr);
	let sum = 0;

	for (let i = 1; i < nr; i++)
		sum += self[i];
	const tree = newTree(nr, sum), { level } = tree;

	readNumbers(s.levels, level, 1);
	readNumbers(s.functions, tree.name, 1);
	tree.self.set(self);
	for (let i = 1; i < nr; i++)
		level[i] = level[i - 1] + 1 - level[i];
	finishTree(tree);
	return sides ? Object.assign(addSides(tree, sides), { tests: s.tests.slice() }) : tree;
}

async function readPage(text) {
	const s = splitSections(await gunzip(fromBase64(text))), meta = readJson(s.meta);
	const account = readJson(s.account);

	return {
		meta,
		account,
		accountBefore: readJson(s.accountBefore),
		functions: readFunctions(s),
		functionTests: s.functionTests.slice(),
		tree: readTree(s, meta),
		time: readWindows(s) || readTimeline(s, meta, account),
	};
}
