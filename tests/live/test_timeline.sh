#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record --timeline: each kept sample has its slot of time or is counted as without one, on the
# ordinary way and where maps and ring have too little room, and the slot is the right one.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# timed NAME: the file beside the stacks, the .json and the stacks tell of the same samples.
timed() {
	local file=$T/$1.folded
	awk -v name="$1" '
		FILENAME ~ /timeline$/ && FNR > 1 && FNR < 10 { head[$1] = $2; next }
		FILENAME ~ /timeline$/ && FNR > 9 {
			if ($1 >= head["slots"]) bad = bad " slot " $1
			for (i = 2; i <= NF; i++) {
				split($i, cell, "*")
				n = cell[2] ? cell[2] : 1
				sum += n
				line[cell[1]] += n
			}
			next
		}
		FILENAME ~ /folded$/ { nr++; count[nr] = $NF; total += $NF; if (/^\[lost:/) lost += $NF }
		END {
			for (l in line) if (line[l] > count[l]) bad = bad " line " l
			if (nr != head["lines"] || total != head["total"]) bad = bad " lines " nr " " total
			if (sum != head["timed"]) bad = bad " timed " sum
			if (sum + head["untimed"] + lost != total) bad = bad " sum " sum " " lost " " total
			print name ":" bad
			exit bad != ""
		}' "$file.timeline" "$file" &&
		jq -e --argjson slots "$(sed -n 's/^slots //p' "$file.timeline")" '
			.timeline.slots == $slots and .timeline.timed + .timeline.untimed == .samples.kept
			' "$file.json" >/dev/null
}
is_timed() {
	ok "$1: every kept sample has its time, or is counted as without" timed "$1"
	ok "$1: a page is made of it" "$EDDY" report -o "$T/$1.html" "$T/$1.folded"
	equal "$1: with its times" '' "$("$EDDY" report -o "$T/$1.html" "$T/$1.folded" 2>&1)"
}

# A shell that is busy, waits, and is busy again, and says when.
cp /bin/bash "$T/timed_sh"
mkfifo "$T/never"
cat >"$T/phases" <<'END'
exec 9<>"$1"
for phase in 1 2; do
	from=$EPOCHREALTIME
	for ((i = 0; i < 400000; i++)); do :; done
	echo "${from/.}" "${EPOCHREALTIME/.}"
	read -rt 0.8 -u 9 || :
done
END
record plain -F 499 --timeline -- "$T/timed_sh" "$T/phases" "$T/never"
equal 'recorded' 0 "$rc"
accounts plain
is_timed plain
equal 'plain: none is without a time' 0 "$(json plain .timeline.untimed)"
# Samples of the shell in and out of its two phases, a slot and a millisecond either way.
awk 'FILENAME ~ /out$/ { from[++nr] = $1 / 1000 - 11; to[nr] = $2 / 1000 + 11; next }
	FILENAME ~ /folded$/ { if (/^timed_sh;/) mine[FNR] = 1; next }
	FNR < 10 { head[$1] = $2; next }
	{
		at = head["start_ms"] + $1 * head["slot_ns"] / 1e6
		for (i = 2; i <= NF; i++) {
			split($i, cell, "*")
			if (!mine[cell[1]]) continue
			phase = "outside"
			for (p = 1; p <= nr; p++) if (at >= from[p] && at <= to[p]) phase = p
			n[phase] += cell[2] ? cell[2] : 1
		}
	}
	END { print n[1] + 0, n[2] + 0, n["outside"] + 0 }' \
	"$T/plain.out" "$T/plain.folded" "$T/plain.folded.timeline" >"$T/phases.txt"
read -r first second outside <"$T/phases.txt"
ok "the shell was met when it ran ($first and $second samples)" test "$first" -gt 20 -a "$second" -gt 20
# It is set up, forks and ends outside of them.
ok "and hardly else ($outside samples)" test "$outside" -le 12

# Too little room: turns end early, stacks come late, some are lost.
for room in '--map-memory=64K' '--map-memory=64K --ring-memory=16K'; do
	name=room${room##*=}
	# shellcheck disable=SC2086
	record "$name" -e page-faults -c 1 --only-command --timeline --unwind fp $room \
		-- "$W/many_stacks" faults 30000
	accounts "$name"
	is_timed "$name"
done
record weighed -e page-faults -F 499 --timeline --only-command -- "$W/page_fault" 0.7
accounts weighed
is_timed weighed

# Without the option the times of the capture before are none of these stacks.
record plain -e page-faults -c 1 --only-command -- "$W/page_fault" 0.2
ok 'another capture takes the times away' test ! -e "$T/plain.folded.timeline"
finish
