#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a count stands for: a sample, a sample of so many events, or an event.  The views say it, and
# files of different units are not added up.
. tests/tap.sh
cd "$T" || exit 1

# side NAME UNIT EVENT PERIOD KEPT WEIGHT STACKS
side() {
	printf '%s\n' "${@:7}" >"$1.folded"
	cat >"$1.folded.json" <<-END
		{"version": 1, "host": "h", "event": "$3", "unit": "$2", "freq_hz": 99, "period": $4, "cpus": 1,
		 "samples": {"due": $5, "delivered": $5, "idle": 0, "filtered": 0, "kept": $5, "lost": 0},
		 "weight": {"due": $6, "delivered": $6, "idle": 0, "filtered": 0, "kept": $6, "lost": 0}}
	END
}
side events events cycles 0 100 100000 'a;hot 60000' 'a;mild 40000'
side more events cycles 0 100 5000 'a;hot 3500' 'a;mild 1500'
side faults events page-faults 0 100 100000 'a;hot 100000'
side tenth samples page-faults 10 100 0 'a;hot 100'
side clock samples cpu-clock 1000000 100 0 'a;hot 100'
says() { "$EDDY" report "${@:2}" 2>&1 | grep -qxF "counts: $1"; }
silent() { ! "$EDDY" report "$@" 2>&1 | grep -q '^counts:'; }
weighed='cycles, each sample weighed by its period'
for view in flat tree arcs graph irq; do
	ok "$view: says that counts are events" says "$weighed" --view $view events.folded
done
ok 'a period: says what a sample stands for' says 'samples, each stands for 10 page-faults' tenth.folded
ok 'a clock: nothing to say' silent clock.folded
ok 'tsv: nothing but the table' silent --format tsv events.folded
ok 'two files of one unit' says "$weighed" events.folded more.folded
fails 'two units' 1 '*cannot be added up: one counts cycles, each*the other samples' report events.folded clock.folded
fails 'two events' 1 '*cannot be added up*' report events.folded faults.folded
fails 'merge: two units' 1 '*cannot be added up*' merge -o all.folded clock.folded events.folded
ok 'merge: nothing was written' test ! -e all.folded
"$EDDY" merge -o all.folded events.folded more.folded
equal 'merge: the unit stays, weights add up' 'events 105000 200' \
	"$(jq -r '"\(.unit) \(.weight.kept) \(.samples.kept)"' all.folded.json)"
# Time: said by every view, added to time, and to nothing else.
timed() {
	printf '%s\n' "${@:3}" >"$1.folded"
	echo '{"version": 1, "host": "h", "event": "off-cpu", "unit": "microseconds", "cpus": 2,
		"samples": {"sleep": '"$2"', "kept": '"$2"', "lost": 0, "waits": 100, "threads": 2}}' >"$1.folded.json"
}
timed waits 90000 'a;f;[sleep] 90000'
timed rests 10000 'a;f;[sleep] 10000'
printf 'a;hot 5\n' >bare.folded
for view in flat tree arcs graph irq; do
	ok "$view: says that counts are time" says microseconds --view $view waits.folded
done
ok 'time and time' says microseconds waits.folded rests.folded
fails 'time and samples' 1 \
	'*waits.folded and clock.folded cannot be added up: one counts microseconds, the other samples*' \
	report waits.folded clock.folded
fails 'time and folded text without a .json' 1 \
	'*waits.folded and bare.folded cannot be added up: one counts microseconds*' report bare.folded waits.folded
fails 'merge: time and samples' 1 '*cannot be added up*' merge -o all.folded waits.folded bare.folded
fails 'merge: time and events' 1 '*cannot be added up*' merge -o all.folded events.folded waits.folded
fails 'export: time and samples' 1 '*cannot be added up*' export --clickhouse --table all waits.folded clock.folded
fails 'diff: time and samples' 1 '*clock.folded*cannot be compared: one counts microseconds*' diff waits.folded clock.folded
fails 'diff: time and what does not say' 1 '*cannot be compared*' diff bare.folded waits.folded
"$EDDY" merge -o time.folded waits.folded rests.folded
equal 'merge: time adds up' 'microseconds 100000 100000 a;f;[sleep] 100000' \
	"$(jq -r '"\(.unit) \(.samples.kept) \(.samples.sleep)"' time.folded.json) $(cat time.folded)"
"$EDDY" report -o waits.speedscope.json waits.folded
equal 'speedscope: the unit' 'microseconds 90000' \
	"$(jq -r '.profiles[0] | "\(.unit) \(.endValue)"' waits.speedscope.json)"
"$EDDY" report -o waits.svg waits.folded
ok 'svg: the unit' grep -q 'microseconds' waits.svg
"$EDDY" diff --format tsv waits.folded rests.folded >time.tsv 2>time.err
equal 'diff: by waits, not by their microseconds' '100 100' \
	"$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		$col["name"] == "[sleep]" && $col["kind"] == "self" { print $col["before"], $col["after"] }' time.tsv)"
# 100 samples on each side, whatever they weigh: 60 and 70 of them are no difference.
"$EDDY" diff --format tsv events.folded more.folded >diff.tsv 2>diff.err
equal 'diff: by samples, not by what they weigh' '60 70' \
	"$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		$col["name"] == "hot" && $col["kind"] == "self" { print $col["before"], $col["after"] }' diff.tsv)"
finish
