#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Very many of what others may make: 10 000 cgroups, 100 threads, processes that live for a moment,
# programs that are called something else all the time and begin anew.
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
	costed "$name" -F 499 -d 4 "$@"
	end_processes "$O_UID"
	beside "$name" 4
}
others_named() {
	read -r all _ named <<<"$(stacks_of "$T/$1.folded" libc_user)"
	ok "$1: others' samples" test "$all" -gt 50
	ok "$1: names: $named of $all, without the storm $alone_named of $alone_all" \
		test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
}

cp "$P/libc_user" "$O"
gives "$P/many_threads" "$P/many_names"
capture alone --root comm
alone_rss=$rss
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

for _ in 1 2; do attacker_starts nice -n 10 ./many_names 60; done
sleep 0.5
capture names --root comm
attack_ends
others_named names
names=$(awk -F ';' '/^n[0-9a-f]+[; ]/ { seen[$1] } END { print length(seen) }' "$T/names.folded")
ok "names: $names names of threads" test "$names" -gt 100
# Names and frames are kept in 8 MiB, or twice what a window needs.
mib=$(((rss - alone_rss) >> 20))
ok "names: $mib MiB more than without the storm" test "$mib" -le $((2 * 8))

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
