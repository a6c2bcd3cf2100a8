#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One `eddy snapshot` before, while and after a user takes what is everybody's: 600 000 rules of
# unwinding.  When he has ended all is as before him: nothing has to be started again for that.
. tests/tap.sh
. tests/live/live.sh
. tests/live/snapshots.sh
. tests/attack/attack.sh
need_attacker
EVERY=5 NR_WINDOWS=9 FIRST_ATTACKED=3 LAST_ATTACKED=5

# The first window may be short: they end when the clock says so.
nr_files() { by_start "$T/history/h" | wc -l; }
has_files() { test "$(nr_files)" -ge "$1"; }
# counts FILE...: complete and all stacks of the other user's programs in the files of these windows.
counts() {
	cat "$@" >"$T/some.folded"
	read -r all complete _ <<<"$(stacks_of "$T/some.folded" odd_frames)"
}
left_out() { jq -s 'map(.limits.rules // 0) | add' "${@/%/.json}"; }

gives "$P/many_rules"
attacker mkdir libs
cp "$P/odd_frames" "$P/odd_frames_too" "$O"
# The other user's program is another file every six seconds: its table has to come each time, for
# which there is time while it warms up (a busy machine is late with it, without an attack too).
# From the attack on it has rules that were not there before.
# shellcheck disable=SC2016 # that shell's
other_starts sh -c 'from=odd_frames
	for i in $(seq 100); do
		[ -e later ] && from=odd_frames_too
		mkdir "$i" && cp "$from" "$i/odd_frames" && "$i/odd_frames" 6 2500
	done'
timeout -k 5 120 "$EDDY" snapshot --dir "$T/history" --host h --every "${EVERY}s" \
	-d $((EVERY * NR_WINDOWS))s -F 499 --root comm --no-gzip 2>"$T/history.err" &
snapshot=$!
ok 'windows before' until_true 60 has_files $((FIRST_ATTACKED - 1))
attacker_starts ./many_rules libs 150 100 compute
ok 'the attack is on' until_true 60 test -e "$A/libs/ready"
: >"$O/later"
ok 'windows with it' until_true 60 has_files $((LAST_ATTACKED - 1))
attack_ends
wait "$snapshot"
equal 'exit status' 0 $?
end_processes "$O_UID"

mapfile -t files < <(by_start "$T/history/h")
ok 'every file accounts for its samples' files_account "${files[@]}"
ok "${#files[@]} windows" test "${#files[@]}" -ge "$NR_WINDOWS"
before=("${files[@]:0:FIRST_ATTACKED - 1}") after=("${files[@]:LAST_ATTACKED}")
attacked=("${files[@]:FIRST_ATTACKED - 1:LAST_ATTACKED - FIRST_ATTACKED + 1}")
counts "${before[@]}"
first_all=$all first_complete=$complete
ok "before: $complete of $all of others' stacks are complete" test "$all" -gt 100
equal 'before: no rule is left out' 0 "$(left_out "${before[@]}")"
counts "${attacked[@]}"
ok "attacked: $complete of $all are, of others' samples" test "$all" -gt 100
ok "attacked: $(left_out "${attacked[@]}") rules are left out" \
	test "$(left_out "${attacked[@]}")" -gt 100000
ok 'attacked: it is said' grep -qE '^eddy: in this window [0-9]+ rules of unwinding were left out' \
	"$T/history.err"
equal 'after: no rule is left out' 0 "$(left_out "${after[@]}")"
counts "${after[@]}"
ok "after: $all of others' samples, in ${#after[@]} windows" test "$all" -gt 400
ok "after: $complete of $all are complete, before $first_complete of $first_all" \
	test "$(points 1 1 "$complete" "$all")" -lt $((100 + $(points 1 1 "$first_complete" "$first_all")))
finish
