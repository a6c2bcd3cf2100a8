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

# 20 000 samples a second cost every CPU several percent.
record lowered -F 20000 --max-overhead 0.5% -d 12
equal 'lowered: exit status' 0 "$rc"
accounts lowered
ok 'lowered: it says so' jq -e '.notes | any(test("^sampling was lowered from 20000 to [0-9]+ Hz"))' "$T/lowered.folded.json"
cpus=$(nproc)
# By the time that it really took: on a busy machine it comes late to look, and to its end.
ok 'lowered: fewer were due than were asked for' jq -e --argjson cpus "$cpus" '
	def ms: (sub("\\.[0-9]+Z$"; "Z") | fromdate) * 1000 + (capture("\\.(?<f>[0-9]{3})Z$").f | tonumber);
	.samples.due < 20 * $cpus * ((.end | ms) - (.start | ms)) * 0.97' "$T/lowered.folded.json"
ok 'lowered: no more were delivered than were due' jq -e '.samples | .delivered <= .due * 1.001 + 8' "$T/lowered.folded.json"
ok 'lowered: the summary does not claim one rate' grep -q 'due (cpu-clock at a rate that changed)' "$T/lowered.err"
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
