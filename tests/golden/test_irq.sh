#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Interrupts taken off stacks by names: folded text in, folded text out.  x86_6_18_* were recorded
# under the loads of tests/live/workloads (UDP and TCP flood, packet steering, block I/O, page
# faults, timers, forks, fsync); the others are written by hand after the boundaries of those kernels.
. tests/tap.sh

run() { "$EDDY" report --collapse none --format folded "$@"; }
total() { awk '{ n += $NF } END { print n + 0 }'; }

for file in tests/golden/irq/*.folded; do
	name=$(basename "$file" .folded)
	want=$(grep -v '^#' "$file" | LC_ALL=C sort)
	all=$(total <<<"$want")
	golden "$name: split" "irq/$name.split" < <(run "$file")
	golden "$name: who was hit" "irq/$name.tsv" < <("$EDDY" report --view irq --format tsv "$file")

	equal "$name: keep changes nothing" "$want" "$(run --irq keep "$file")"
	for mode in split charge; do
		equal "$name: $mode keeps the total" "$all" "$(run --irq $mode "$file" | total)"
	done
	run "$file" >"$T/split"
	equal "$name: split twice is split" "$(cat "$T/split")" "$(run "$T/split")"
	equal "$name: keep, then split, is split" "$(cat "$T/split")" \
		"$(run --irq keep "$file" | run -)"
	run --irq drop "$file" >"$T/drop" 2>"$T/said"
	left=$(sed -n 's/^eddy: \([0-9]*\) of .* left out.*/\1/p' "$T/said")
	equal "$name: drop counts what it leaves out" "$all" $(($(total <"$T/drop") + ${left:-0}))
	equal "$name: drop leaves what split leaves with the tasks" \
		"$(grep -v '^\[\(hardirq\|softirq\|nmi\)\]' "$T/split")" "$(cat "$T/drop")"
	equal "$name: the rows are the interrupts" \
		"$(run --softirq split "$file" | grep '^\[\(hardirq\|softirq\|nmi\)\]' | total)" \
		"$("$EDDY" report --view irq --format tsv "$file" | tail -n +2 | total)"
done

for name in x86_5_10 arm64_5_10 arm64_6_12 nested; do
	golden "$name: charge" "irq/$name.charge" < <(run --irq charge "tests/golden/irq/$name.folded")
	golden "$name: inline softirqs too" "irq/$name.softirq" \
		< <(run --softirq split "tests/golden/irq/$name.folded")
done

for file in tests/golden/irq/x86_6_18_*.folded; do
	equal "$(basename "$file" .folded): as stack by stack" \
		"$(awk -f tests/golden/irq_model.awk "$file" | LC_ALL=C sort)" "$(run "$file")"
	# Not annotated, every frame counts; the result is the same.
	sed 's/_\[k\]//g' "$file" >"$T/plain"
	equal "$(basename "$file" .folded): without annotation" \
		"$(awk -f tests/golden/irq_model.awk "$file" | sed 's/_\[k\]//g' | LC_ALL=C sort |
			awk '{ c = $NF; sub(/ [0-9]+$/, ""); n[$0] += c } END { for (s in n) print s, n[s] }' |
			LC_ALL=C sort)" "$(run "$T/plain")"
done

rps=tests/golden/irq/x86_6_18_rps.folded
golden "for people" irq/text < <("$EDDY" report --view irq "$rps")
golden "the effect, for people" irq/effect.text < <("$EDDY" report --view irq --effect "$rps")
golden "the effect, for programs" irq/effect.tsv \
	< <("$EDDY" report --view irq --effect --format tsv --limit 5 "$rps")
equal "an empty file has no rows" $'class\tentry\thandler\tvictim\tsamples' \
	"$("$EDDY" report --view irq --format tsv /dev/null)"
ok "other views refuse --effect" bash -c "$EDDY report --effect /dev/null 2>&1 | grep -q -- --effect:"
finish
