#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real programs of many languages, those of programs.sh that are installed, while they work: every
# sample is accounted for, nearly all user stacks are whole (or end in code that a program compiles
# for itself, of programs of which nothing tells how to walk it), what is not whole says why, and
# code of files has a name.  PROGRAMS="xz git" for some.
. tests/tap.sh
. tests/live/live.sh
need_sampling
here=$PWD
[[ $EDDY == /* ]] || EDDY=$PWD/$EDDY
mkdir "$T/work" && cd "$T/work" || exit 1
. "$here/tests/programs/programs.sh"
trap 'program_end; cd /; rm -rf "$T"' EXIT

# judge NAME: what was sampled of it
judge() {
	local name=$1 file=$T/$1.folded total whole compiled
	accounts "$name"
	read -r total whole compiled < <(json "$name" \
		'.user_stacks | "\(.total) \(.complete) \(.broken.jit // 0)"')
	if program_unwalked "$name"; then
		ok "$name: stacks are whole, or end in compiled code: $whole and $compiled of $total" \
			most 99 $((whole + compiled)) "$total"
	else
		ok "$name: stacks are whole: $whole of $total" most 99 "$whole" "$total"
	fi
	ok "$name: what is not whole says why" jq -e '.user_stacks |
		.total == .complete + ([.broken[]] | add // 0)' "$file.json"
	ok "$name: frames have a name, or their function's place" awk '
		{
			n = $NF
			sub(/ [0-9]+$/, "")
			nr = split($0, frame, ";")
			for (i = 2; i <= nr; i++) {
				all += n
				if (frame[i] ~ /^\[unknown/) bad += n
			}
		}
		END { print bad + 0, all + 0; exit !(all && bad * 100 <= all) }' "$file"
}
for name in ${PROGRAMS:-$program_names}; do
	program_is_here "$name" || {
		skip "$name" 'not installed'
		continue
	}
	program_start "$name"
	# Some build or fill something first.
	program_wait "$name"
	sleep 1
	record "$name" -F 999 -d 2 --comm "$(program_comm "$name")" --user-only
	program_end
	equal "$name: exit status" 0 "$rc"
	((rc)) || judge "$name"
	rm -f "$T/$name".*
done
finish
