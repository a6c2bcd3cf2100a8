#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Code that a program wrote into memory of three kinds: one name for all runs, though it stands
# elsewhere in each, and the perf map's name where there is one.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# run NAME ARG...: three programs of that kind, one for each kind of memory
run() {
	local name=$1 kind pids=()
	shift
	for kind in private shared memfd; do
		"$W/jit_memory" 0.5 $kind "$@" >/dev/null &
		pids+=($!)
	done
	record "$name" -F 999 -d 2 --root comm
	wait "${pids[@]}"
	equal "$name: exit status" 0 "$rc"
	accounts "$name"
}
# leaves NAME: what the stacks of user code end in, but for functions of libraries
leaves() {
	grep '^jit_memory;' "$T/$1.folded" | grep -v '_\[k\]' | sed -E 's/ [0-9]+$//; s/.*;//' |
		grep -E '^\[|jitted' | grep -v '^\[truncated\]$' | sort -u | tr '\n' ' '
}
run first
run second
want='[anon] [memfd:jitted] '
equal 'first: a name for each kind of memory' "$want" "$(leaves first)"
equal 'second: the same in another run' "$want" "$(leaves second)"
run mapped map
equal 'mapped: by the perf map, whatever the memory' 'jitted_work_[j] ' "$(leaves mapped)"
finish
