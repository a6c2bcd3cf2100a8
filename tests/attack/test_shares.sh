#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What one user's files take from what is everybody's: 600 000 rules of unwinding, where there are
# 65 536 numbers; 20 000 files, where there are 12 288.  Stacks of others are as complete as without.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

# others_complete NAME: complete and all stacks of the other user's program, in $complete, $all.
others_complete() {
	# Begins after eddy has, so that its tables come last; warms up until they have come.
	other_starts sh -c 'sleep 1.2; exec ./odd_frames 20 500'
	record "$1" -F 499 -d 4 --root comm
	equal "$1: exit status" 0 "$rc"
	end_processes "$O_UID"
	read -r all complete _ <<<"$(stacks_of "$T/$1.folded" odd_frames)"
}

install -m 755 "$P/odd_frames" "$O"
# attack NAME PROGRAM ARG...: the same while the hostile user runs that, once it is ready.
attack() {
	local name=$1
	shift
	rm -rf "$A/libs"
	attacker mkdir libs
	attacker_starts "$@"
	ok "$name: ready" until_true 60 test -e "$A/libs/ready"
	others_complete "$name"
	attack_ends
	in_time "$name" 4
	ok "$name: others' samples" test "$all" -gt 100
	ok "$name: $complete of $all complete, without it $alone_complete of $alone_all" \
		test "$(points "$alone_complete" "$alone_all" "$complete" "$all")" -lt 100
}

install -m 755 "$P/odd_frames" "$O"
install -m 755 "$P/many_rules" "$P/many_files" "$A"
others_complete alone
alone_all=$all alone_complete=$complete
attack rules ./many_rules libs 150 60
ok 'rules: those left out are counted' test "$(json rules '.limits.rules // 0')" -gt 500000
ok 'rules: and told of' grep -q 'rules of unwinding were left out' "$T/rules.err"
attack files ./many_files libs 20000 60
finish
