#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --max-overhead: the rate is lowered when eddy costs more than it may; samples due stay right.
. tests/tap.sh
. tests/live/live.sh
need_sampling

"$W/syscalls" 0 >/dev/null &
pids=$!
"$W/spin" 0 >/dev/null &
pids+=" $!"
trap 'kill $pids 2>/dev/null; rm -rf "$T"' EXIT

# The kernel counts the runs of BPF programs, each machine's of them, only while somebody asks for it:
# eddy takes its own time and does not.
"$EDDY" record -F 999 -d 3 -o "$T/own.folded" 2>"$T/own.err" &
own=$!
runs() { cat /proc/$own/fdinfo/* 2>/dev/null | awk '$1 == "run_cnt:" { n += $2; nr++ } END { print nr + 0, n + 0 }'; }
programs() { [[ $(runs) != 0\ * ]]; }
if [[ $(cat /proc/sys/kernel/bpf_stats_enabled) == 0 ]]; then
	until_true 20 programs
	sleep 1
	runs=$(runs)
	ok "own time: of eddy's ${runs% *} programs the kernel counted ${runs#* } runs" \
		test "${runs% *}" -gt 0 -a "${runs#* }" = 0
else
	skip 'own time' 'kernel.bpf_stats_enabled is set'
fi
wait $own
ok 'own time: what a sample costs is known' jq -e '.cost.bpf_ns_per_sample > 100' "$T/own.folded.json"

# 20 000 samples a second cost every CPU several percent.
record lowered -F 20000 --max-overhead 0.5% -d 8
equal 'lowered: exit status' 0 "$rc"
accounts lowered
ok 'lowered: it says so' jq -e '.notes | any(test("^sampling was lowered from 20000 to [0-9]+ Hz"))' "$T/lowered.folded.json"
cpus=$(nproc)
# By the time that it really took: on a busy machine it comes late to look, and to its end.
ok 'lowered: fewer were due than were asked for' jq -e --argjson cpus "$cpus" '
	def ms: (sub("\\.[0-9]+Z$"; "Z") | fromdate) * 1000 + (capture("\\.(?<f>[0-9]{3})Z$").f | tonumber);
	.samples.due < 20 * $cpus * ((.end | ms) - (.start | ms)) * 0.97' "$T/lowered.folded.json"
ok 'lowered: no more were delivered than were due' jq -e '.samples | .delivered <= .due * 1.001 + 8' "$T/lowered.folded.json"
ok 'lowered: the summary does not claim one rate' grep -q '(cpu-clock at a rate that changed; ' "$T/lowered.err"
# What it then costs, in the kernel and here, by figures that are not those it decides by: the rate is
# lowered until that is below the limit.  Other programs that begin meanwhile cost too, so not in the
# first seconds on a busy machine; but samples are still taken.
CHECK=${EDDY%/*}/live/windows_check
timeout -k 5 90 "$CHECK" 4000 0 - -F 20000 --max-overhead 0.5% >"$T/cost.lines" 2>"$T/cost.err" &
check=$!
# cheap SHARE: a window cost at most so much of the CPUs' time
cheap() {
	awk -v most="$1" -v cpus="$cpus" '$3 - $2 > 3000 && $5 > 0 {
		if (($12 / 1e3 + $13 / 1e6) / ($3 - $2) / cpus <= most) found = 1
	} END { exit !found }' "$T/cost.lines"
}
until_true 60 cheap 0.0055
ok 'lowered: until eddy costs no more than it may' cheap 0.0055
kill "$(pgrep -P $check)"
wait $check
ok 'lowered: no more samples are due than the rate gives' awk -v cpus="$cpus" '
	# Not where the rate changed meanwhile.
	NR > 1 && $17 == hz && due > hz * cpus * ms / 1000 * 1.03 + 2 * cpus { print due, hz, ms; bad = 1 }
	{ due = $4; hz = $17; ms = $3 - $2 }
	END { exit bad || hz >= 20000 }' "$T/cost.lines"
record enough -F 99 --max-overhead 50% -d 6
accounts enough
ok 'enough: nothing is lowered' jq -e '.notes | all(test("^sampling was") | not)' "$T/enough.folded.json"
# shellcheck disable=SC2086
kill $pids
wait 2>/dev/null

"$EDDY" record --max-overhead 101 -d 1 >/dev/null 2>"$T/err"
equal 'more than all: wrong usage' 2 $?
ok 'more than all: the option is named' grep -q -- '--max-overhead' "$T/err"
"$EDDY" record --max-overhead 1% -e sched:sched_switch -d 1 >/dev/null 2>"$T/err"
equal 'tracepoint: wrong usage' 2 $?
finish
