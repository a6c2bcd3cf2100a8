#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the emulator: captures of workloads with known truth, judged outside (test_kernels.sh).
uname -r >kernel
cut -d ' ' -f 1 /proc/uptime >booted
# Emulated time is slow: the kernel would lower the rate.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

# record NAME ARG...
record() {
	name=$1
	shift
	timeout 30 eddy record -o "$name.folded" "$@" >"$name.out" 2>"$name.err"
	echo $? >"$name.rc"
}

verify >verified 2>&1
eddy doctor >doctor.out 2>&1
echo $? >doctor.rc
record split -F 499 --only-command -- split_nofp 0.8
record deep -F 499 --only-command -- recursion_nofp 0.4 100
record fp --unwind fp -F 499 --only-command -- cpu_split 0.4
record syscalls -F 499 --only-command -- syscalls 0.4
record flood -F 499 -- irq_udp_flood 0.8
record switches -e sched:sched_switch -c 1 -- cpu_split 0.1

# As where nobody may raise limits; before 5.11 BPF maps count as locked memory, and what the
# message advises must work.
# shellcheck disable=SC3045 # busybox knows it
ulimit -l 8192
as_limited="/t/setpriv --bounding-set -sys_resource --inh-caps -sys_resource"
$as_limited eddy record -d 0.2 -o limit.folded >limit.out 2>limit.err
echo $? >limit.rc
# The memory of maps is given back some time after their program's end.
for _ in 1 2 3 4 5; do
	[ -e limit.folded ] && break
	sleep 1
	$as_limited eddy record -d 0.2 --unwind fp --map-memory 1M -o small.folded >small.out 2>small.err
	echo $? >small.rc
	[ -e small.folded ] && break
done
cut -d ' ' -f 1 /proc/uptime >ended
