#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mangled names that can be read in 2^40 ways, or stand for 2^60 lifetimes.  Captures end in time,
# and the other user's functions are called what they are.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

repeat() {
	local i
	for ((i = 0; i < $2; i++)); do printf '%s' "$1"; done
}
# hostile NUMBER: a name; NUMBER makes it another one each time.
hostile() {
	local n=$1
	case $((n % 5)) in
	0) printf '_ZcvT_I%si%s' "$(repeat L_ZcvT0_I $((36 + n / 5)))" "$(repeat EE $((36 + n / 5)))" ;;
	1) printf '_Zcv%si%s' "$(repeat T_I $((36 + n / 5)))" "$(repeat E $((36 + n / 5)))" ;;
	2) printf '_RMINvC1a1bFG%s_EuEu' "$(repeat z $((9 + n / 5)))" ;;
	3) printf '_Z1aIJJEEEv%sDTflplT_E%s' "$(repeat Z1bIJT_T_EEv $((36 + n / 5)))" \
		"$(repeat E1c $((36 + n / 5)))" ;;
	4) printf '_Z1f1AIiiES_IS0_S0_E%s' "$(
		for ((i = 2; i < 10 + n / 5; i++)); do
			c=$(printf '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ' | cut -c$((i + 1)))
			printf 'S_IS%s_S%s_E' "$c" "$c"
		done
	)" ;;
	esac
}
# renamed TO KIND: the program with a name of its own for each function.
renamed() {
	local to=$1 kind=$2 n=0 file=$T/names.$2
	: >"$file"
	for i in 0 1 2 3 4 5 6 7; do
		for k in 0 1 2 3 4 5 6 7; do
			case $kind in
			hostile) echo "renamed_$i$k $(hostile $n)" ;;
			*) echo "renamed_$i$k $(honest $n)" ;;
			esac >>"$file"
			n=$((n + 1))
		done
	done
	objcopy --redefine-syms="$file" "$P/mangled" "$to"
}
honest() { printf '_ZN6victim%s%dEi' "$((${#1} + 8))function" "$1"; }

# victims FILE: samples in functions of the other user's program, and those with their names.
victims() {
	awk '
	/^victim[; ]/ {
		all += $NF
		if ($0 ~ /victim::function[0-9]+\(int\)/)
			named += $NF
	}
	END { print all + 0, named + 0 }' "$1"
}
others_named() {
	other_starts ./victim 30
	timed record "$1" -F 499 -d 3 --root comm
	equal "$1: exit status" 0 "$rc"
	in_time "$1" 3
	end_processes "$O_UID"
	read -r all named <<<"$(victims "$T/$1.folded")"
}
judge() {
	ok "$1: it took $took_ms ms, alone $alone_ms" test "$took_ms" -lt $((alone_ms + 3000))
	ok "$1: others' samples" test "$all" -gt 100
	ok "$1: $named of $all named, without it $alone_named of $alone_all" \
		test "$(points "$alone_named" "$alone_all" "$named" "$all")" -lt 100
}

if ! command -v objcopy >/dev/null; then
	skip 'mangled names' 'there is no objcopy'
	finish
fi
renamed "$O/victim" honest
renamed "$A/hostile" hostile
chmod 755 "$O/victim" "$A/hostile"

others_named alone
alone_all=$all alone_named=$named alone_ms=$took_ms
ok "alone: $named of $all named" test $((named * 100)) -gt $((all * 97))
ok 'alone: nothing stays mangled' test "$(json alone '.limits.mangled // 0')" = 0

for _ in 1 2 3; do attacker_starts ./hostile 60; done
others_named names
judge names
ok 'names: those of the attacker are there' grep -q '^hostile;.*_[ZR]' "$T/names.folded"
attack_ends
finish
