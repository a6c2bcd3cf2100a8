#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of btrfs: a snapshot has device, inode and generation of what it was made of, and other
# contents once one of them is written.  Each program has its own names and whole stacks.
. tests/tap.sh
. tests/live/live.sh
need_sampling
PATH=$PATH:/usr/sbin:/sbin
command -v mkfs.btrfs >/dev/null || {
	skip btrfs 'no mkfs.btrfs'
	finish
}
at=$T/fs loop=
pids=()
cleanup() {
	((${#pids[@]})) && kill "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	# -l: a profiler of this machine holds files of programs for some seconds after their end.
	umount -l "$at" 2>/dev/null
	[[ -n $loop ]] && losetup -d "$loop" 2>/dev/null
	rm -rf "$T"
}
trap cleanup EXIT
mkdir "$at"
truncate -s 300M "$T/image"
mkfs.btrfs -q "$T/image" >/dev/null 2>&1 && loop=$(losetup -f --show "$T/image" 2>/dev/null) &&
	mount -t btrfs "$loop" "$at" 2>/dev/null || {
	skip btrfs 'no btrfs can be mounted here (loop devices?)'
	finish
}

# Two programs in one inode number.
btrfs -q subvolume create "$at/one"
cp "$W/nofp/cpu_split" "$at/one/program"
sync
btrfs -q subvolume snapshot "$at/one" "$at/two"
cat "$W/nofp/recursion" >"$at/two/program"
equal 'the inodes have one number' "$(stat -c %i "$at/one/program")" "$(stat -c %i "$at/two/program")"

# run NAME FILE ARG...: in the background, its process called NAME
run() {
	ln -sf "$2" "$T/$1"
	"$T/$1" "${@:3}" >/dev/null &
	pids+=($!)
}
end_all() {
	kill "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
	pids=()
}
# own NAME BASE OWN OTHERS: whole stacks, and of their own names only
own() {
	base="^$2;" own="$3" others="$4" awk -v z=$Z '$0 ~ ENVIRON["base"] {
		all += $NF
		if ($0 ~ ENVIRON["others"]) bad += $NF
		if ($0 ~ ENVIRON["own"]) hit += $NF
	} END {
		print hit + 0 " own", bad + 0 " of others", all + 0 " in all"
		exit !(all >= 30 && !bad && hit >= all * 0.9 - z * sqrt(all * 0.09) - 1)
	}' "$T/$1.folded"
}
split=';main;split_caller;split_'
recursion=';main;(self_recurse|mutual_p)'
# check NAME ARG...: a capture while both run
check() {
	local name=$1
	record "$name" --root comm -F 999 -d 0.8 "${@:2}"
	accounts "$name"
	ok "$name: the first has its names" own "$name" one "$split" 'self_recurse|mutual_p|at_the_bottom'
	ok "$name: its snapshot has others" own "$name" two "$recursion" 'split_'
}
start_all() {
	run one "$at/one/program" 30
	run two "$at/two/program" 30
}
# Known before the start, and met while sampling, and by turns.
start_all
check before
rm -f "$T"/{one,two}
check again --unwind eh
end_all
(
	sleep 0.2
	for name in one two; do ln -s "$at/$name/program" "$T/$name"; done
	"$T/one" 0.5 & "$T/two" 0.5 &
	wait
) >/dev/null &
check later -d 1.5
wait
rm -f "$T"/{one,two}

# By frame pointer every frame is named through its process.
for p in cpu_split:one recursion:two; do cat "$W/${p%:*}" >"$at/${p#*:}/program"; done
start_all
check fp --unwind fp
end_all

finish
