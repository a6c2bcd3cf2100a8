#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a file can do at most to the process that parses it: end it, or have it compute for ever.
# Here that is done to all parsers of a capture, whatever they read.  That is counted, the capture
# ends in time, and what needs no parser is there.  Where none gets to answer names are missing, for
# nobody else reads these files.  The next capture is as any other.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

# capture NAME [SIGNAL-NUMBER [LATE]]: while another user's program runs; $all, $named.
capture() {
	other_starts sh -c 'exec ./odd_frames 20'
	# Files that nobody has read yet, so that parsers are asked again and again.
	other_starts sh -c 'sleep 0.5
		for i in 1 2 3 4 5 6; do rm -f copy$i; cp odd_frames copy$i; ./copy$i 0 200; done'
	"$EDDY" record -o "$T/$1.folded" -F 499 -d 4 --root comm >"$T/$1.out" 2>"$T/$1.err" &
	local pid=$!
	[[ ${2:-} ]] && { nice -n -20 "$P/parser_hunter" "$2" "$pid" & }
	wait "$pid"
	equal "$1: exit status" 0 $?
	end_processes "$O_UID"
	read -r all _ named <<<"$(stacks_of "$T/$1.folded" odd_frames)"
	in_time "$1" 4 "${3:-1}"
	ok "$1: samples" test "$all" -gt 100
}

cp "$P/odd_frames" "$O"
capture alone
ok "alone: $named of $all named" test $((named * 10)) -gt $((all * 9))
equal 'alone: every file was read' 0 "$(json alone '.limits.unparsed // 0')"
capture killed 9
ok 'killed: counted' test "$(json killed '.limits.unparsed // 0')" -gt 0
ok 'killed: and told of' grep -q 'left without names' "$T/killed.err"
ok 'killed: the kernel has its names' grep -q '_\[k\]' "$T/killed.folded"
# Three seconds at the end for a table whose parser hangs, docs/SECURITY.md.
capture stopped 19 4
ok "stopped: $named of $all named" test $((named * 2)) -lt "$all"
ok 'stopped: counted' \
	test "$(json stopped '(.limits.unparsed // 0) + (.limits.stalled // 0)')" -gt 0
no_parser() { ! pgrep -x eddy-parser; }
ok 'stopped: no parser is left behind' until_true 20 no_parser
capture again
ok "again: $named of $all named" test $((named * 10)) -gt $((all * 9))
finish
