#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tasks whose registers or stacks the kernel has changed: functions with return probes, instructions
# with probes, and workers that never were in user mode.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# of COMM [REGEX]: samples of a program's user stacks, kernel frames left out; those that match
of() {
	re="${2:-.}" awk -v comm="$1;" 'index($0, comm) == 1 {
		n = $NF
		sub(/ [0-9]+$/, "")
		sub(/(^|;)[^;]*_\[k\].*/, "")
		if ($0 ~ ENVIRON["re"]) sum += n
	} END { print sum + 0 }' "$T/$name.folded"
}

# probed NAME PROGRAM KIND FRAMES ARG...: nearly all stacks that hold the last frame are exactly
# those, from main on, and none of the program's is cut.
probed() {
	local program=$2 kind=$3 frames=$4
	name=$1
	shift 4
	record "$name" --root comm -F 999 "$@" -- "$program" 0.6 "$kind"
	if grep -q '^cannot' "$T/$name.out"; then
		skip "$name" 'the kernel refuses probes of user functions'
		return
	fi
	equal "$name: ends well" 0 "$rc"
	accounts "$name"
	ok "$name: stacks are whole through probed functions" most 95 \
		"$(of return_probe "main;$frames\$")" "$(of return_probe "${frames##*;}\$")"
	ok "$name: hardly any stack is cut" most 97 \
		$(($(of return_probe) - $(of return_probe '\[truncated\]'))) "$(of return_probe)"
	# From 6.11 on the trampoline ends with three instructions after the kernel has taken the
	# function off its list: where it returns to stands in a register and on the stack only.
	at=$(of return_probe '\[uprobes') within=$(of return_probe ';\[uprobes[^;]*;')
	equal "$name: no caller lies where the probes' copies are" 0 "$within"
	ok "$name: hardly any sample does ($at)" most 99 \
		$(($(of return_probe) - at)) "$(of return_probe)"
}
chain='probed_outer;probed_outer;probed_outer;plain_middle;probed_leaf'
probed returns "$W/nofp/return_probe" returns "$chain"
probed two_on_one "$W/nofp/return_probe" chain "$chain"
probed entry "$W/nofp/return_probe" entry 'calls_short(;probed_short)?'
probed frame_pointers "$W/return_probe" returns "$chain" --unwind fp

name=worker
record worker --root comm -F 999 -- "$W/io_worker" 0.6
if grep -q '^cannot' "$T/worker.out"; then
	skip worker 'the kernel refuses io_uring'
	finish
fi
equal 'worker: ends well' 0 "$rc"
accounts worker
sum() { awk '/^iou-wrk/ { n += $NF } END { print n + 0 }' "$T/worker.folded"; }
cut() { awk '/^iou-wrk.*;\[truncated\]/ { n += $NF } END { print n + 0 }' "$T/worker.folded"; }
expected=$(awk '$1 == "truth" { printf "%d", $3 / 1e9 * 999 }' "$T/worker.out")
ok 'worker: is sampled for as long as it worked' awk -v k="$(sum)" -v n="$expected" \
	'BEGIN { print k " of " n; exit !(k > n * 0.7 && k < n * 1.3) }'
equal 'worker: its stacks are not cut, they have no user part' 0 "$(cut)"
ok 'worker: they are not called exec' jq -e '(.user_stacks.broken.exec // 0) < 100' \
	"$T/worker.folded.json"
record worker_user --root comm -U -F 999 -- "$W/io_worker" 0.6
equal 'worker: -U leaves it out' 0 "$(grep -c '^iou-wrk' "$T/worker_user.folded")"
finish
