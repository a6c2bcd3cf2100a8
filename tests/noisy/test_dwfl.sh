#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same samples, walked in the kernel and again by elfutils' libdwfl from copies of their stacks,
# must have the same frames: 20 000 of them over programs of many kinds, and each one that differs
# must have a cause that tests/live/dwfl_verdict.c finds in that very sample.
#
#   DWFL_SAMPLES (20000)   DWFL_SECONDS (75, at most; about 15 on two processors that are free)
. tests/tap.sh
. tests/live/live.sh
need_sampling
check=$PWD/${B:-build}/live/dwfl_check
[[ -x $check && -x $W/chains/c_deep ]] || {
	skip dwfl 'built for x86-64 only'
	finish
}
want=${DWFL_SAMPLES:-20000}
timeout -k 5 110 "$check" -n "$want" -t "${DWFL_SECONDS:-75}" bash tests/live/dwfl_load.sh >"$T/out" 2>"$T/err"
equal 'dwfl_check: exit status' 0 $?

# of COMM COLUMN...: their sum
of() {
	awk -v comm="$1" -v cols="${*:2}" '$1 == comm {
		n = split(cols, col, " ")
		for (c = 1; c <= n; c++)
			for (i = 2; i < NF; i++)
				if ($i == col[c]) sum += $(i + 1)
	} END { print sum + 0 }' "$T/out"
}
share_at_most() { awk -v k="$1" -v n="$2" -v p="$3" 'BEGIN { exit !(k <= n * p / 100) }'; }
all=$(of all samples)
echo "# note: $all samples, $(of all frames) frames: $(grep '^all' "$T/out" | sed 's/.* same/same/')"
ok "$want samples, or on a busy machine what there was time for: $all" test $((all * 10)) -ge "$want"
equal 'no frame differs without a cause' 0 "$(of all unexplained)"
[[ $(of all unexplained) == 0 ]] || sed 's/^/# /' "$T/err"

# Causes are not excuses: nearly all samples were compared, and nearly all of those to the end.
ok 'at most 5 % ended or moved before their mappings were read' share_at_most "$(of all gone moved)" "$all" 5
# How long it takes to make a table is the machine's speed: bounded, and judged are the others.
ok 'at most 15 % met a table that was not there yet' share_at_most "$(of all pending)" "$all" 15
ok 'at most 5 % met code without CFI' share_at_most "$(of all no-cfi root depth)" "$((all - $(of node samples)))" 5
ok 'at most 1 % met CFI that one of the two cannot express' share_at_most "$(of all no-rule no-rbx)" "$all" 1
ok 'at most 1 % were led nowhere by both' share_at_most "$(of all nowhere)" "$all" 1
ok 'at least 94 % of the others agree from the leaf to the end' \
	share_at_most "$((all - $(of all pending same)))" "$((all - $(of all pending)))" 6
while read -r group comms; do
	n=0
	for comm in $comms; do n=$((n + $(of "$comm" same copy))); done
	ok "$group: $n samples agree" share_at_most "$all" "$n" 40000
done < <(B=${B:-build} bash tests/live/dwfl_load.sh names)

# Stacks of more frames than a copy has room for: counted, and not copied.
timeout -k 5 60 "$check" -t 2 -w 0 -d 1023 "$W/chains/c_deep_static" 3 950 >"$T/deep" 2>"$T/deep.err"
equal 'dwfl_check -d 1023: exit status' 0 $?
read -r _ deep _ overfull < <(tail -n 1 "$T/deep")
ok "950 deep: $deep samples, and no copy of frames that it cannot hold" test "$deep" -ge 50 -a "$overfull" = 0
finish
