#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How soon: a capture ends when it is told to, and a program that is new has its unwind table, and its
# names, soon after it began.  On a quiet machine; that it ends at all, and that each sample is
# counted, is tested on any.
. tests/tap.sh
. tests/live/live.sh
need_sampling

"$W/spin" 0 >/dev/null &
load=$!
trap 'kill $load 2>/dev/null; rm -rf "$T"' EXIT
for signal in INT TERM; do
	"$EDDY" record -d 60 -o "$T/$signal.folded" >/dev/null 2>"$T/$signal.err" &
	eddy=$!
	sleep 2
	kill -$signal $eddy
	from=$(date +%s%N)
	wait $eddy
	equal "SIG$signal: exit status" 0 $?
	ms=$((($(date +%s%N) - from) / 1000000))
	ok "SIG$signal ends it within a second ($ms ms)" test $ms -lt 1000
done
kill $load
wait $load 2>/dev/null

record tables -e page-faults -c 1 --only-command -- "$W/many_stacks" faults 100000 2000
accounts tables
ok 'tables: of two seconds most have one' most 80 "$(samples "$T/tables.folded" stack_bottom)" 100000
record names -e page-faults -c 1 --only-command -- "$W/many_stacks" faults 2000 800
accounts names
ok 'names: of 800 ms nearly all have them' most 90 "$(samples "$T/names.folded" stack_bottom)" 2000
finish
