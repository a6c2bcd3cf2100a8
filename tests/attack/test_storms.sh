#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Very many of what others may make: 10 000 cgroups, 100 threads, processes that live for a moment.
# A capture ends within a second of its time, accounts for all samples, and names others as before.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker
cgroups=
# shellcheck disable=SC2317 # at the end
leave_storms() {
	[[ -n ${A_UID:-} ]] && end_processes "$A_UID"
	[[ $cgroups ]] && find "$cgroups" -depth -type d -exec rmdir {} + 2>/dev/null
	leave
}
trap leave_storms EXIT

# capture NAME ROOT ARG...: four seconds, the other user's program among what is sampled.
capture() {
	local name=$1
	shift
	other_starts sh -c 'sleep 1; exec ./libc_user 20'
	timed record "$name" -F 499 -d 4 "$@"
	equal "$name: exit status" 0 "$rc"
	end_processes "$O_UID"
	accounts "$name"
	lasted=$(lasted_ms "$name")
	ok "$name: sampling ended after $lasted ms, within a second of its time" test "$lasted" -le 5000
	# Loading before the start ends after three seconds; machines under a storm are slow.
	ok "$name: it took $took_ms ms" test "$took_ms" -lt 15000
}
others_named() {
	read -r all _ named <<<"$(stacks_of "$T/$1.folded" libc_user)"
	ok "$1: others' samples" test "$all" -gt 50
	ok "$1: names: $named of $all, without the storm $alone_named of $alone_all" \
		test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
}

cp "$P/libc_user" "$O"
gives "$P/many_threads"
capture alone --root comm
read -r alone_all _ alone_named <<<"$(stacks_of "$T/alone.folded" libc_user)"

attacker_starts nice -n 19 sh -c 'while :; do for i in 1 2 3 4 5 6 7 8; do /bin/true & done; wait; done'
capture processes --root comm
attack_ends
others_named processes

attacker_starts nice -n 19 ./many_threads 100 60
sleep 0.5
capture threads --root comm
attack_ends
others_named threads

mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
if [[ $mount ]] && mkdir "$mount/eddyatk$$" 2>/dev/null; then
	cgroups=$mount/eddyatk$$
	mkdir "$cgroups"/{0..99}
	mkdir "$cgroups"/{0..99}/{0..99} 2>/dev/null
	ok 'thousands of cgroups' test "$(find "$cgroups" -type d | wc -l)" -gt 5000
	capture cgroups --root cgroup
else
	skip '10 000 cgroups' 'no cgroup v2 that takes them'
fi
finish
