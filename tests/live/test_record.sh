#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy record as its manual page tells it: files, options, filters, signals, exit status.
# Beside the others: many short captures of programs that only spin.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# ---- files and the summary -------------------------------------------------------------------

mkdir "$T/files"
"$W/spin" 3 >/dev/null &
"$EDDY" record -F 199 -d 1 -o "$T/files/a.folded" -o "$T/files/b.txt" >"$T/files.out" 2>"$T/files.err"
equal 'record succeeds' 0 $?
cp "$T/files/a.folded" "$T/files.folded"
cp "$T/files/a.folded.json" "$T/files.folded.json"
accounts files
equal 'nothing but the files and their json' $'a.folded\na.folded.json\nb.txt\nb.txt.json' \
	"$(ls -A "$T/files")"
ok 'two outputs of one kind are equal' cmp "$T/files/a.folded" "$T/files/b.txt"
ok 'lines are sorted bytewise' env LC_ALL=C sort -c "$T/files.folded"
ok 'every line is frames, a space and a count' \
	awk '!/^[^;]([^;]|;[^;])* [1-9][0-9]*$/ { print; bad = 1 } END { exit bad }' "$T/files.folded"
ok 'no stack stands twice' awk '{ sub(/ [0-9]+$/, "") } seen[$0]++ { exit 1 }' "$T/files.folded"
ok 'kernel frames are marked' grep -q '_\[k\]' "$T/files.folded"
equal 'nothing on standard output' '' "$(cat "$T/files.out")"
ok 'the summary is one line' awk '
	/^eddy: [0-9]+ samples in 1\.[0-9] s \([0-9]+ CPUs? x 199 Hz; [0-9]+ expected, [0-9]+ idle, .*[0-9]+ lost\); stacks whole [0-9.]+ %, named [0-9.]+ %$/ { n++ }
	END { exit n != 1 || NR != 1 }' "$T/files.err"
equal 'the summary and the json agree' \
	"$(json files '"\(.samples.kept) \(.samples.due) \(.samples.idle) \(.samples.lost)"')" \
	"$(sed -nE 's/^eddy: ([0-9]+) samples in .*; ([0-9]+) expected, ([0-9]+) idle, .* ?([0-9]+) lost\).*/\1 \2 \3 \4/p' "$T/files.err")"
equal 'the json says what was done' "cpu-clock 199 $(uname -r)" \
	"$(json files '"\(.event) \(.freq_hz) \(.kernel)"')"
# As long as was asked for. The events ran from before the start to after the end, by less than once
# more.
ok 'start and end are a second apart, and samples were due for it' jq -e '
	def ms: (.[0:19] + "Z" | fromdate * 1000) + (.[20:23] | tonumber);
	((.end | ms) - (.start | ms)) as $ms | (.samples.due * 1000 / 199 / .cpus) as $due |
	$ms >= 999 and $ms <= $due + 12 and $ms > $due * 0.55' "$T/files.folded.json"
wait
few_descriptors() {
	(
		ulimit -Sn 24
		"$EDDY" record -F 199 -o "$T/few.folded" -- sh -c 'ulimit -Sn; exec "$0" 0.3' "$W/spin"
	) >"$T/few.out" 2>"$T/few.err"
}
ok 'a soft limit of 24 descriptors is no limit, and is still the command'"'"'s' few_descriptors
equal 'the limit that the command has' 24 "$(head -n 1 "$T/few.out")"

"$W/spin" 4 >/dev/null &
(cd "$T" && mkdir cwd && cd cwd && "$EDDY" record -d 0.5 >out 2>err)
equal 'without -o: eddy.folded here' $'eddy.folded\neddy.folded.json\nerr\nout' "$(ls -A "$T/cwd")"
ok 'without -o: the hottest functions on standard output' test -s "$T/cwd/out"
ok 'without -o: at most ten of them, and whose they are' awk '
	/^self %  incl % / { n = 1; next }
	/hottest path$/ { p = 1; next }
	/^[+]|^$/ { next }
	p { whose++; next }
	n { hot++ }
	END { exit !(hot > 0 && hot <= 10 && whose > 0 && whose <= 5) }' "$T/cwd/out"

"$EDDY" record -d 0.5 -o - >"$T/stdout" 2>"$T/stdout.err" -- "$W/spin" 0.3
ok '-o - writes folded text to standard output' grep -q 'spin_here' "$T/stdout"
(cd "$T/cwd" && "$EDDY" record -d 0.5 >out 2>err)
equal 'again: what was there is kept as .old' 'eddy.folded eddy.folded.json eddy.folded.old eddy.folded.old.json' \
	"$(cd "$T/cwd" && echo eddy.*)"
equal 'root made them for himself' '600' "$(stat -c %a "$T/cwd/"eddy.* | sort -u)"
for _ in 1 2; do
	(cd "$T/cwd" && "$EDDY" record -d 0.3 -o x.pb.gz -o x.html -o x.perf >out 2>err)
done
equal 'of any format' 'x.html x.html.old x.pb.gz x.pb.gz.old x.perf x.perf.old' "$(cd "$T/cwd" && echo x.*)"
(cd "$T/cwd" && TERM=xterm NO_COLOR='' script -qec "stty cols 40; '$EDDY' record -d 3.5 -o p.folded" \
	/dev/null </dev/null | tr -d '\n' >screen)
ok 'on a terminal: how far it is, cut to its width' \
	grep -qE $'\r[123] of 3.5 s, [0-9]+ taken; Ctrl-C stops\e\\[K' "$T/cwd/screen"
ok 'and then one line of what there is' grep -qE $'\r\e\\[Keddy: [0-9]+ samples in 3[.][5-9] s' "$T/cwd/screen"
ok 'and what was hot, though a file was named' grep -qE 'self %  incl %.*function.*process' \
	"$T/cwd/screen"
before=$(cksum <"$T/cwd/eddy.folded")
(cd "$T/cwd" && "$EDDY" record -d 0.3 --comm nobody-at-all >out 2>err)
equal 'a capture of nothing does not take its place: status' 1 $?
ok 'and says so' grep -q 'eddy.folded: stays as it was: nothing was sampled' "$T/cwd/err"
equal 'and it is as it was' "$before" "$(cksum <"$T/cwd/eddy.folded")"
equal 'nothing is never 100 %' 0 "$(grep -c '100.0 %' "$T/cwd/err")"
record over -d 0.3 -- sh -c 'sleep 3; exit 3'
equal '-d ends sampling, not the command' 3 "$rc"
ok 'and says so' grep -q "^eddy: -d is over: 'sh' runs on and is not sampled any more" "$T/over.err"
record bare --no-sidecar -I -d 0.3
equal '--no-sidecar' 0 "$rc"
ok '--no-sidecar writes no json' test ! -e "$T/bare.folded.json"

# ---- a command -------------------------------------------------------------------------------

record status -- sh -c 'exit 7'
equal 'the exit status of the command' 7 "$rc"
accounts status
record command -- "$W/spin" 0.5
equal 'a command that ends well' 0 "$rc"
ok 'the command is in the file' grep -q '^spin;.*spin_here' "$T/command.folded"
record nocommand -- /nonexistent/command
ok 'a command that cannot be run is said so' grep -q '^eddy: .*nonexistent' "$T/nocommand.err"
ok 'and its exit status is not 0' test "$rc" != 0
record only --irq keep --only-command -- sh -c "'$W/spin' 0.4; '$W/threads' 0.4; :"
equal '--only-command succeeds' 0 "$rc"
accounts only
ok '--only-command: the children are there' grep -q '^spin;' "$T/only.folded"
ok '--only-command: their threads are there' grep -q 'thread_forty' "$T/only.folded"
ok '--only-command: nothing else is' \
	awk '!/^(sh|spin|threads|worker-[0-9]+|eddy|\[)/ { print; bad = 1 } END { exit bad }' "$T/only.folded"

# ---- signals ---------------------------------------------------------------------------------

# Started with & in a script, a job has SIGINT ignored: eddy must still hear it.
# ends SIGNAL NAME SECONDS: starts a capture and ends it so much later; sets $rc
ends() {
	local pid
	"$EDDY" record -d 60 -o "$T/$2.folded" >/dev/null 2>"$T/$2.err" &
	pid=$!
	sleep "$3"
	kill -"$1" $pid
	wait $pid
	rc=$?
}
"$W/spin" 0 >/dev/null &
load=$!
for signal in INT TERM; do
	name=sig$signal
	# How soon it begins depends on what else runs, too: one of these must do.
	for seconds in 1.2 2 4 8 16; do
		ends $signal $name $seconds
		((rc == 0)) || break
		grep -qs spin_here "$T/$name.folded" && break
	done
	equal "SIG$signal ends in order" 0 $rc
	# It waits for nothing: what it sampled ends where it was told.
	ok "SIG$signal: not at its end of 60 s" jq -e '
		def ms: (.[0:19] + "Z" | fromdate * 1000) + (.[20:23] | tonumber);
		(.end | ms) - (.start | ms) < 50000' "$T/$name.folded.json"
	accounts $name
	ok "SIG$signal: what was sampled is there" grep -q spin_here "$T/$name.folded"
done
kill $load
wait $load 2>/dev/null

# ---- filters ---------------------------------------------------------------------------------

"$W/spin" 0 >/dev/null &
spin=$!
"$W/syscalls" 0 >/dev/null &
syscalls=$!
trap 'kill $spin $syscalls 2>/dev/null; rm -rf "$T"' EXIT

# Interrupts that hit a task are among its samples: --irq keep leaves them on its stack.
# only NAME COMM...: every stack of the file belongs to one of these commands.
only() {
	local name=$1 comms
	shift
	comms=$(printf '%s|' "$@")
	re="^(${comms%|});" awk '!($0 ~ ENVIRON["re"]) { print; bad = 1 } { n++ } END { exit bad || !n }' "$T/$name.folded"
}
record pid --irq keep -F 499 -d 0.6 -p $spin
equal '-p' 0 "$rc"
accounts pid
ok '-p keeps that process only' only pid spin
record pids --irq keep -F 499 -d 0.6 -p "$spin,$syscalls"
accounts pids
ok '-p with a list keeps both' only pids spin syscalls
ok '-p with a list: both are there' test "$(cut -d';' -f1 "$T/pids.folded" | sort -u | wc -l)" = 2
record comm --irq keep -F 499 -d 0.6 --comm spin
accounts comm
ok '--comm keeps that name only' only comm spin
"$W/threads" 6 >"$T/threads.out" &
threads=$!
sleep 0.3
tid=$(awk '$2 == "worker-40" { print $3 }' "$T/threads.out")
record tid --irq keep -F 499 -d 0.8 -t "$tid"
accounts tid
ok '-t keeps that thread only' only tid worker-40
kill $threads
wait $threads 2>/dev/null

record user --irq keep -F 499 -d 0.6 -U
accounts user
ok '-U: no kernel frames' awk '/_\[k\]/ { bad = 1 } { n++ } END { exit bad || !n }' "$T/user.folded"
record kernel --irq keep -F 499 -d 0.6 -K
accounts kernel
ok '-K: no user functions' awk '/;(spin_here|main|read_zeroes)[; ]/ { bad = 1 } { n++ } END { exit bad || !n }' \
	"$T/kernel.folded"
record cpu --irq keep -F 499 -d 0.6 -C 0 --root cpu
accounts cpu
ok '-C keeps that CPU only' awk '!/^cpu-0;/ { print; bad = 1 } { n++ } END { exit bad || !n }' "$T/cpu.folded"

cgroup2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$cgroup2/eddy-test-$$
if [[ -n $cgroup2 ]] && mkdir "$group" 2>/dev/null; then
	echo $spin >"$group/cgroup.procs"
	record cgroup --irq keep -F 499 -d 0.6 -G "$group"
	equal '-G' 0 "$rc"
	accounts cgroup
	ok '-G keeps that group only' only cgroup spin
	record croot --irq keep -F 499 -d 0.6 -p $spin --root cgroup
	ok '--root cgroup' awk -v want="/eddy-test-$$;" \
		'index($0, want) != 1 { bad = 1; print } { n++ } END { exit bad || !n }' "$T/croot.folded"
	echo $spin >"$cgroup2/cgroup.procs"
	rmdir "$group"
else
	skip '-G' 'no cgroup2 where a group can be made'
fi

record root --irq keep -F 199 -d 0.5 -p $spin --root process
ok '--root process' awk -v want="spin-$spin;" 'index($0, want) != 1 { bad = 1; print } { n++ } END { exit bad || !n }' \
	"$T/root.folded"
record rootthread --irq keep -F 199 -d 0.5 -p $spin --root thread
ok '--root thread' awk -v want="spin-$spin/$spin;" 'index($0, want) != 1 { bad = 1; print } { n++ } END { exit bad || !n }' \
	"$T/rootthread.folded"
record rootnone --irq keep -F 199 -d 0.5 -p $spin --root none
ok '--root none' awk '/^spin;/ { bad = 1 } { n++ } END { exit bad || !n }' "$T/rootnone.folded"

# ---- events ----------------------------------------------------------------------------------

record count -c 2000000 -d 3 -p $spin
accounts count
# How much of a CPU the process gets is not ours to say; how many samples are due is: one every
# 2 ms of each CPU, from before the first moment of the capture to after its last.
ok "-c 2000000 ns of cpu-clock is 500 a second of each CPU" jq -e '
	def ms: (.[0:19] + "Z" | fromdate * 1000) + (.[20:23] | tonumber);
	((.end | ms) - (.start | ms)) as $ms | (.samples.due * 2 / .cpus) as $due |
	.period == 2000000 and .freq_hz == 0 and .samples.kept > 0
	and $ms <= $due + 5 and $ms > $due * 0.7' "$T/count.folded.json"
record taskclock -e task-clock -F 199 -d 0.6 -p $spin
equal '-e task-clock' '0 task-clock' "$rc $(json taskclock .event)"
accounts taskclock
record switches -e context-switches -c 1 -d 0.6
equal '-e context-switches' '0 context-switches' "$rc $(json switches .event)"
accounts switches
ok '-e context-switches samples' test "$(json switches .samples.kept)" -gt 10
# A tracepoint's program runs as long as it is attached: nothing may be counted after the end.
for i in 1 2 3; do
	record hits$i -e sched:sched_switch -d 0.3
	accounts hits$i
done
ok '-e subsystem:tracepoint samples' test "$(json hits1 .samples.kept)" -gt 10
record tenth -e sched:sched_switch -c 10 -d 0.3
accounts tenth
record nopoint -e sched:no_such_point -d 0.3
equal 'a tracepoint that is not there' '1 1' "$rc $(wc -l <"$T/nopoint.err")"
kill $spin $syscalls
wait $spin $syscalls 2>/dev/null
record faults -e page-faults -c 1 --only-command -- "$W/many_stacks" faults 2000 800
equal '-e page-faults' 0 "$rc"
accounts faults
# A program that is new: what came before its table is named when that is there, if the program lives
# until it was looked at.
n=$(samples "$T/faults.folded" stack_bottom)
unnamed=$(awk '/^many_stacks;\[truncated\];\[unknown\+0x[0-9a-f]+\] / { n += $NF } END { print n + 0 }' \
	"$T/faults.folded")
ok "each of 2000 page faults is a sample: $n, and $unnamed without a name" \
	test "$n" -le 2000 -a $((n + unnamed)) -ge 2000
ok 'and there are such with names' test "$n" -gt 0

# ---- wrong usage -----------------------------------------------------------------------------

# usage NAME WORD ARG...: exit status 2, one line that has the word, and no file.
usage() {
	local name=$1 word=$2
	shift 2
	"$EDDY" record -o "$T/usage.folded" -d 0.2 "$@" >"$T/usage.out" 2>"$T/usage.err"
	equal "$name: exit status and lines" '2 1 0' "$? $(wc -l <"$T/usage.err") $(wc -c <"$T/usage.out")"
	ok "$name: names $word" grep -qF -- "$word" "$T/usage.err"
	ok "$name: no file" test ! -e "$T/usage.folded"
}
usage 'unknown option' --frobnicate --frobnicate
usage 'frequency 0' 0 -F 0
usage 'frequency in letters' often -F often
usage 'duration' soon -d soon
usage 'process list' 12x -p 12x
usage 'CPU list' 3-1 -C 3-1
usage 'both -F and -c' -c -F 99 -c 1000
usage 'unknown root' family --root family
usage 'unknown irq mode' maybe --irq maybe
ok 'record --help' "$EDDY" record --help
finish
