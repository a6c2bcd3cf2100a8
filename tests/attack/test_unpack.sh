#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of some kilobytes whose packed symbols (.gnu_debugdata) become 30 or 64 MiB each: eddy
# unpacks what its user's share allows and no more, takes no more memory, and names others as before.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker
TABLE_MIB=64 # the default

# bomb NAME MIB: a program with so much to unpack, of itself and zeros.
bomb() {
	cp "$P/odd_frames" "$T/unpacked"
	truncate -s "$2M" "$T/unpacked"
	printf '%s' "$1" >>"$T/unpacked"
	xz -0 -c "$T/unpacked" >"$T/packed.xz"
	strip -o "$T/$1" "$P/odd_frames"
	objcopy --add-section .gnu_debugdata="$T/packed.xz" "$T/$1"
	gives "$T/$1"
}
capture() {
	other_starts sh -c 'sleep 1.2; exec ./libc_user 20'
	timed record "$1" -F 499 -d 4 --root comm
	equal "$1: exit status" 0 "$rc"
	end_processes "$O_UID"
	read -r all _ named <<<"$(stacks_of "$T/$1.folded" libc_user)"
	ok "$1: others' samples" test "$all" -gt 100
	in_time "$1" 4
}

cp "$P/libc_user" "$O"
capture alone
alone_all=$all alone_named=$named alone_ms=$took_ms alone_rss=$(json alone .cost.max_rss_bytes)
for i in 1 2 3 4 5; do
	bomb "medium$i" 30
	bomb "large$i" 64
done
ok 'a file is small' test "$(stat -c %s "$A/large1")" -lt 100000
for i in 1 2 3 4 5; do
	# Nice, for others are to have samples.
	attacker_starts nice -n 19 "./medium$i" 60
	attacker_starts nice -n 19 "./large$i" 60
done
sleep 0.5
capture packed
attack_ends
ok "names: $named of $all, without the attack $alone_named of $alone_all" \
	test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
ok 'what was left out is counted' test "$(json packed '.limits.unpacked // 0')" -gt 0
mib=$((($(json packed .cost.max_rss_bytes) - alone_rss) >> 20))
ok "memory: $mib MiB more than without the attack" test "$mib" -le $((2 * TABLE_MIB))
echo "# note: $took_ms ms, without the attack $alone_ms; CPU $(json packed .cost.cpu_seconds) s," \
	"without the attack $(json alone .cost.cpu_seconds)"
finish
