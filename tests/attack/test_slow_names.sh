#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names that take long: files with millions of symbols, and processes with as many mappings as the
# kernel allows.  Programs of others that live for a moment have their stacks meanwhile: for 100 ms,
# since of 25 ms a busy machine alone takes some.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

# capture NAME: four seconds, the other user's fresh programs among what is sampled.
capture() {
	local name=$1
	other_starts ./many_programs 30
	sleep 0.3
	timed record "$name" -F 499 -d 4 --root comm
	equal "$name: exit status" 0 "$rc"
	end_processes "$O_UID"
	rm -f "$O"/fresh-*
	accounts "$name"
	lasted=$(lasted_ms "$name")
	ok "$name: sampling ended after $lasted ms, within a second of its time" test "$lasted" -le 5000
	ok "$name: it took $took_ms ms" test "$took_ms" -lt 15000
}
# Each fresh program is a process of its own name.
others() {
	sed -E 's/^fresh-[^;]*/fresh/' "$T/$1.folded" >"$T/$1.fresh"
	read -r all complete named <<<"$(stacks_of "$T/$1.fresh" fresh)"
}
others_kept() {
	others "$1"
	ok "$1: others' samples" test "$all" -gt 100
	ok "$1: whole: $complete of $all, alone $alone_complete of $alone_all" \
		test "$(points "$alone_complete" "$alone_all" "$complete" "$all")" -lt 100
	ok "$1: names: $named of $all, alone $alone_named of $alone_all" \
		test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
}

cp "$P/many_programs" "$O" && chown -R "$O_UID:$O_UID" "$O"
gives "$P/big_symbols" "$P/many_mappings" "$P/many_threads"

# What others cost by computing alone: as many threads as the attacks have.
attacker_starts nice -n 19 ./many_threads 6 60
capture alone
attack_ends
others alone
alone_all=$all alone_complete=$complete alone_named=$named

for i in 1 2 3 4 5 6; do
	attacker ./big_symbols "./big$i" 3000000
done
attacker_starts sh -c 'sleep 1; for i in 1 2 3 4 5 6; do nice -n 19 ./big$i & sleep 0.3; done; wait'
capture symbols
attack_ends
others_kept symbols

attacker_starts sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do nice -n 19 ./many_mappings 30000 & done; wait'
sleep 2
capture mappings
attack_ends
others_kept mappings
finish
