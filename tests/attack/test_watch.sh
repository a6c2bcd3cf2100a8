#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are written in place are told of by the kernel, which keeps so many events: one user
# writes to files of his without end, and what happens to root's is seen all the same.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

# watched NAME: a capture of six seconds, in which root's mapped file is written; what of it -v says.
watched() {
	local pid
	"$P/elsewhere" spin 30 "$T/code" &
	pid=$!
	(sleep 4; echo written | dd of="$T/code" bs=1 seek=2048 conv=notrunc 2>/dev/null) &
	record "$1" -v -F 499 -d 6 --root comm
	kill "$pid"
	wait "$pid" 2>/dev/null
	equal "$1: exit status" 0 "$rc"
	read -r rewritten again <<<"$(sed -nE \
		's/.* ([0-9]+) rewritten, ([0-9]+) looked at again.*/\1 \2/p' "$T/$1.err")"
}

watched alone
ok "alone: root wrote a file ($rewritten)" test "$rewritten" -ge 1
equal 'alone: no event was lost' 0 "$again"

cp "$P/elsewhere" "$A"
for i in 1 2; do
	attacker_starts ./elsewhere spin 60 "noise$i"
	ok "noise $i: mapped" until_true 10 grep -qs "noise$i" "/proc/$!/maps"
done
for i in 1 2 3; do
	attacker_starts perl -e 'open($_, "+<", shift) or die for my ($x, $y);
		for (;;) { sysseek($_, 2048, 0) && syswrite($_, "x") for $x, $y }' noise1 noise2
done
watched noise
ok "noise: root wrote a file ($rewritten)" test "$rewritten" -ge 1
# Whoever reads events fast enough loses none.
((again)) || skip 'noise: events were lost' 'all of them were read in time'
ok "noise: $again are no more than the writer's, each ten seconds" test "$again" -le 6
attack_ends
finish
