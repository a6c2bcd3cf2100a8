#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a snapshot that runs for ever must not keep: file systems that programs ran from can be
# unmounted, and deleted programs give their space back, within seconds of the last process; and
# what was sampled has its names all the same.
. tests/tap.sh
. tests/live/live.sh
need_sampling
if ! mkdir "$T/fs" || ! mount -t tmpfs none "$T/fs" 2>/dev/null; then
	skip 'file systems are let go' 'nothing can be mounted here'
	finish
fi
mounted=("$T/fs")
eddy=
# shellcheck disable=SC2317 # called at exit
cleanup() {
	[[ -n $eddy ]] && kill -INT "$eddy" 2>/dev/null && wait "$eddy"
	for m in "${mounted[@]}"; do umount -l "$m" 2>/dev/null; done
	rm -rf "$T"
}
trap cleanup EXIT

# released NAME SNAPSHOT-ARG...: programs of a file system that run before eddy and begin while it
# runs; one is deleted as it runs, and one, of a mount that only its process sees, sleeps first.
released() {
	local name=$1 before far deleted
	shift
	cp "$W/nofp/spin" "$T/fs/before"
	cp "$W/nofp/spin" "$T/fs/during"
	cp "$W/nofp/spin" "$T/fs/deleted"
	"$T/fs/before" 0 &
	before=$!
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs none "$1" && cp "$2" "$1/far" && exec "$1/far" 0' - \
		"$T/fs" "$W/nofp/spin" &
	far=$!
	ok "$name: a program of a mount of its own" until_true 10 runs $far "$T/fs/far"
	kill -STOP $far
	timeout -k 5 120 "$EDDY" snapshot --dir "$T/$name" --host h --every 1h --no-gzip -F 499 "$@" \
		>"$T/$name.out" 2>"$T/$name.err" &
	eddy=$!
	ok "$name: it samples" until_true 30 samples_now $eddy
	sleep 1.5
	"$T/fs/during" 0.3 >/dev/null
	"$T/fs/deleted" 0 &
	deleted=$!
	sleep 1
	kill $before
	rm "$T/fs/deleted"
	sleep 0.5
	kill $deleted
	wait $before $deleted
	# In use: what is deleted, though its file is gone.
	ok "$name: a deleted program gives its space back within 5 s" until_true 5 only_files "$T/fs"
	ok "$name: the file system is let go within 5 s" until_true 5 umount "$T/fs"
	mount -t tmpfs none "$T/fs" 2>/dev/null
	kill -CONT $far
	sleep 1.5
	kill -KILL $far
	wait $far
	kill -INT $eddy
	wait $eddy
	equal "$name: ends" 0 $?
	eddy=
	cat "$T/$name"/h/*.folded >"$T/$name.folded"
	for program in before during deleted far; do
		ok "$name: $program has names" most 90 "$(samples "$T/$name.folded" "$program" spin_here)" \
			"$(samples "$T/$name.folded" "$program")"
	done
}

# runs PID PROGRAM
# shellcheck disable=SC2317 # called by until_true
runs() { [[ $(readlink "/proc/$1/exe") == "$2" ]]; }

# samples_now PID: it has opened its events, and that is the last thing before it samples.
# shellcheck disable=SC2317 # called by until_true
samples_now() {
	local program=$1 child
	read -r child <"/proc/$program/task/$program/children" # of timeout; it ends without a newline
	[[ $(readlink "/proc/${child:-$program}/fd/"*) == *perf_event* ]]
}

# only_files DIR: the file system uses no more than what its files say.
# shellcheck disable=SC2317 # called by until_true
only_files() {
	local used files
	used=$(df --output=used -B1 "$1" | tail -n 1)
	files=$(du -sB1 "$1" | cut -f 1)
	((used <= files + 65536)) || { echo "used $used, files $files"; return 1; }
}

released tables
released pointers --unwind fp
umount "$T/fs"
finish
