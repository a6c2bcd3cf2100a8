#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A page of a tree of 500 000 nodes in headless Chromium: bytes, the first picture, search, zoom,
# degrees of recursion (each twice), heap; medians of ROUNDS (5) openings.
. tests/bench/lib.sh
command -v chromium >/dev/null || { echo 'no chromium: tests/deps.sh browser' && exit 1; }

# A line goes on from a part of the one before, as stacks of one program do.
awk 'BEGIN {
	srand(7)
	for (nodes = 0; nodes < 500000;) {
		keep = int(rand() * depth)
		depth = keep
		line = "main"
		for (d = 1; d <= keep; d++) line = line ";" at[d]
		for (more = 1 + int(rand() * 8); more > 0 && depth < 60; more--) {
			at[++depth] = "function_" int(rand() ^ 2 * 20000)
			line = line ";" at[depth]
			nodes++
		}
		print line, 1 + int(rand() * 9)
	}
}' >"$T/tree.folded"
"$B/eddy" report -o "$T/tree.html" "$T/tree.folded" || exit 1
cat >"$T/measure.js" <<'END'
document.addEventListener('eddy', () => requestAnimationFrame(() => {
	const { app, page } = window.eddy, rows = [['first picture ms', performance.now()]];
	const wait = (ms) => new Promise((done) => setTimeout(done, ms));
	const timed = async (what, change) => {
		const begun = performance.now();

		app.change(change);
		rows.push([what, performance.now() - begun]);
		await wait(500); /* the lists come behind */
	};
	/* Memory of columns is let go of behind the first collection. */
	const heap = async (what) => {
		globalThis.gc();
		await wait(300);
		globalThis.gc();
		rows.push([what, performance.memory.usedJSHeapSize / 1e6]);
	};
	const all = async () => {
		const deep = app.pathOf(app.picture.panes[0], app.picture.panes[0].heaviestChild(0));

		await wait(1500);
		rows.push(['nodes', page.tree.nr]);
		await heap('heap at first, MB');
		await timed('search ms', { search: 'function_1[0-9]*7' });
		await timed('search off ms', { search: '' });
		await timed('zoom ms', { zoom: deep });
		await timed('zoom off ms', { zoom: [] });
		for (const degree of [1, 2, 3, 0, 1, 2, 3])
			await timed(`degree ${degree} ms`, { degree });
		await heap('heap while degrees change, MB');
		await wait(6000);
		await heap('heap at rest, collapsed, MB');
		for (const [what, value] of rows)
			console.log(`measured\t${what}\t${value.toFixed(1)}\tend`);
		console.log('measured all');
	};

	all();
}));
END
{
	sed '/http-equiv="Content-Security-Policy"/,/>/d' "$T/tree.html"
	echo '<script>' && cat "$T/measure.js" && echo '</script>'
} >"$T/measured.html"

# Its time is the machine's, not virtual: the page says on the console when it has done all.
measure() {
	local pid tries=0
	rm -rf "$T/profile"
	chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --disable-dev-shm-usage \
		--user-data-dir="$T/profile" --enable-logging=stderr --enable-precise-memory-info \
		--js-flags=--expose-gc --remote-debugging-port=0 --window-size=1280,800 \
		"file://$T/measured.html" 2>"$T/log" &
	pid=$!
	until grep -q 'measured all' "$T/log" || ((++tries > 600)); do sleep 0.1; done
	kill $pid
	wait $pid 2>/dev/null
	grep -o 'measured.*end' "$T/log" | sed 's/\\t/\t/g' | cut -f 2,3
}
for ((i = 0; i < ${ROUNDS:-5}; i++)); do measure; done >"$T/rows"
echo "bytes of the page: $(stat -c %s "$T/tree.html")"
cut -f 1 "$T/rows" | awk '!seen[$0]++' | while IFS= read -r what; do
	echo "$what: $(awk -F '\t' -v what="$what" '$1 == what { print $2 }' "$T/rows" | median)"
done
