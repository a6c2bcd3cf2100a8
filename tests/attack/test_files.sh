#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One user's files that are odd: their unwind entries make 16 million rows each; they are said to
# have a TiB, with sections in holes; they are cut off while they are read.  Others' stacks are as
# complete and have their names, eddy takes no more memory and time than it says, and it ends in time.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker
[[ $(uname -m) == x86_64 ]] || { skip 'odd files' 'their code is of x86-64'; finish; }
# Two tables on their way, of the most rows that one may have (docs/SECURITY.md).
BUILT_MIB=32
# Parsers may use 20 s a minute for symbols, half of it for users; for tables 3 s a file.
SYMBOLS_MS=10000 TABLE_MS=3000

# capture NAME: the other user's program begins when eddy has loaded, so that its files come last, and
# warms up until its tables have come: one that is built for the hostile user may take a second.
capture() {
	other_starts sh -c 'sleep 3.2; exec ./odd_frames 30 1500'
	costed "$1" -F 499 -d 7 --root comm
	end_processes "$O_UID"
	beside "$1" 7
	read -r all complete named <<<"$(stacks_of "$T/$1.folded" odd_frames)"
	ok "$1: others' samples" test "$all" -gt 100
}
# attack KIND NR: the same while the hostile user computes in so many files of that kind.
attack() {
	local kind=$1 nr=$2 mib
	rm -rf "$A/files"
	attacker mkdir files
	attacker_starts nice -n 10 ./odd_files "$kind" files "$nr" 120
	ok "$kind: ready" until_true 120 test -e "$A/files/ready"
	capture "$kind"
	attack_ends
	ok "$kind: the attacker was sampled" test "$(samples "$T/$kind.folded" odd_files)" -gt 5
	ok "$kind: $complete of $all complete, without it $alone_complete of $alone_all" \
		test "$(points "$alone_complete" "$alone_all" "$complete" "$all")" -lt 100
	ok "$kind: $named of $all named, without it $alone_named of $alone_all" \
		test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
	mib=$(((rss - alone_rss) >> 20))
	ok "$kind: $mib MiB more than without it" test "$mib" -le $((2 * BUILT_MIB))
	ok "$kind: eddy's CPU: $cpu_ms ms, without it $alone_cpu ms" \
		test "$cpu_ms" -le $((2 * (alone_cpu + SYMBOLS_MS + nr * TABLE_MS)))
	rm -rf "$A/files"
}

cp "$P/odd_frames" "$O"
gives "$P/odd_files"
capture alone
alone_all=$all alone_complete=$complete alone_named=$named alone_cpu=$cpu_ms alone_rss=$rss
attack rows 6
attack sparse 20
attack truncated 4
finish
