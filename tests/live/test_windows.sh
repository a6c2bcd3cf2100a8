#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Windows one after the other: each accounts for all its samples exactly, none is in two or in none,
# whatever goes on meanwhile.  build/live/windows_check prints a line a window.
. tests/tap.sh
. tests/live/live.sh
need_sampling

CHECK=${EDDY%/*}/live/windows_check
pids=()
stop_load() {
	((${#pids[@]})) && kill "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	pids=()
}
trap 'stop_load; rm -rf "$T"' EXIT

# windows NAME EVERY_MS NR OPTION...: lines to $T/NAME.lines, files to $T/NAME/.
windows() {
	local name=$1 every=$2 nr=$3
	shift 3
	mkdir -p "$T/$name"
	timeout -k 5 120 "$CHECK" "$every" "$nr" "$T/$name" "$@" >"$T/$name.lines" 2>"$T/$name.err"
	rc=$?
	equal "$name: exit status" 0 "$rc"
	equal "$name: windows" "$nr" "$(wc -l <"$T/$name.lines")"
	ok "$name: each window accounts for every sample" awk '
		$5 != $6 + $7 + $8 + $9 || $10 != $8 + $9 { print; bad = 1 } END { exit bad || !NR }' "$T/$name.lines"
	ok "$name: the end of one is the start of the next" awk '
		NR > 1 && $2 != end { print; bad = 1 } { end = $3 } END { exit bad || !NR }' "$T/$name.lines"
}
sum() {
	awk -v f="$2" '{ n += $f } END { printf "%d\n", n }' "$T/$1.lines"
}

# ---- a truth that runs across windows --------------------------------------------------------

# Each stack has one sample: one that were in two windows would be there twice, one that were in none
# not at all.  How often the program ran is the kernel's own count.
{
	sleep 0.3
	exec "$W/many_stacks" faults 60000
} >/dev/null &
pids+=($!)
windows faults 0 100 --unwind fp -e page-faults -c 1 --comm many_stacks
equal 'faults: as many samples as the program ran' "$(sum faults 14)" "$(sum faults 5)"
equal 'faults: as many samples as events' "$(sum faults 4)" "$(sum faults 5)"
equal 'faults: none lost' 0 "$(sum faults 9)"
ok 'faults: they lie in many windows' test "$(grep -l ';stack_bottom[; ]' "$T"/faults/*.folded | wc -l)" -gt 3
equal 'faults: each stack once, in one window' '60000 60000' \
	"$(cat "$T"/faults/*.folded | awk '/;stack_bottom[; ]/ { n += $NF; sub(/ [0-9]+$/, ""); seen[$0] = 1 }
		END { print n + 0, length(seen) }')"
stop_load

# ---- churn ------------------------------------------------------------------------------------

"$W/spin" 0 >/dev/null &
pids+=($!)
"$W/syscalls" 0 >/dev/null &
pids+=($!)
"$W/process_storm" 0 >/dev/null &
pids+=($!)
"$W/fork_storm" 0 >/dev/null 2>&1 &
pids+=($!)
windows churn 0 100 -F 4999
equal 'churn: as many samples as the program ran' "$(sum churn 14)" "$(sum churn 5)"
windows tables 250 12 -F 999
equal 'tables: as many samples as the program ran' "$(sum tables 14)" "$(sum tables 5)"
equal 'tables: none lost' 0 "$(sum tables 9)"
ok 'tables: nearly all that were due' at_least "$(sum tables 5)" "$(divide "$(sum tables 4)" 1.1)"
ok 'tables: ends are multiples of the length' awk 'NR < 12 && ($3 % 250) > 150 { print; bad = 1 } END { exit bad || !NR }' \
	"$T/tables.lines"
# A map of 64 entries and a ring of a page: nothing fits, everything is counted.
windows tiny 0 60 -F 9999 --map-memory 8K --ring-memory 4K
equal 'tiny: as many samples as the program ran' "$(sum tiny 14)" "$(sum tiny 5)"
windows every 100 10 -e sched:sched_switch -c 1
windows third 100 10 -e sched:sched_switch -c 3
stop_load

# ---- late -------------------------------------------------------------------------------------

timeout 60 "$CHECK" 400 5 - -F 99 >"$T/late.lines" 2>"$T/late.err" &
check=$!
for _ in {1..100}; do
	[[ -s $T/late.lines ]] && break
	sleep 0.1
done
kill -STOP "$(pgrep -P $check)"
sleep 1.5
kill -CONT "$(pgrep -P $check)"
wait $check
equal 'late: exit status' 0 $?
ok 'late: each window accounts for every sample' awk '
	$5 != $6 + $7 + $8 + $9 { print; bad = 1 } END { exit bad || !NR }' "$T/late.lines"
ok 'late: one window is long, and holds what was sampled' awk '
	$3 - $2 > 1300 && $4 > 99 { found = 1 } END { exit !found }' "$T/late.lines"
ok 'late: it says so' grep -q 'window ended 1\.[0-9] s late' "$T/late.err"
finish
