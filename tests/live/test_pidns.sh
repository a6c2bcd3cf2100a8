#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy in a PID namespace of its own, as in a container: PIDs are those that are seen there, and
# processes that are not are sampled without what is not known of them.
. tests/tap.sh
. tests/live/live.sh
need_sampling
unshare -pf --mount-proc true 2>/dev/null || {
	skip pidns 'no PID namespace can be made'
	finish
}

# inside NAME ARG...: eddy record, as record() does, in a PID namespace of its own
inside() {
	local name=$1
	shift
	timeout -k 5 120 unshare -pf --mount-proc "$EDDY" record -o "$T/$name.folded" "$@" \
		>"$T/$name.out" 2>"$T/$name.err"
	rc=$?
}
start='_start;(__libc_start_main[^;]*;)?(__libc_start_call_main;)?main'
# whole NAME REGEX: nearly all stacks under a base that matches begin with the frames of a program
whole() {
	# shellcheck disable=SC2046 # two numbers
	most 90 $(re="^$2(;|\$)" start="^[^;]*;$start" awk '$0 ~ ENVIRON["re"] {
			all += $NF
			if ($0 ~ ENVIRON["start"]) hit += $NF
		}
		END { print hit + 0, all + 0 }' "$T/$1.folded")
}
bases() {
	awk '!/^\[/ { n = $NF; sub(/;.*/, ""); sum[$0] += n } END { for (b in sum) print b, sum[b] }' \
		"$T/$1.folded"
}
only() {
	bases "$1"
	! bases "$1" | grep -qvE "$2"
}

# Somebody outside, all the while.
"$W/nofp/recursion" 60 >/dev/null &
outside=$!
trap 'kill $outside 2>/dev/null; rm -rf "$T"' EXIT

unshare -pf --mount-proc "$EDDY" doctor >"$T/doctor" 2>&1
equal 'doctor: finds that sampling works' 0 $?
ok 'doctor: says in which PID namespace' grep -qE '^-- +PID namespace 40[0-9]+: ' "$T/doctor"
ok 'doctor: outside, in the first' sh -c '"$0" doctor | grep -qE "first PID namespace"' "$EDDY"

inside all -v --root process -F 999 -- sh -c 'echo "pid $$"; exec "$0" 0.6' "$W/nofp/cpu_split"
equal 'all: ends well' 0 "$rc"
accounts all
pid=$(awk '$1 == "pid" { print $2 }' "$T/all.out")
ok 'all: the program is under its PID of in here, its stacks are whole' whole all "cpu_split-$pid"
# Without a number it is one that another test runs outside.
equal 'all: so is what it was before exec' "cpu_split-$pid" \
	"$(bases all | sed -n 's/^\(cpu_split-[0-9]*\) [0-9]*$/\1/p')"
ok 'all: who is outside is there without a PID' grep -qE '^recursion-\?;\[truncated\]' "$T/all.folded"
ok 'all: without addresses that nobody can name' sh -c \
	'! grep -qE "^[^;]*-\?;.*\[unknown\+" "$0"' "$T/all.folded"
ok 'all: these are counted by their reason' jq -e '.user_stacks.broken.hidden >= 100' \
	"$T/all.folded.json"
ok 'all: and there is a note of them' grep -q 'note:.*outside of this PID namespace' "$T/all.err"

inside fp --root process --unwind fp -F 999 -- "$W/cpu_split" 0.4
accounts fp
ok 'fp: by frame pointer too' sh -c 'grep -qE "^cpu_split-[0-9]+;.*main;split_caller;split_half" "$0"' \
	"$T/fp.folded"
ok 'fp: nothing is unknown' sh -c '! grep -qE "^[^;]*-\?;.*\[unknown\+" "$0"' "$T/fp.folded"

inside command --only-command --root comm -F 999 -- sh -c '"$0" 0.3; "$0" 0.3' "$W/nofp/cpu_split"
accounts command
ok '--only-command: the command and its children' whole command cpu_split
ok '--only-command: nobody else' only command '^(sh|cpu_split|eddy) '

inside nested --only-command --root process -F 999 -- unshare -pf "$W/nofp/cpu_split" 0.4
ok 'nested: a process further in has a number here' whole nested 'cpu_split-[0-9]+'

# shellcheck disable=SC2016 # for the inner shell
timeout 120 unshare -pf --mount-proc sh -c '
	"$1/nofp/recursion" 3 >/dev/null & "$1/nofp/cpu_split" 3 >/dev/null &
	"$0" record -o "$2/pid.folded" --root process -F 999 -d 0.6 -p $! 2>"$2/pid.err"
	echo "pid $!" >"$2/pid.out"
	"$0" record -o "$2/tid.folded" --root thread -F 999 -d 0.6 -t $! 2>"$2/tid.err"
	kill %1 %2' "$EDDY" "$PWD/$W" "$T" 2>/dev/null
pid=$(awk '{ print $2 }' "$T/pid.out")
accounts pid
ok '-p: that process' whole pid "cpu_split-$pid"
ok '-p: nobody else' only pid "^[^ ]*-$pid "
accounts tid
ok '-t: nobody else' only tid "^[^ ]*-$pid/$pid "

# /proc of before: its numbers count, the command's too.
timeout -k 5 60 unshare -pf "$EDDY" record -o "$T/proc.folded" --only-command --root process -F 999 \
	-- "$W/nofp/cpu_split" 0.4 >"$T/proc.out" 2>"$T/proc.err"
accounts proc
ok '/proc of outside: whole, by the number there' whole proc 'cpu_split-[0-9]+'
finish
