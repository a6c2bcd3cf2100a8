#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a file says of itself is not believed about others: a program with libc's build ID and other
# names for its code, which is met first; a debug file of somebody else's, where one is looked for.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker
build_id() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: *//p'
}

# capture NAME: the other user's program, its samples in $all, those in frames with a name in $named.
capture() {
	other_starts sh -c 'sleep 0.7; exec ./libc_user 20'
	record "$1" -F 999 -d 3 --root comm
	equal "$1: exit status" 0 "$rc"
	end_processes "$O_UID"
	read -r all _ named <<<"$(stacks_of "$T/$1.folded" libc_user)"
	ok "$1: others' samples" test "$all" -gt 300
	equal "$1: none has a forged name" 0 "$(grep '^libc_user;' "$T/$1.folded" | grep -c forged_)"
}

cp "$P/libc_user" "$O"
gives "$P/twin"
libc=$(ldd "$P/libc_user" | awk '$1 == "libc.so.6" { print $3 }')
equal 'they have the same build ID' "$(build_id "$libc")" "$(build_id "$A/twin")"
capture alone
alone_all=$all alone_named=$named
for _ in 1 2; do attacker_starts ./twin 60; done
sleep 0.5
capture twins
attack_ends
ok "names: $named of $all, without the attack $alone_named of $alone_all" \
	test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100

# A debug file where one is looked for by build ID: root's counts, which shows that it is found there,
# and one that belongs to the hostile user does not.  The directory is another one for eddy alone.
cp "$P/libc_user" "$O/stripped"
strip "$O/stripped"
objcopy --only-keep-debug --redefine-sym work=forged_work "$P/libc_user" "$T/forged.debug"
id=$(build_id "$O/stripped")
at=/usr/lib/debug/.build-id/${id:0:2}
# forged NAME OWNER: the samples that have a name of a debug file of that user's, in $nr.
forged() {
	other_starts sh -c 'sleep 0.7; exec ./stripped 20'
	# shellcheck disable=SC2016 # it is the other shell's
	unshare -m bash -c 'mount -t tmpfs tmpfs /usr/lib/debug && mkdir -p "$1" && cp "$2" "$1/$3" &&
		chown "$4" "$1/$3" && shift 4 && exec "$@"' - "$at" "$T/forged.debug" "${id:2}.debug" "$2" \
		"$EDDY" record -o "$T/$1.folded" -F 999 -d 2 --root comm 2>"$T/$1.err"
	equal "$1: exit status" 0 $?
	end_processes "$O_UID"
	ok "$1: the program was sampled" test "$(samples "$T/$1.folded" stripped)" -gt 100
	nr=$(samples "$T/$1.folded" stripped forged_work)
}
if [[ -d /usr/lib/debug ]] && unshare -m mount -t tmpfs tmpfs /usr/lib/debug 2>/dev/null; then
	forged own 0
	ok "own: $nr samples are named by root's debug file" test "$nr" -gt 100
	forged foreign "$A_UID"
	equal "foreign: none is named by the hostile user's" 0 "$nr"
else
	skip 'a debug file of somebody else' 'no /usr/lib/debug that can be another one'
fi
finish
