#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file system that stops answering, with a program on it that runs: a capture begins, ends in its
# time or by SIGINT, names other programs, accounts for every sample and says what was missing.  The
# file system answers nothing until the capture is over, whatever that takes.
. tests/tap.sh
. tests/live/live.sh
need_sampling
mkdir "$T/fs"
pids=()
# shellcheck disable=SC2317 # called at exit
cleanup() {
	((${#pids[@]})) && kill -KILL "${pids[@]}" 2>/dev/null
	umount -l "$T/fs" 2>/dev/null
	rm -rf "$T"
}
trap cleanup EXIT

# stall KIND: mounts it, runs a program from it, and lets it stall.
stall() {
	rm -f "$T/mounted"
	"$W/stall_fs" "$T/fs" "$W/nofp/spin" "$1" >"$T/mounted" 2>"$T/mounted.err" &
	server=$!
	pids+=("$server")
	until_true 5 grep -q mounted "$T/mounted" || return 1
	"$T/fs/program" 0 &
	program=$!
	pids+=("$program")
	until_true 10 runs "$program" "$T/fs/program"
	sleep 0.3 # its pages have been read
	# Those that nobody has mapped are read again by who asks: they are not in memory any more.
	dd if="$T/fs/program" iflag=nocache count=0 status=none
	kill -USR1 "$server"
}
unstall() {
	kill -KILL "$server" "$program"
	wait "$server" "$program" 2>/dev/null
	umount -l "$T/fs"
}
# shellcheck disable=SC2317 # called by until_true
runs() { [[ $(readlink "/proc/$1/exe") == "$2" ]]; }

# ended NAME: the status, unless it had to be made to end.
ended() { equal "$1: ends" 0 "$rc"; }

others_are_whole() {
	ok "$1: another program has names" most 90 "$(samples "$T/$1.folded" other spin_here)" \
		"$(samples "$T/$1.folded" other)"
	ok "$1: and whole stacks" most 90 "$(samples "$T/$1.folded" other main spin_here)" \
		"$(samples "$T/$1.folded" other)"
	accounts "$1"
}

if ! stall open; then
	skip 'a file system that stalls' "$(cat "$T/mounted.err")"
	finish
fi
unstall
cp "$W/nofp/spin" "$T/other"
"$T/other" 0 &
pids+=($!)
for kind in open read getattr; do
	for unwind in auto fp; do
		name=$kind-$unwind
		stall "$kind"
		rc=0
		timeout -k 1 20 "$EDDY" record -v -F 199 -d 3 --unwind "$unwind" -o "$T/$name.folded" \
			>"$T/$name.out" 2>"$T/$name.err" || rc=$?
		ended "$name"
		others_are_whole "$name"
		ok "$name: the cause is counted" grep -Eq ' [1-9][0-9]* questions not answered in time' \
			"$T/$name.err"
		ok "$name: and noted" grep -q 'not answered in time' "$T/$name.folded.json"
		ok "$name: and a field" test "$(json "$name" .limits.stalled)" -gt 0
		unstall
	done
done

stall read
timeout -k 1 30 "$EDDY" record -F 199 -d 60 -o "$T/int.folded" 2>"$T/int.err" &
eddy=$!
sleep 4
kill -INT "$eddy" # timeout passes it on
end=$((SECONDS + 10))
wait "$eddy"
rc=$?
equal 'SIGINT: ends' 0 "$rc"
ok 'SIGINT: at once' test "$SECONDS" -le "$end"
others_are_whole int
unstall
finish
