#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Paths that their owner exchanges: where eddy looks for a perf map or a mapped file stand links out
# of the root of the process, FIFOs and terminals.  What is outside is not read; nothing is opened.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

cp "$P/elsewhere" "$A"

# ---- roots of their own -----------------------------------------------------------------------

# jail NAME: a root with the program; jail_spins NAME starts it there as the hostile user, $pid.
jail() {
	mkdir -m 755 "$T/$1" "$T/$1/scratch"
	cp "$P/elsewhere" "$T/$1/$1"
	chown "$A_UID:$A_UID" "$T/$1" "$T/$1/scratch"
}
jail_spins() {
	chroot --userspec="$A_UID:$A_UID" "$T/$1" "/$1" spin 60 >/dev/null 2>&1 &
	pid=$!
	until_true 10 test "$(stat -c %u "/proc/$pid" 2>/dev/null)" = "$A_UID"
}
# map OWNER FILE NAME: a perf map that has one name for everything.
map() {
	echo "1000 7fffffffe000 $3" >"$2"
	chown "$1" "$2"
	chmod 600 "$2"
}

mkdir -m 700 "$T/precious"
jail out
ln -s "$T/precious" "$T/out/tmp"
mkdir -p "$T/out$T"
jail_spins out
map 0 "$T/precious/perf-$pid.map" stolen_name
jail up
ln -s ../precious "$T/up/tmp"
jail_spins up
map 0 "$T/precious/perf-$pid.map" stolen_name
jail linked
mkdir -m 755 "$T/linked/tmp"
jail_spins linked
map 0 "$T/precious/perf-$pid.map" stolen_name
ln "$T/precious/perf-$pid.map" "$T/linked/tmp" # a user would bind it there, in a namespace of his
jail honest
ln -s /scratch "$T/honest/tmp"
jail_spins honest
map "$A_UID" "$T/honest/scratch/perf-$pid.map" own_name

record roots -F 499 -d 1.5 --root comm
equal 'roots: exit status' 0 "$rc"
accounts roots
for name in out up linked honest; do
	ok "roots: $name was sampled" test "$(samples "$T/roots.folded" "$name")" -gt 20
done
equal "roots: a map that only root may read names nothing" 0 "$(samples "$T/roots.folded" 'stolen_name_[j]')"
own=$(samples "$T/roots.folded" honest 'own_name_[j]') all=$(samples "$T/roots.folded" honest)
ok "roots: /tmp as a link inside the root: $own of $all named" most 90 "$own" "$all"
attack_ends

# ---- FIFOs and terminals ----------------------------------------------------------------------

# Each tells when somebody opens it; that this is noticed is tried first.
attacker_starts ./elsewhere fifo tried_fifo told_fifo
attacker_starts ./elsewhere terminal tried_terminal told_terminal
ok 'a FIFO is there' until_true 10 test -p "$A/tried_fifo"
ok 'a terminal is there' until_true 10 test -c "$A/tried_terminal"
: <"$A/tried_fifo"
: <"$A/tried_terminal"
ok 'who opens a FIFO is noticed' until_true 10 test -e "$A/told_fifo"
ok 'who opens a terminal is noticed' until_true 10 test -e "$A/told_terminal"

# The kernel shows a mapped file that was removed as "code (deleted)", and that name may be made.
for kind in fifo terminal; do
	attacker_starts ./elsewhere spin 60 "code_$kind"
	ok "$kind: mapped" until_true 10 grep -qs "code_$kind" "/proc/$!/maps"
	attacker rm "code_$kind"
	attacker_starts ./elsewhere "$kind" "code_$kind (deleted)" "opened_$kind"
	# And as the map of code in memory.
	attacker_starts ./elsewhere spin 60
	map_of=/tmp/perf-$!.map
	attacker_starts ./elsewhere "$kind" "$map_of" "opened_map_$kind"
	ok "$kind: as a perf map" until_true 10 test -p "$map_of" -o -c "$map_of"
	maps_made+=("$map_of")
done
for case in privileged plain; do
	run=()
	[[ $case == plain ]] && run=(setpriv '--bounding-set=-checkpoint_restore,-sys_admin')
	timed timeout -k 5 60 "${run[@]}" "$EDDY" record -F 499 -d 1.5 --root comm \
		-o "$T/$case.folded" 2>"$T/$case.err"
	equal "$case: exit status" 0 "$rc"
	ok "$case: it took $took_ms ms" test "$took_ms" -lt 12000
	ok "$case: they were sampled" test "$(samples "$T/$case.folded" elsewhere)" -gt 50
	equal "$case: nothing was opened" '' "$(cd "$A" && echo opened_*[a-z] | grep -v '\*')"
done
rm -f "${maps_made[@]}"
finish
