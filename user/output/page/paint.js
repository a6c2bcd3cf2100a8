// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Colours: the hue says what kind of code a frame is, the lightness which module (where that is
 * not known, which function).  The hues are told apart by colour-blind people too (Okabe and Ito),
 * and each has its words in the legend and in the line about a frame.
 */

const PAINTS = [
	{ name: 'user', hue: 38, colour: 85 },
	{ name: 'kernel', hue: 205, colour: 62 },
	{ name: 'kernel, in an interrupt', hue: 322, colour: 45 },
	{ name: 'JIT', hue: 164, colour: 50 },
	{ name: 'inlined', hue: 56, colour: 88 },
	{ name: 'process or mark', hue: 220, colour: 6 },
	{ name: 'left out', hue: 0, colour: 0 },
];
const PAINT_OF_KIND = [0, 1, 3, 4, 5, 6], PAINT_IRQ = 2, PAINT_BASE = 5;
const SHADES = 5;

function hashText(text) {
	let h = 2166136261;

	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return (h ^ h >>> 13) >>> 0;
}

function shadeColour(paint, shade, isDark) {
	const { hue, colour } = PAINTS[paint];
	const light = isDark ? 26 + 4 * shade : 66 + 5 * shade;

	return `hsl(${hue} ${isDark ? Math.round(colour * 0.75) : colour}% ${light}%)`;
}

/* All colours of a theme, by paint and shade. */
function makePalette(isDark) {
	return PAINTS.map((_, paint) => Array.from({ length: SHADES },
		(__, shade) => shadeColour(paint, shade, isDark)));
}

/* From a file a process is known by its place only: user code that is nobody's callee. */
function findBases(tree, functions) {
	const isCalled = new Uint8Array(functions.names.length);
	const isRoot = new Uint8Array(functions.names.length);

	for (let i = 1; i < tree.nr; i++)
		(tree.level[i] === 1 ? isRoot : isCalled)[tree.name[i]] = 1;
	return functions.names.map((name, f) => functions.kinds[f] === USER && !functions.modules[f] &&
		(/^\[.*\]$/.test(name) || (isRoot[f] && !isCalled[f])));
}

/* Of each function the index of its paint and of its shade. */
function findPaints(tree, functions) {
	const isBase = findBases(tree, functions);

	return functions.names.map((name, f) => ({
		paint: isBase[f] ? PAINT_BASE : PAINT_OF_KIND[functions.kinds[f]],
		shade: hashText(functions.modules[f] || name) % SHADES,
	}));
}

/* "12.3 %"; what is not nothing and not all is not printed as such. */
function percentText(part, whole) {
	if (!whole)
		return '-';
	const percent = 100 * part / whole;

	if (part && percent < 0.05)
		return '<0.1 %';
	if (part < whole && percent >= 99.95)
		return '>99.9 %';
	return `${percent.toFixed(1)} %`;
}

const countText = (count) => count.toLocaleString('en-US');
