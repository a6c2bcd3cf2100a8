#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What one user's perf maps take from another's: eight maps of 66 MB, then maps that are written
# anew all the time, then parsers that do not survive.  The other user's compiled code keeps its
# names, and captures end in time.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

remove_maps() {
	find /tmp -maxdepth 1 -name 'perf-*.map' \( -user "$A_UID" -o -user "$O_UID" \) -delete
}

# others_named NAME: stacks of the other user's program, all and those named, in $all, $named.
others_named() {
	rm -f "$O/ready"
	other_starts ./victim 3000 30 "$O/ready"
	ok "$1: the other user's program runs" until_true 20 test -e "$O/ready"
	timed record "$1" -F 499 -d 4 --root comm
	equal "$1: exit status" 0 "$rc"
	in_time "$1" 4
	end_processes "$O_UID"
	read -r all _ named <<<"$(stacks_of "$T/$1.folded" victim)"
	rss=$(json "$1" '.cost.max_rss_bytes')
}
# judge NAME: against $alone_*.
judge() {
	attack_ends
	remove_maps
	# Four seconds, some before the start; CPUs that the attack keeps busy are slow.
	ok "$1: it took $took_ms ms, alone $alone_ms" test "$took_ms" -lt $((alone_ms + 3000))
	ok "$1: others' samples" test "$all" -gt 100
	ok "$1: $named of $all named, without it $alone_named of $alone_all" \
		test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
	# The bound for lines is 64 MiB.
	ok "$1: $((rss >> 20)) MiB, alone $((alone_rss >> 20))" \
		test $((rss - alone_rss)) -lt $((128 << 20))
}

cp "$P/jit_names" "$O/victim"
cp "$P/jit_names" "$A"
others_named alone
alone_all=$all alone_named=$named alone_ms=$took_ms alone_rss=$rss
ok "alone: $named of $all named" test $((named * 100)) -gt $((all * 98))

for i in 1 2 3 4 5 6 7 8; do
	attacker_starts nice -n 5 ./jit_names 1150000 120 "$A/ready.$i"
done
for i in 1 2 3 4 5 6 7 8; do
	ok "large: map $i is written" until_true 90 test -e "$A/ready.$i"
done
others_named large
ok 'large: bounds that were met are counted' test "$(json large '.limits.jit // 0')" -gt 0
ok 'large: and told of' grep -q 'a perf map or jitdump was read in part' "$T/large.err"
judge large

rm -f "$A"/ready.*
for i in 1 2; do
	attacker_starts ./jit_names 20000 120 "$A/ready.$i" again
	ok "again: map $i is written" until_true 30 test -e "$A/ready.$i"
done
others_named again
judge again

# own_parsers: PIDs of the parsers of captures that this script runs.
own_parsers() {
	ps -e -o pid=,ppid=,comm= | awk -v top="$$" '
	{ parent[$1] = $2; name[$1] = $3 }
	END {
		for (pid in name) {
			if (name[pid] != "eddy-parser")
				continue
			for (at = pid; at > 1 && at != top; at = parent[at])
				;
			if (at == top)
				print pid
		}
	}'
}
# What a user may not do, but what hostile bytes might: parsers end while they are needed.
(
	for _ in $(seq 20); do
		for pid in $(own_parsers); do kill -KILL "$pid" 2>/dev/null; done
		sleep 0.3
	done
) &
killer=$!
others_named killed
wait "$killer"
judge killed
finish
