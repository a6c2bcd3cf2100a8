#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real programs of many languages, those of programs.sh that are installed, while they work: every
# sample is accounted for, nearly all user stacks are whole, what is not whole says why, and code of
# files has a name.  PROGRAMS="xz git" for some.
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
	local name=$1 file=$T/$1.folded
	accounts "$name"
	# shellcheck disable=SC2046 # two numbers
	ok "$name: stacks are whole: $(json "$name" '.user_stacks | "\(.complete) of \(.total)"')" \
		most 99 $(json "$name" '.user_stacks | "\(.complete) \(.total)"')
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
	until_true 60 pgrep -x "$(program_comm "$name" | cut -c1-15)" >"$T/pid"
	sleep 1
	record "$name" -F 999 -d 2 --comm "$(program_comm "$name")" --user-only
	program_end
	equal "$name: exit status" 0 "$rc"
	((rc)) || judge "$name"
	rm -f "$T/$name".*
done
finish
