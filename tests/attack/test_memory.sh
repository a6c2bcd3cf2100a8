#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Endless stacks, 250 deep, of functions with names of a kilobyte: what a window may take is shared,
# so another user's stacks keep all of their frames, every sample is in a file, and eddy takes no
# more memory than it was given.
. tests/tap.sh
. tests/live/live.sh
. tests/live/snapshots.sh
. tests/attack/attack.sh
need_attacker
MEMORY_MIB=16

# snapshot NAME: six seconds in one window or two, the other user at work.
snapshot() {
	other_starts ./odd_frames 20
	sleep 0.3
	timeout -k 5 60 "$EDDY" snapshot --dir "$T/$1" --host h --every 1h -d 6s -F 999 --no-gzip --irq keep \
		--max-memory "${MEMORY_MIB}M" 2>"$T/$1.err"
	equal "$1: exit status" 0 $?
	end_processes "$O_UID"
	mapfile -t files < <(by_start "$T/$1/h")
	ok "$1: every file accounts for its samples" files_account "${files[@]}"
	cat "${files[@]}" >"$T/$1.folded"
	read -r all _ named <<<"$(stacks_of "$T/$1.folded" odd_frames)"
	whole=$(samples "$T/$1.folded" odd_frames odd_e odd_d odd_c odd_b odd_a spin)
	rss=$(cat "${files[@]/%/.json}" | jq -s 'map(.cost.max_rss_bytes) | max')
}
# Lines with a mark, and what the json says of them.
marked() {
	awk '/;\[cut\]/ || /^\[cut\]/ { sum += $NF } END { print sum + 0 }' "$T/$1.folded"
}
counted() {
	cat "${files[@]/%/.json}" | jq -s 'map(.limits.cut_stacks // 0) | add'
}

cp "$P/odd_frames" "$O"
gives "$P/endless_stacks"
snapshot alone
alone_all=$all alone_whole=$whole alone_named=$named alone_rss=$rss
equal 'alone: nothing is cut' '0 0' "$(marked alone) $(counted)"

for _ in 1 2; do attacker_starts ./endless_stacks 60; done
snapshot attacked
# `record` has the bound too, and forgets which stacks it knows when these are too many.
other_starts ./odd_frames 20
record capped -F 2999 -d 3 --irq keep --max-memory 4M
end_processes "$O_UID"
attack_ends
ok "others' samples" test "$all" -gt 300
ok "others' stacks are whole: $whole of $all, without the attack $alone_whole of $alone_all" \
	test "$(points "$alone_whole" "$alone_all" "$whole" "$all")" -lt 100
ok "others' frames have names: $named of $all, without the attack $alone_named of $alone_all" \
	test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
ok 'the attacker lost frames' test "$(marked attacked)" -gt 500
equal 'as many as the json says' "$(marked attacked)" "$(counted)"
ok 'and names' test "$(cat "${files[@]/%/.json}" | jq -s 'map(.limits.short_names // 0) | add')" -gt 100
ok 'it is said when it begins' grep -q '^eddy: the stacks of a window take more than --max-memory: ' \
	"$T/attacked.err"
equal 'and in the summary' "$(marked attacked)" \
	"$(sed -n 's/^eddy: \([0-9]*\) samples lost the deepest frames of their stacks.*/\1/p' \
		"$T/attacked.err")"
read -r all _ named <<<"$(stacks_of "$T/capped.folded" odd_frames)"
accounts capped
ok 'record: the attacker lost frames' test "$(marked capped)" -gt 500
equal 'record: as many as the json says' "$(marked capped)" "$(json capped '.limits.cut_stacks')"
ok 'record: it says so' grep -q '^eddy: note: .* samples lost the deepest frames' "$T/capped.err"
capped_whole=$(samples "$T/capped.folded" odd_frames odd_e odd_d odd_c odd_b odd_a spin)
ok "record: others' stacks are whole: $capped_whole of $all" test "$all" -gt 100 -a \
	"$(points "$alone_whole" "$alone_all" "$capped_whole" "$all")" -lt 100
mib=$(((rss - alone_rss) >> 20))
ok "memory: $mib MiB more than without the attack" test "$mib" -le $((2 * MEMORY_MIB))
finish
