#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy report from file to tree: 260 000 distinct stacks (about 140 MB) read, recursion folded in
# full, printed with --min-percent 0.1; and 1 000 000 stacks that share nothing (30 M frames) in one
# pass.  Wall and processor time, and peak memory; medians of ROUNDS (3).
. tests/bench/lib.sh
rounds=${ROUNDS:-3}
gen=$B/bench/gen_folded usage=$B/bench/usage

tree() { # NAME ROUNDS FILE
	local i
	for ((i = 0; i < $2; i++)); do
		"$usage" "$T/$1" "$EDDY" report --view tree --collapse full --min-percent 0.1 \
			--format text -o "$T/tree.txt" "$3"
	done
	printf '%s: %d MB, tree of full degree, %d lines printed: wall %s s, processor %s s (%s in the kernel), peak RSS %d MiB\n' \
		"$1" "$(($(stat -c %s "$3") / 1000000))" "$(wc -l <"$T/tree.txt")" \
		"$(field wall <"$T/$1" | median)" "$(awk '{ print $4 + $6 }' "$T/$1" | median)" \
		"$(field system <"$T/$1" | median)" "$(($(field rss_kib <"$T/$1" | median) / 1024))"
}

"$gen" 260000 20000 18 80 >"$T/big.folded"
tree big "$rounds" "$T/big.folded"
rm "$T/big.folded"
"$gen" 1000000 20000 30 0 >"$T/wide.folded"
tree wide 1 "$T/wide.folded"
