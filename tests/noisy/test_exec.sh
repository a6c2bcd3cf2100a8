#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One program becomes another by exec, again and again, each a new file at the same addresses: what
# was sampled in the one never has the other's names, however the stacks are walked.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# programs SECONDS: first, then second, of the same process; both are files nobody has met.
programs() {
	local end=$((SECONDS + $1))
	while ((SECONDS < end)); do
		cp "$W/exec_first" "$T/first"
		cp "$W/exec_second" "$T/second"
		"$T/first" 0.004 "$T/second" 0.004
		rm "$T/first" "$T/second"
	done
}

# of COMM [FRAME]...: samples of the capture whose stacks begin with COMM.
of() {
	grep "^$1;" "$T/$mode.folded" | samples - "${@:2}"
}

for mode in auto eh fp; do
	programs 5 &
	record $mode -v --unwind $mode -F 1999 -d 4
	wait
	equal "$mode: exit status" 0 "$rc"
	accounts $mode
	echo "# note: $mode: first $(of first first_work) of $(of first), second" \
		"$(of second second_work) of $(of second) by name," \
		"$(sed -n 's/.*addresses without a name/without/p' "$T/$mode.err")"
	ok "$mode: most of the first are named" most 30 "$(of first first_work)" "$(of first)"
	ok "$mode: most of the second are named" most 30 "$(of second second_work)" "$(of second)"
	equal "$mode: none of the first has a name of the second" 0 "$(of first second_work)"
	equal "$mode: none of the second has a name of the first" 0 "$(of second first_work)"
done
finish
