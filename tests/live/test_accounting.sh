#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every sample is accounted for, whatever happens: full maps and rings, 100 000 stacks, idle CPUs,
# frequencies that the kernel throttles, windows one after the other.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# ---- 100 000 distinct stacks -----------------------------------------------------------------

# By frame pointers, so that no sample comes before its unwind table.
record distinct --unwind fp -e page-faults -c 1 --only-command -- "$W/many_stacks" faults 100000
equal 'distinct: exit status' 0 "$rc"
accounts distinct
equal 'distinct: none lost' 0 "$(json distinct .samples.lost)"
n=$(awk '/;stack_bottom[; ]/ { stacks++; samples += $NF } END { print stacks + 0, samples + 0 }' "$T/distinct.folded")
equal 'distinct: 100 000 stacks with one sample each' '100000 100000' "$n"

# Over two seconds: what comes before the program's table does is counted, not guessed. How much that
# is, is a matter of speed.
record tables -e page-faults -c 1 --only-command -- "$W/many_stacks" faults 100000 2000
accounts tables
equal 'tables: none lost' 0 "$(json tables .samples.lost)"
n=$(samples "$T/tables.folded" stack_bottom)
ok "tables: every fault is there, $n to its end" jq -e --argjson n "$n" '
	.user_stacks | $n <= 100000 and $n + (.broken.pending // 0) >= 100000' "$T/tables.folded.json"
ok 'tables: and some came after the table' test "$n" -gt 0

record spread -F 20000 --only-command -- "$W/many_stacks" 2
accounts spread
equal 'spread: none lost' 0 "$(json spread .samples.lost)"
n=$(grep -c ';stack_bottom[; ]' "$T/spread.folded")
ok "spread: $n distinct stacks at 20 kHz" most 50 "$n" "$(samples "$T/spread.folded" stack_bottom)"
# Its program runs on while the last counts are read, unless it is detached before.
record switches -e sched:sched_switch -c 1 -d 0.3
accounts switches
rm -f "$T"/distinct.* "$T"/tables.* "$T"/spread.*

# ---- mixed load ------------------------------------------------------------------------------

cpus=$(nproc)
pids=
for ((i = 0; i < cpus; i++)); do
	"$W/spin" 0 >/dev/null &
	pids+=" $!"
done
"$W/syscalls" 0 >/dev/null &
pids+=" $!"
"$W/process_storm" 0 >/dev/null &
pids+=" $!"
trap 'kill $pids 2>/dev/null; rm -rf "$T"' EXIT
# stolen: time that the hypervisor gave to others, in hundredths of a second of all CPUs
stolen() { awk '$1 == "cpu" { print $9 }' /proc/stat; }
before=$(stolen)
record mixed -F 999 -d 4
stolen=$(($(stolen) - before))
accounts mixed
equal 'mixed: none lost' 0 "$(json mixed .samples.lost)"
# Two accounts that know nothing of each other: the events' own time and the clock; what was due and
# what came.  The events run from before the start to after the end: by how long is the machine's to
# say.  A clock does not tick while the hypervisor runs others.
ok 'mixed: due is 999 a second of each CPU, and nearly all of that came' jq -e --argjson cpus "$cpus" --argjson stolen "$stolen" '
	def ms: (.[0:19] + "Z" | fromdate * 1000) + (.[20:23] | tonumber);
	((.end | ms) - (.start | ms)) as $ms | (999 * $cpus * $ms / 1000) as $n |
	($stolen * 10 / $cpus / $ms) as $share |
	.samples | (.due >= $n - 2 * $cpus and .due < $n * 1.03 + 999 * $cpus and
		.delivered > .due * (0.8 - $share) and .delivered <= .due * 1.01)' "$T/mixed.folded.json"
ok 'mixed: busy CPUs are hardly idle' jq -e '.samples | .idle < .delivered * 0.1' "$T/mixed.folded.json"
for i in 1 2 3; do
	record short$i -F 999 -d 0.2
	accounts short$i
done
# Faster than can be handled on a busy machine: it must still end, and count what it lost.
record fast -F 49999 -d 1
equal 'fast: exit status' 0 "$rc"
accounts fast
record filter -F 999 -d 1 --comm spin
accounts filter
ok 'filter: what the filter leaves out is counted' jq -e '.samples.filtered > 0 and .samples.kept > 0' "$T/filter.folded.json"
# shellcheck disable=SC2086
kill $pids
wait 2>/dev/null

# ---- idle ------------------------------------------------------------------------------------

# halted FILE: samples of the idle task whose innermost frame is where this kernel halts a CPU: a
# function of the names below that holds a fifth of what the idle task does with -I, where halting is
# all but everything.  What only goes in and out of idleness (tick_nohz_idle_exit) is work, and so is
# an interrupt, which has frames of its own.
halted() {
	awk '
	!/(;|^)(do_idle|cpu_startup_entry)_\[k\];/ { next }
	{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, "") }
	FNR == NR { all += n; of[$0] += n; next }
	/(idle|safe_halt|tdx_halt|psci_cpu_suspend)[a-z0-9_.]*_\[k\]$/ &&
		of[$0] * 5 >= all { sum += n }
	END { print sum + 0 }' "$T/keepidle.folded" "$1"
}
# A busy machine hardly halts: it is tried until it did in both captures.
for ((i = 0; i < 8; i++)); do
	record idle -F 999 -d 1
	record keepidle -F 999 -d 1 -I
	n=$(halted "$T/keepidle.folded")
	((n >= 50 && $(json idle .samples.idle) + $(halted "$T/idle.folded") >= 50)) && break
done
accounts idle
accounts keepidle
equal '-I: none are put aside' 0 "$(json keepidle .samples.idle)"
ok '-I: what stood idle is kept' jq -e '.samples | .kept + .lost == .delivered - .filtered' "$T/keepidle.folded.json"
# With -I they are there, so that it is known how they look.
if ((n >= 50)); then
	equal 'idle: of halted samples none is in the file' 0 "$(halted "$T/idle.folded")"
	ok "idle: they are counted ($n with -I)" test "$(json idle .samples.idle)" -gt 0
else
	skip 'idle: of halted samples none is in the file' "the machine was busy: $n with -I"
fi
finish
