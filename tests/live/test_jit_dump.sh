#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Code that a program wrote into memory and told of in a jitdump: loaded, moved, of a PID of our own
# and of one in a namespace.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# run NAME COMMAND...
run() {
	local name=$1 f
	shift
	record "$name" -F 999 --root comm -- "$@" "$W/dumped_code" 1 "$T"
	equal "$name: exit status" 0 "$rc"
	accounts "$name"
	for f in dumped_first dumped_moved; do
		ok "$name: $f" at_least "$(samples "$T/$name.folded" dumped_code "${f}_[j]")" 1
	done
	equal "$name: none without a name" 0 "$(samples "$T/$name.folded" dumped_code '[anon]')"
}
run plain nice -n 0
if unshare -pf --mount-proc true 2>/dev/null; then
	run contained unshare -pf --mount-proc
else
	skip 'contained' 'no PID namespaces here'
fi
finish
