#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A hundred thousand names that would all have one hash, were the key of eddy's tables known: each
# would be compared with all before it.  Beside them others are named as before, and eddy takes no
# more time than for as many names that were not chosen so.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker
[[ $(uname -m) == x86_64 ]] || { skip 'names of one hash' 'its code is of x86-64'; finish; }

# capture NAME: four seconds, the other user's program among what is sampled.
capture() {
	other_starts ./libc_user 30
	costed "$1" -F 999 -d 4 --root comm
	end_processes "$O_UID"
	beside "$1" 4
	read -r all _ named <<<"$(stacks_of "$T/$1.folded" libc_user)"
	ok "$1: others' samples" test "$all" -gt 100
}

cp "$P/libc_user" "$O"
gives "$P/same_hash"
capture alone
alone_all=$all alone_named=$named alone_cpu=$cpu_ms alone_rss=$rss
attacker_starts ./same_hash 100 60 "$A/ready"
pid=$!
ok 'the map is written' until_true 60 test -e "$A/ready"
capture hashes
attack_ends
rm -f "/tmp/perf-$pid.map"
names=$(awk -F ';' '/^same_hash;/ { for (i = 2; i <= NF; i++) if (length($i) >= 36) seen[$i] }
	END { print length(seen) }' "$T/hashes.folded")
ok "the attack is there: $names names" test "$names" -gt 15000
ok "names: $named of $all, without the attack $alone_named of $alone_all" \
	test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
# 10 us a name are many times what one costs; comparing all with all would take minutes.
ok "eddy's CPU: $cpu_ms ms, without the attack $alone_cpu ms" \
	test "$cpu_ms" -le $((2 * (alone_cpu + names / 100)))
# Names and frames are kept in 8 MiB, or twice what a window needs; the map in what lines may have.
mib=$(((rss - alone_rss) >> 20))
ok "memory: $mib MiB more than without the attack" test "$mib" -le $((2 * 64))
finish
