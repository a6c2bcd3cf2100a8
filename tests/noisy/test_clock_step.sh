#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy snapshot while the wall clock is set forward and back, by seconds and by an hour, also into
# windows that are written already.  The machine's clock stays as it is: a preloaded library gives
# eddy another one (libclock_step.so).  Two of them see each step: one by the clock event, and one
# that samples every page fault of processes that make a known number of them.
#
# Files are looked at in the order in which they were written, which the kernel's clock tells.
# shellcheck disable=SC2317 # functions are called by ok and until_true
. tests/tap.sh
. tests/live/live.sh
. tests/live/snapshots.sh
need_sampling

export CLOCK_STEP_FILE=$T/ahead_ms
# A copy, for a path with a space would be two.
preload=$T/libclock_step.so
cp "$W/libclock_step.so" "$preload"
# The sanitizers' own has to come first.
asan=$(ldd "$EDDY" | awk '/libasan/ { print $3 }')
ahead=0 steps=()
# step MS: sets the clock forward, or back when it is negative.
step() {
	ahead=$((ahead + $1))
	steps+=("$1")
	echo $ahead >"$T/ahead.new"
	mv "$T/ahead.new" "$CLOCK_STEP_FILE"
}
echo 0 >"$CLOCK_STEP_FILE"

pids=()
cleanup() {
	kill "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$T"
}
trap cleanup EXIT

# snapshot NAME ARG...: in the background, to $T/NAME, with the library's clock.
snapshot() {
	local name=$1
	shift
	timeout -k 5 90 env LD_PRELOAD="${asan:+$asan:}$preload" "$EDDY" snapshot --no-gzip \
		--dir "$T/$name" --host h --every 1s "$@" >"$T/$name.out" 2>"$T/$name.err" &
	pids+=($!)
}
# in_order NAME: its files as they were written.
in_order() {
	find "$T/$1/h" -name '*.folded' -printf '%T@ %p\n' | sort -n | cut -d ' ' -f 2
}
nr_files() {
	in_order "$1" | wc -l
}
# noted NAME: steps that its files tell, in milliseconds, in order.
noted() {
	in_order "$1" | sed 's/$/.json/' | xargs -r jq -r '.notes[] |
		capture("^the clock was set (?<way>forward|back) by (?<s>[0-9.]+) s during this window$") |
		(.s | tonumber * 1000 | round) * (if .way == "back" then -1 else 1 end)'
}
all_noted() {
	(($(noted ticks | wc -l) >= ${#steps[@]} && $(noted faults | wc -l) >= ${#steps[@]}))
}
# One more window of both, begun with the clock as it is now.
another() {
	local before
	before="$(nr_files ticks) $(nr_files faults)"
	both_grew() { (($(nr_files ticks) > ${before% *} && $(nr_files faults) > ${before#* })); }
	until_true 20 both_grew
}
set_clock() {
	step "$1"
	ok "a step of $1 ms is told by the windows in which it came" until_true 20 all_noted
	another
}

"$W/spin" 80 >/dev/null &
pids+=($!)
snapshot ticks
snapshot faults --unwind fp -e page-faults -c 1 --comm many_stacks
ok 'windows are written before anything happens' another
another
: >"$T/go"
# One process of a second after another: each lives long enough to get its names.
(
	while [[ -e $T/go ]]; do "$W/many_stacks" faults 500 1000; done
) >"$T/faulted" &
faulter=$!

set_clock 3400
set_clock 3600000
set_clock -3600000
set_clock -60 # less than a tenth of a window
# Into what is written: until a name was taken.
a_second_name() {
	in_order ticks | grep -q -- '-2\.folded$'
}
for _ in 1 2 3 4; do
	set_clock -3000
	a_second_name && break
done
ok 'a name that is taken gets a number' a_second_name
rm "$T/go"
wait "$faulter"

for name in ticks faults; do
	kill -TERM "$(cat "$T/$name/h/.eddy-snapshot.lock")"
done
wait "${pids[1]}"
equal 'ticks: exit status' 0 $?
wait "${pids[2]}"
equal 'faults: exit status' 0 $?

# Each window is one file, and nothing else is there.
a_file_each() {
	local n said
	n=$(nr_files "$1")
	said=$(sed -nE 's/^eddy: .* in ([0-9]+) windows, .*; ([0-9]+) files in .*/\1 \2/p' "$T/$1.err")
	[[ $said == "$n $n" && $(find "$T/$1/h" -name '*.json' | wc -l) == "$n" ]] || {
		echo "files $n, summary $said"
		ls "$T/$1/h"
		return 1
	}
}
# A name has the window's start; names rise from window to window, but for the steps back.
names() {
	local f back=0
	while read -r f; do
		jq -r --arg name "${f##*/}" '[$name, (.start[0:19] | gsub("[-:]"; "")),
			(.notes | any(test("clock was set back")))] | @tsv' "$f.json"
	done < <(in_order "$1") >"$T/$1.names"
	for f in "${steps[@]}"; do ((f < -100)) && back=$((back + 1)); done
	awk -v want="$back" '
	substr($1, 1, 15) != $2 { print "not its start: " $0; bad = 1 }
	NR > 1 && $1 < name { if (was_back == "true") falls++; else { print name, $1; bad = 1 } }
	{ name = $1; was_back = $3 }
	END {
		print falls + 0, "of", want
		exit !(!bad && falls == want)
	}' "$T/$1.names"
}
# After each step windows end at multiples of a second again, of the clock as it was set.
aligned() {
	in_order "$1" | sed 's/$/.json/' | xargs jq -s -e '
		map(select(.notes | any(test("clock was set|late")) | not)) | .[:-1] |
		map(.end[20:23] | tonumber) | (map(select(. <= 300)) | length) * 3 >= length * 2'
}
reported() {
	[[ $("$EDDY" report -o "$T/$1.folded" "$T/$1" && samples "$T/$1.folded") == \
	$(in_order "$1" | xargs cat | awk '{ n += $NF } END { print n }') ]]
}
for name in ticks faults; do
	equal "$name: each step is in one window, with its length" "${steps[*]}" "$(noted $name | awk '{
		# ends differ by what lies between two readings of clocks
		d = $1 % 10; if (d < 0) d += 10
		print d < 5 ? $1 - d : $1 - d + 10 }' | xargs)"
	mapfile -t files < <(in_order $name)
	ok "$name: every file accounts for its samples" files_account "${files[@]}"
	ok "$name: the files have all samples, once each" sums "$T/$name.err" "${files[@]}"
	ok "$name: each window is one file" a_file_each $name
	# of the clock as it was at that moment
	ok "$name: windows are contiguous" contiguous "${files[@]}"
	ok "$name: names are what the clock was, and rise between steps back" names $name
	ok "$name: windows end on the second of the clock that was set" aligned $name
	ok "$name: a report has all of them" reported $name
	equal "$name: nothing but where it writes and the summary is said" 2 \
		"$(grep -vcE '^eddy: [0-9]+ samples not taken: ' "$T/$name.err")"
done
due=$(awk '{ n += $2 } END { print n + 0 }' "$T/faulted")
equal 'each page fault is in one window' "$due" "$(samples "$T/faults.folded" stack_bottom)"
ok "and there were many: $due" test "$due" -ge 1000
finish
