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

# windows NAME EVERY_MS NR OPTION...: lines to $T/NAME.lines, files to $T/NAME/.  NR 0: in the
# background as $check, until windows_end.
windows_begin() {
	local name=$1
	mkdir -p "$T/$name"
	timeout -k 5 120 "$CHECK" "$2" "$3" "$T/$name" "${@:4}" >"$T/$name.lines" 2>"$T/$name.err" &
	check=$!
}
windows_end() {
	local name=$1
	wait $check
	equal "$name: exit status" 0 $?
	ok "$name: each window accounts for every sample" awk '
		$5 != $6 + $7 + $8 + $9 || $10 != $8 + $9 { print; bad = 1 } END { exit bad || !NR }' "$T/$name.lines"
	ok "$name: the end of one is the start of the next" awk '
		NR > 1 && $2 != end { print; bad = 1 } { end = $3 } END { exit bad || !NR }' "$T/$name.lines"
}
windows() {
	windows_begin "$@"
	windows_end "$1"
	equal "$1: windows" "$3" "$(wc -l <"$T/$1.lines")"
}
sum() {
	awk -v f="$2" '{ n += $f } END { printf "%d\n", n }' "$T/$1.lines"
}
# wait_for COMMAND...: until it succeeds, 20 s at most.
wait_for() {
	for _ in {1..200}; do
		"$@" && return 0
		sleep 0.1
	done
	return 1
}

# ---- a truth that runs across windows --------------------------------------------------------

# Each stack has one sample: one that were in two windows would be there twice, one that were in none
# not at all.  How often the program ran is the kernel's own count.
# The ring has room for all of them, should nobody empty it for a while; they come for 2 s, in which
# windows of 25 ms in the mean end some fifty times, so that the bound holds on a slow machine too.
# By a name of its own: others run many_stacks beside this test.
ln -s "$(realpath "$W/many_stacks")" "$T/window_stacks"
windows_begin faults 0 0 --ring-memory 32M --unwind fp -e page-faults -c 1 --comm window_stacks
wait_for test -s "$T/faults.lines"
"$T/window_stacks" faults 60000 2000 >/dev/null
kill "$check"
windows_end faults
equal 'faults: as many samples as the program ran' "$(sum faults 14)" "$(sum faults 5)"
ok 'faults: no more samples than events' at_least "$(sum faults 4)" "$(sum faults 5)"
equal 'faults: none lost' 0 "$(sum faults 9)"
across=$(grep -l ';stack_bottom[; ]' "$T"/faults/*.folded | wc -l)
ok "faults: they lie in many windows ($across)" test "$across" -ge 20
equal 'faults: each stack once, in one window' '60000 60000' \
	"$(cat "$T"/faults/*.folded | awk '/;stack_bottom[; ]/ { n += $NF; sub(/ [0-9]+$/, ""); seen[$0] = 1 }
		END { print n + 0, length(seen) }')"

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
# However late one is on a busy machine: by so much, and never early.  Rounded to milliseconds, twice.
ok 'tables: windows end at multiples of their length, or as late as they say' awk '
	NR < 12 && ($3 - $19 + 2) % 250 > 4 { print; bad = 1 }
	END { exit bad || NR != 12 }' "$T/tables.lines"
# A map of 64 entries and a ring of a page: nothing fits, everything is counted.
windows tiny 0 60 -F 9999 --map-memory 8K --ring-memory 4K
equal 'tiny: as many samples as the program ran' "$(sum tiny 14)" "$(sum tiny 5)"
windows every 100 10 -e sched:sched_switch -c 1
windows third 100 10 -e sched:sched_switch -c 3
stop_load

# ---- a PID that is used again -----------------------------------------------------------------

record reuse -F 999 --comm pid_reuse -- "$W/pid_reuse"
accounts reuse
if grep -q '^reused' "$T/reuse.out"; then
	first=$(samples "$T/reuse.folded" 'first_life_[j]')
	second=$(samples "$T/reuse.folded" '[anon]')
	ok "reuse: the first process has its names ($first samples)" test "$first" -gt 20
	ok "reuse: the second does not have them ($second samples)" test "$second" -gt 20
	ok 'reuse: each has its share' awk -v a="$first" -v b="$second" 'BEGIN { exit !(a < 4 * b && b < 4 * a) }'
else
	skip 'reuse' 'the PID was always taken by another process'
fi

# ---- late -------------------------------------------------------------------------------------

windows_begin late 400 0 -F 99
wait_for test -s "$T/late.lines"
kill -STOP "$(pgrep -P "$check")"
sleep 1.5
kill -CONT "$(pgrep -P "$check")"
wait_for grep -q late "$T/late.err"
kill "$check"
windows_end late
ok 'late: one window is long, and holds what was sampled' awk '
	$3 - $2 > 1300 && $4 > 99 { found = 1 } END { exit !found }' "$T/late.lines"
ok 'late: it says so' grep -qE 'window ended [1-9][0-9]*\.[0-9] s late' "$T/late.err"
finish
