#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy record --off-cpu: threads that wait in known ways, with and without frame pointers.  The
# truth is what each thread says of itself (tests/live/workloads/waits.c), by its clocks and by the
# kernel's account of run queues.
. tests/tap.sh
. tests/live/live.sh
need_sampling
if [[ $(uname -r) != @([6-9]|[1-9][0-9]).* && $(uname -r) != 5.1* ]]; then
	skip 'waiting' 'no task iterator'
	finish
fi

# whole FILE: the counts of the file and its .json are one sum, in microseconds; lost is only what the
# kernel did not tell.
# shellcheck disable=SC2317 # called by ok
whole() {
	local sum
	sum=$(samples "$1")
	jq -e --argjson sum "$sum" '.unit == "microseconds" and (.samples | .kept + .lost == $sum and
		.sleep + .io + .disk_sleep + .stopped + .runqueue + .preempted + .on_cpu + .unsampled == .kept) and
		(.samples.lost - (.losses.switch // 0) | . > -2 and . < 2)' "$1.json" >/dev/null
}
# judge FOLDED OUT: "NAME what eddy truth" for each thread whose time is not what it says: all of it with
# its CPU time within 1 % of its life and 10 ms (what it waits just before it has its name, and what it
# ran at its end, stand under another one), blocked and runnable within 2 %.  Those that play ping-pong
# wait some 50 000 times a second: the kernel's clock and eddy's are read 0.2 us apart each time.  And for
# so long as a thread may have been preempted between its clocks and its name, there is no truth; nor
# is there of what was blocked where the kernel told no wake-up.
judge() {
	awk -v folded="$1" -v is_wall="${3:-}" -v unwoken="$(jq '.samples.unwoken // 0' "$1.json")" '
	function far(name, what, got, want, wall) {
		most = wall * (name ~ /p[io]ng/ ? 0.03 : what == "identity" ? 0.01 : 0.02) + 10000 + slack
		if (what == "blocked" || what == "runnable") most += unwoken
		if (got - want > most || want - got > most)
			printf "%s %s %d %d of %d\n", name, what, got, want, wall
	}
	BEGIN {
		while ((getline line < folded) > 0) {
			us = line
			sub(/.* /, "", us)
			stack = substr(line, 1, length(line) - length(us) - 1)
			n = split(stack, frame, ";")
			if (frame[n] == "[runqueue]" || frame[n] == "[preempted]")
				runnable[frame[1]] += us
			else if (frame[n] ~ /^\[(sleep|io|disk-sleep|stopped)\]$/)
				blocked[frame[1]] += us
			else
				on_cpu[frame[1]] += us
		}
	}
	$1 == "truth" {
		wall = $3 / 1000; cpu = $4 / 1000; run = $5 / 1000; slack = $6 / 1000; nr++
		far($2, "runnable", runnable[$2], run, wall)
		far($2, "blocked", blocked[$2], wall - cpu - run, wall)
		if (is_wall)
			far($2, "on CPUs", on_cpu[$2], cpu, wall)
		else
			on_cpu[$2] = cpu
		far($2, "identity", on_cpu[$2] + blocked[$2] + runnable[$2], wall, wall)
	}
	END { if (nr != 13) print nr " threads" }' "$2"
}
# mostly NAME FILE THREAD FRAME...: nine tenths of the thread's time are at these frames.
mostly() {
	local name=$1 file=$2 thread=$3 all part
	all=$(samples "$file" "$thread") part=$(samples "$file" "${@:3}")
	ok "$name: ${*:3}: $part of $all us" test $((all > 100000 && part * 10 > all * 9)) = 1
}

# Their tables are there before: how long it takes to make one on a busy machine is not what is judged.
holders=()
for program in "$W/waits" "$W/nofp/waits"; do
	"$program" hold &
	holders+=($!)
	until_true 20 grep -q waits "/proc/$!/comm"
done
trap 'kill "${holders[@]}"; rm -rf "$T"' EXIT
for kind in fp nofp; do
	program=$W/waits
	[[ $kind == nofp ]] && program=$W/nofp/waits
	record $kind --off-cpu -- "$program" 2000
	file=$T/$kind.folded
	equal "$kind: exit status" 0 "$rc"
	ok "$kind: the file is all that was measured" whole "$file"
	equal "$kind: blocked, runnable, and the whole life of each thread" '' "$(judge "$file" "$T/$kind.out")"
	mostly $kind "$file" w-nanosleep start_thread wait_nanosleep pause_ns
	mostly $kind "$file" w-futex start_thread wait_futex
	mostly $kind "$file" w-epoll start_thread wait_epoll
	mostly $kind "$file" w-spin-1 start_thread wait_spinning '[preempted]'
	mostly $kind "$file" w-yield start_thread wait_yielding '[preempted]'
	ok "$kind: a mutex: its holder's sleeps" test "$(samples "$file" w-mutex wait_mutex '[sleep]')" -gt 800000
	# One read for as long as all of a thousand short ones: as much, and who writes may wait for a CPU.
	once=$(samples "$file" w-reads wait_read_once '[sleep]')
	often=$(samples "$file" w-reads wait_read_often)
	ok "$kind: one long read, $once us, many short ones, $often us" awk -v a="$once" -v b="$often" \
		'BEGIN { exit !(a > 980000 && a < 1200000 && b > 900000 && b < 1200000) }'
	stopped=$(samples "$file" w-stopped '[stopped]')
	truth=$(awk '$1 == "stopped" { printf "%d", $3 / 1000 }' "$T/$kind.out")
	ok "$kind: stopped for $stopped us, in truth $truth" \
		test $((stopped > truth - 20000 && stopped < truth + 20000)) = 1
	ok "$kind: the scheduler's frames are kept, those of tracing are not" awk '
		/;schedule_\[k\];__schedule_\[k\];\[/ { n++ } /trace|bpf_prog/ { bad++; print } END { exit !(n > 20 && !bad) }' \
		<(grep '^w-' "$file")
done
ok 'the summary is one line of time' grep -qE '^eddy: [0-9.]+ s of waiting in [0-9.]+ s \([0-9]+ threads, [0-9]+ waits; ' "$T/fp.err"
ok 'a view says the unit' grep -qx 'counts: microseconds' <("$EDDY" report "$T/fp.folded")

# All the time of every thread: on-CPU + runnable + blocked = wall.
record wall --wall -F 499 --only-command -- "$W/nofp/waits" 1000
equal 'wall: exit status' 0 "$rc"
ok 'wall: the file is all that was measured' whole "$T/wall.folded"
equal 'wall: on CPUs, blocked, runnable: the whole life of each thread' '' \
	"$(judge "$T/wall.folded" "$T/wall.out" 1)"
all=$(samples "$T/wall.folded" w-spin-1) part=$(samples "$T/wall.folded" w-spin-1 start_thread wait_spinning)
ok "wall: a spinning thread spins or waits for its CPU: $part of $all" test $((part * 20 > all * 19)) = 1
ok "wall: $(json wall .samples.unsampled) us of threads that no sample met" jq -e \
	'.samples | .unsampled * 20 < .on_cpu and .on_cpu > 200000' "$T/wall.folded.json"
fails 'wall: no other event' 2 '*--event is of samples: not with --wall*' record --wall -e cycles -d 1 -o "$T/x"

# A process that sleeps from before the capture until after it: found, and charged for all of it.
sleep 60 &
asleep=$!
until_true 5 grep -q 'clock_nanosleep\|hrtimer_nanosleep\|do_nanosleep' "/proc/$asleep/wchan" || sleep 0.2
record asleep --off-cpu -p $asleep -d 1
equal 'a sleeper: all of the time, nobody else' \
	"$(samples "$T/asleep.folded")" "$(samples "$T/asleep.folded" sleep '[truncated]' '[sleep]')"
ok "a sleeper: $(json asleep .samples.sleep) us" jq -e '.samples.sleep > 990000 and .samples.sleep < 1100000 and
	.samples.threads == 1 and .user_stacks.broken.unseen == .samples.sleep' "$T/asleep.folded.json"
record nothing -p $asleep -d 0.3
ok 'who used no CPU: said, and what shows it' grep -q "used no CPU.*'eddy record --off-cpu'" "$T/nothing.err"
kill $asleep

# Filters, and waits that are left out.
record only --off-cpu --only-command --min-wait 5ms -- "$W/waits" 300
equal 'only the command' '' "$(grep -Ev '^(waits|w-[a-z0-9-]*|eddy);' "$T/only.folded")"
ok "--min-wait: $(json only .samples.short) us left out" jq -e '.samples.short > 100000' "$T/only.folded.json"
# But for those after which a CPU was waited for.
ok '--min-wait: short sleeps are not there' test "$(samples "$T/only.folded" w-nanosleep '[sleep]')" -lt 100000
record bare --off-cpu --comm w-futex --no-wait-marks -- "$W/waits" 300
ok '--no-wait-marks' awk '/\[(sleep|runqueue|preempted)\]/ || !/^w-futex;/ { exit 1 }' "$T/bare.folded"
record idle --off-cpu -K -d 0.5
record idler --off-cpu -K -I -d 0.5
ok "kernel threads that wait for work: $(json idle .samples.idle) us left out, kept with -I" \
	test $(($(json idle .samples.idle) > 1000000 && $(json idler .samples.idle) == 0 &&
	$(json idler .samples.sleep) > $(json idle .samples.sleep) + 1000000)) = 1
# What finds no room is lost with its time, and threads that come and go are followed.
record small --off-cpu --only-command --ring-memory 4K --map-memory 8K -- "$W/nofp/waits" 300
sum=$(samples "$T/small.folded")
# shellcheck disable=SC2016 # of jq
ok "small maps: $(json small .samples.lost) us are lost, all is there" jq -e --argjson sum "$sum" \
	'.samples.lost > 0 and .samples.kept + .samples.lost == $sum and
	(.losses | add) - .samples.lost < 3' "$T/small.folded.json"
record storm --wall --only-command -- "$W/fork_storm" 0.5
ok "a storm: $(json storm '"\(.samples.threads) threads, \(.samples.kept) us"')" jq -e \
	'.samples.threads > 200 and (.samples.unfollowed // 0) == 0 and .samples.lost <= (.losses.switch // 0) + 1' "$T/storm.folded.json"
fails 'no frequency' 2 '*--freq is of samples*' record --off-cpu -F 99 -d 1 -o "$T/x"
fails 'no CPU' 2 '*--cpu is of samples*' record --off-cpu -C 0 -d 1 -o "$T/x"
fails 'no --min-wait of samples' 2 '*--min-wait is of waits*' record --min-wait 1ms -d 1 -o "$T/x"
finish
