#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel stacks that the sampler walks by itself are the kernel's own: all of them are compared, at
# the moment of the sample, while the machine does many different things.
. tests/tap.sh
. tests/live/live.sh
need_sampling
check=$PWD/${B:-build}/live/kernel_check

load() {
	"$W/syscalls" 9 &
	"$W/process_storm" 9 &
	"$W/irq_udp_flood" 9 &
	"$W/many_stacks" faults 200000 &
	timeout 9 find / -xdev &
	timeout 9 sh -c 'while :; do tar -c tests user | gzip -1 | cat; done' &
	timeout 9 python3 -c 'while True: sorted(range(100000), key=lambda x: -x)' &
} >"$T/load.out" 2>&1
load
timeout -k 5 60 "$check" 8 1999 >"$T/out" 2>"$T/err"
equal 'kernel_check: exit status' 0 $?
for pid in $(jobs -p); do kill "$pid"; done 2>/dev/null
wait
echo "# note: $(cat "$T/out" "$T/err")"
of() { sed -n "s/.*\\b$1 \\([0-9]*\\).*/\\1/p" "$T/out"; }

ok 'samples in kernel mode came' test "$(of task)" -ge 100
if [[ $(of tables) == 1 ]]; then
	equal 'all that were walked were compared' "$(of walked)" "$(of checked)"
	equal 'none differs from what the kernel gives' 0 "$(of differed)"
	ok "of $(of task) on the stacks of tasks $(of walked) were walked" most 90 "$(of walked)" "$(of task)"
else
	skip 'kernel stacks walked' 'this kernel has no ORC tables, or does not tell where'
	equal 'without tables none is walked' 0 "$(of walked)"
fi

# Other events: those that the scheduler raises bring no registers to walk from.
work() {
	python3 -c 'import os, time
for i in range(300): os.sched_setaffinity(0, {i % os.cpu_count()}); time.sleep(0.001)' &
	"$W/process_storm" 2 &
	timeout 2 find /usr -xdev &
	wait
} >"$T/work.out" 2>&1
for event in context-switches cpu-migrations cgroup-switches page-faults minor-faults major-faults \
	alignment-faults emulation-faults task-clock sched:sched_switch raw_syscalls:sys_enter; do
	period=1
	[[ $event == task-clock ]] && period=1000000
	work &
	timeout -k 5 60 "$check" 2 $period $event >"$T/out" 2>"$T/err"
	rc=$?
	wait
	if [[ $rc == 1 ]] && grep -q 'no counter\|no event\|tracefs\|tracepoint' "$T/err"; then
		skip "$event" "$(cat "$T/err")"
		continue
	fi
	echo "# note: $event: $(cat "$T/out" "$T/err")"
	equal "$event: no stack that was walked differs from the kernel's" '0 0' "$rc $(of differed)"
done

# What a capture says of it.
record plain -v -F 499 -- "$W/syscalls" 1.5
equal 'record: exit status' 0 "$rc"
accounts plain
line=$(grep 'kernel stacks:' "$T/plain.err")
ok "-v tells: ${line#eddy: }" grep -qE '^eddy: kernel stacks: [0-9]+ walked by eddy, [0-9]+ of them compared .*, 0 differed$' <<<"$line"
finish
