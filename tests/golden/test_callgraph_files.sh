#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The call graph as dot and callgrind files, read by graphviz and callgrind_annotate.
source tests/tap.sh

printf '%s\n' 'main;a;b;a;b;c 10' 'main;a;b;c 5' 'main;fact;fact;fact;mul 7' 'main;fact;fact 3' \
	'main;leaf 5' 'main;irq_handler_[k];timer_[k] 2' >"$T/known.folded"
printf '%s\n' 'a"b;c\d;\N;<b>&amp;</b>;{x|y} 3' 'a"b;c\d;\N;c\d;(7) up;#up 2' \
	$'\xff\x01;\xc3\xa9;[hardirq];asm_sysvec_x_[k];jit_[j];inl_[i] 4' \
	'(7) up;!all;calls=3;fn=(2) x 1' >"$T/hostile.folded"
# Random walks with and without cycles; a fixed seed.
for seed in 1 2 3 4; do
	awk -v seed=$seed 'BEGIN { srand(seed); for (i = 0; i < 60; i++) {
		f = int(rand() * 3); n = 1 + int(rand() * 12); s = ""
		for (k = 0; k < n; k++) {
			s = s (k ? ";" : "") "f" f
			f = rand() < 0.1 * seed ? int(rand() * 30) : (f + 1 + int(rand() * 2)) % 30
		}
		print s, 1 + int(rand() * 2000) } }' >"$T/walk$seed.folded"
done

golden "dot" callgraph.dot < <("$EDDY" report --format dot "$T/known.folded")
golden "callgrind" callgraph.callgrind < <("$EDDY" report --format callgrind "$T/known.folded")
ok "the suffixes name the formats" "$EDDY" report -o "$T/k.dot" -o "$T/k.callgrind" \
	-o "$T/callgrind.out.7" "$T/known.folded"
equal "-o k.dot" "$("$EDDY" report --format dot "$T/known.folded")" "$(cat "$T/k.dot")"
ok "-o k.callgrind, -o callgrind.out.7" cmp "$T/k.callgrind" "$T/callgrind.out.7"
equal "--min-percent prunes nodes" 4 \
	"$("$EDDY" report --format dot --min-percent 40 "$T/known.folded" | grep -c fillcolor)"
equal "--min-edge-percent prunes arcs" 3 \
	"$("$EDDY" report --format dot --min-edge-percent 40 "$T/known.folded" | grep -c -- '->')"

if command -v dot >/dev/null; then
	for file in known hostile walk1 walk2 walk3 walk4; do
		"$EDDY" report --format dot --min-percent 0 --min-edge-percent 0 -o "$T/$file.dot" \
			"$T/$file.folded"
		ok "graphviz draws $file" timeout 300 dot -Tsvg -o "$T/$file.svg" "$T/$file.dot"
		equal "and says nothing ($file)" "" "$(timeout 300 dot -Tsvg "$T/$file.dot" 2>&1 >/dev/null)"
	done
	equal "every function is drawn" "$("$EDDY" report --view flat --format tsv \
		"$T/walk4.folded" | sed 1d | wc -l)" "$(grep -c 'class="node"' "$T/walk4.svg")"
	ok "an empty graph too" dot -Tsvg -o /dev/null <("$EDDY" report --format dot /dev/null)
else
	skip "graphviz draws every graph" "no dot"
fi

# Self of every function, inclusive and calls of every arc, as callgrind_annotate reads them.
annotated() {
	callgrind_annotate --tree=calling --threshold=100 --show-percs=no "$1" | tr -d , |
		sed -nE 's/^ *([0-9]+) +([*>]) +\?\?\?:(\S+)( \(([0-9]+)x\))?.*/\2 \1 \5 \3/p' |
		awk '$1 == "*" { f = $3; if (f != "!all") print "self", f, $2 }
			$1 == ">" && f != "!all" { print "arc", f, $4, $2, $3 }' | sort
}
expected() {
	{
		"$EDDY" report --view flat --format tsv "$1" | awk 'NR > 1 { print "self", $NF, $2 }'
		"$EDDY" report --view arcs --format tsv "$1" |
			awk 'NR > 1 { print "arc", $(NF - 1), $NF, $1, $2 }'
	} | sort
}
if command -v callgrind_annotate >/dev/null; then
	for file in known walk1 walk2 walk3 walk4; do
		"$EDDY" report -o "$T/$file.callgrind" "$T/$file.folded"
		equal "callgrind_annotate reads $file" "$(expected "$T/$file.folded")" \
			"$(annotated "$T/$file.callgrind")"
	done
	"$EDDY" report -o "$T/hostile.callgrind" "$T/hostile.folded"
	equal "callgrind_annotate says nothing of hostile names" "" \
		"$(callgrind_annotate "$T/hostile.callgrind" 2>&1 >/dev/null)"
else
	skip "callgrind_annotate reads every file" "no callgrind_annotate"
fi

finish
