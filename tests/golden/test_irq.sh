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
	# What the .json says of a split file stands in the place of what the split took away.
	rows=$("$EDDY" report --view irq --format tsv "$file" | tail -n +2)
	run --softirq split "$file" >"$T/whom.folded"
	sidecar() { # rows on standard input
		jq -Rn '[inputs | split("\t") | {key: (.[:4] | join(";")), value: (.[4] | tonumber)}] |
			{version: 1, samples: {}, interrupts: from_entries}' >"$T/whom.folded.json"
	}
	whom() { "$EDDY" report --view irq --format tsv "$T/whom.folded" | tail -n +2; }
	sidecar <<<"$rows"
	equal "$name: who was hit is known of a split file" "$rows" "$(whom)"
	head -n 1 <<<"$rows" | sidecar
	equal "$name: what the .json leaves out is of nobody" "$(head -n 1 <<<"$rows") $(total <<<"$rows")" \
		"$(whom | grep -F "$(head -n 1 <<<"$rows")") $(whom | total)"
	awk -F'\t' -v OFS='\t' '{ $5++; print }' <<<"$rows" | sidecar
	mv "$T/whom.folded.json" "$T/other.json"
	plain=$(whom)
	mv "$T/other.json" "$T/whom.folded.json"
	equal "$name: a .json of other stacks is not believed" "$plain" "$(whom)"
	rm "$T/whom.folded.json"
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
printf 'm;wake_up_[k];_raw_spin_unlock_irqrestore_[k] 3\nm;wake_up_[k] 1\n' >"$T/late.folded"
for event in cpu-clock cycles; do
	echo '{"event": "'$event'", "samples": {"due": 4}}' >"$T/late.folded.json"
	equal "what came late, of $event" "$([[ $event == cycles ]] || echo '3 75.0 75.0 wake_up_[k]')" \
		"$("$EDDY" report --view irq "$T/late.folded" | awk '/^late/ { on = 1; getline; next }
			on && $6 ~ /_\[k\]$/ { print $1, $2, $4, $6 }')"
done
golden "the effect, for people" irq/effect.text < <("$EDDY" report --view irq --effect "$rps")
golden "the effect, for programs" irq/effect.tsv \
	< <("$EDDY" report --view irq --effect --format tsv --limit 5 "$rps")
equal "an empty file has no rows" $'class\tentry\thandler\tvictim\tsamples' \
	"$("$EDDY" report --view irq --format tsv /dev/null)"
ok "other views refuse --effect" bash -c "'$EDDY' report --effect /dev/null 2>&1 | grep -q -- --effect:"
finish
