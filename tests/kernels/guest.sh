#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the emulator (GUEST is set) or, for this machine's own kernel, in a mount namespace of its
# own: captures of workloads with known truth into this directory, judged outside (row.sh).
#
# How fast the emulator is depends on what else its machine does, and a CPU that waits gets fewer
# samples.  So nothing is done for a time: each capture is repeated for twice as long, until it has
# the samples that a judgement needs.
# shellcheck disable=SC2086 # $memory: options, or nothing
uname -r >kernel
cut -d ' ' -f 1 /proc/uptime >booted

# say TEXT: on the console, where somebody waits for a sign of life.
say() {
	echo "$(cut -d ' ' -f 1 /proc/uptime) $*" >>steps
	if [ -n "$GUEST" ]; then echo "$*" >/dev/console; fi
}

# record NAME ARG...
record() {
	name=$1
	shift
	say "$name"
	timeout 240 eddy record -o "$name.folded" "$@" >"$name.out" 2>"$name.err"
	echo $? >"$name.rc"
}

# lines NAME PATTERN: samples of the stacks that match
lines() {
	re=$2 awk '$0 ~ ENVIRON["re"] { n += $NF } END { print n + 0 }' "$1.folded" 2>/dev/null
}

# attempt NAME SECONDS ARG...: records; where an ARG is @, the SECONDS stand
attempt() {
	name=$1 s=$2
	shift 2
	n=$#
	for arg; do
		[ "$arg" = @ ] && arg=$s
		set -- "$@" "$arg"
	done
	shift "$n"
	record "$name" "$@"
}

# enough NAME SAMPLES PATTERN SECONDS ARG...: until so many samples match
enough() {
	e_name=$1 e_want=$2 e_re=$3 e_seconds=$4 e_tries=0
	shift 4
	while [ $e_tries -lt 6 ]; do
		attempt "$e_name" "$e_seconds" "$@"
		[ "$(lines "$e_name" "$e_re")" -lt "$e_want" ] || break
		e_tries=$((e_tries + 1))
		e_seconds=$(awk "BEGIN { print $e_seconds * 2 }")
	done
}

# The sampler that eddy holds, and the same by other compilers; all configurations where that is
# not slow.
configurations=-a
[ -z "$GUEST" ] || configurations=
objects=$(dirname "$(command -v verify)")
for object in "$objects"/*.bpf.o; do
	name=${object##*/}
	say "verify $name"
	verify $configurations "$object" >"${name%.bpf.o}.verified" 2>&1
	echo $? >"${name%.bpf.o}.verified.rc"
done
if [ -n "$GUEST" ]; then
	# Emulated time is slow: the kernel would lower the rate.
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	# What Debian's kernels know and others do not: only who may is let in.
	echo 3 >/proc/sys/kernel/perf_event_paranoid
fi
say doctor
eddy doctor >doctor.out 2>&1
echo $? >doctor.rc
# Where the kernel allows less than what doctor tries.
if [ -n "$GUEST" ]; then
	sys=/proc/sys/kernel
	percent=$(cat $sys/perf_cpu_time_max_percent) rate=$(cat $sys/perf_event_max_sample_rate)
	echo 25 >$sys/perf_cpu_time_max_percent # else the kernel does not take a rate
	echo 500 >$sys/perf_event_max_sample_rate
	eddy doctor >slow.doctor 2>&1
	echo "$rate" >$sys/perf_event_max_sample_rate
	echo "$percent" >$sys/perf_cpu_time_max_percent
fi

# ---- what is known about the workloads --------------------------------------------------------

enough split 150 ';split_caller;' 0.6 -F 499 --only-command -- split_nofp @
enough deep 100 ';at_the_bottom' 0.4 -F 499 --only-command -- recursion_nofp @ 100
enough fp 150 ';split_caller;' 0.6 --unwind fp -F 499 --only-command -- cpu_split @
enough guarded 100 ';chain_leaf' 0.4 -F 499 --only-command -- c_guarded @
enough signal 5 ';tiny;.*;handler' 0.5 -F 499 --only-command -- c_signal @
enough vdso 100 ';clock_reader' 0.4 -F 499 --only-command -- c_vdso @
enough plt 100 ';plt_caller' 0.4 -F 499 --only-command -- c_plt @
enough syscalls 100 ';read_zeroes;' 0.4 -F 499 --only-command -- syscalls @
enough flood 20 '^flood_.*;net_rx_action_' 0.8 -F 499 --irq keep -- irq_udp_flood @
record switches -e sched:sched_switch -c 1 -- cpu_split 0.1
# Its table is there before: how long an emulator takes to make one is not what is judged.
waits_nofp hold &
hold=$!
until readlink "/proc/$hold/exe" | grep -q waits_nofp; do sleep 0.05; done
record waits --off-cpu --only-command -- waits_nofp 1000
kill "$hold"
record faults --timeline --unwind fp -e page-faults -c 1 --only-command -- many_stacks faults 2000

# ---- kernel stacks against the kernel's own ----------------------------------------------------

# kernel_stacks NAME: until there were some, while the kernel does many things.
kernel_stacks() {
	for k_seconds in 1 4 16; do
		say "$1"
		k_pids=
		for k_load in syscalls process_storm irq_udp_flood; do
			$k_load 100 >/dev/null 2>&1 &
			k_pids="$k_pids $!"
		done
		timeout 120 kernel_check $k_seconds 499 >"$1.check" 2>"$1.err"
		kill $k_pids
		wait
		[ "$(sed -n 's/.* task \([0-9]*\) .*/\1/p' "$1.check")" -lt 60 ] || break
	done
}
kernel_stacks kernel
# Where a return address is not the caller's, because the return is probed or traced: the kernel must
# be asked.
tracing=/sys/kernel/tracing
if [ -n "$GUEST" ] && echo 'r:eddy_test/read vfs_read' >$tracing/kprobe_events; then
	echo 1 >$tracing/events/eddy_test/read/enable
	kernel_stacks probed
	echo 0 >$tracing/events/eddy_test/read/enable
	echo >$tracing/kprobe_events
fi
if [ -n "$GUEST" ] && echo vfs_read >$tracing/set_graph_function &&
	echo function_graph >$tracing/current_tracer; then
	kernel_stacks graphed
	echo nop >$tracing/current_tracer
fi
# Where the kernel gives fewer frames than there are.  The sysctl cannot be written while somebody
# takes stacks, and the programs of before are freed some time after their end.
max_stack() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		echo "$1" 2>/dev/null >/proc/sys/kernel/perf_event_max_stack && return
		sleep 1
	done
	return 1
}
if [ -n "$GUEST" ] && max_stack 12; then
	kernel_stacks shallow
	enough shallow_flood 20 '^flood_.*;net_rx_action_' 0.8 -F 499 --irq keep -- irq_udp_flood @
	max_stack 127
fi

# ---- processes that come and go ---------------------------------------------------------------

# Those that end before the program's table has come have no names: more samples than there can be such.
enough storm 300 ';storm_child_work' 1.2 -F 999 --only-command -- process_storm @
# A counter of the CPU (0x11: its cycles) by the terms that sysfs has; an emulated arm64 has one.
pmu=$(find /sys/bus/event_source/devices/ -name 'armv8_*' | head -n 1)
if [ -n "$pmu" ]; then
	enough counter 100 ';split_caller;' 1 -e "${pmu##*/}/event=0x11/u" -c 4000000 --only-command -- \
		split_nofp @
fi

# shellcheck disable=SC2016
enough exec 150 '^(split_nofp|recursion_nofp);' 0.3 -F 499 --only-command -- sh -c '
	for i in 1 2 3 4 5 6; do
		split_nofp 0.05
		recursion_nofp 0.05 10
	done
	exec split_nofp "$0"' @

# ---- CPUs that come and go --------------------------------------------------------------------

# hotplug NAME AWAY WORK: a CPU is away for so many seconds, and what works on it then is sampled.
# eddy looks once a second, so 0 is between two looks.
hotplug() {
	# shellcheck disable=SC2016
	enough "$1" 30 '^cpu-1;.*;split_caller;' "$3" -F 499 --root cpu -- sh -c '
		cpu_split 0.2 &
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep "$1"
		echo 1 >/sys/devices/system/cpu/cpu1/online
		taskset 2 split_nofp "$0"
		wait' @ "$2"
}
if [ -n "$GUEST" ]; then
	hotplug away 2.5 1
	hotplug blink 0 2
fi

# ---- places where something is not allowed -----------------------------------------------------

# place NAME COMMAND [ARG]...: a capture under the command; the workload's name must be in it
place() {
	name=$1
	shift
	for p_seconds in 0.2 0.8 3.2 12.8; do
		say "$name"
		timeout 240 "$@" eddy record -F 499 -o "$name.folded" -- split_nofp $p_seconds \
			>"$name.out" 2>"$name.err"
		echo $? >"$name.rc"
		[ -e "$name.folded" ] || break
		[ "$(lines "$name" ';main;split_caller;')" -eq 0 ] || break
	done
}
chmod 777 .
caps=bpf,perfmon,syslog,sys_ptrace,dac_read_search,checkpoint_restore
memory= # before 5.11 maps count as locked memory
case $(uname -r) in 5.10.*) memory="-m 1073741824" ;; esac
if [ -n "$GUEST" ]; then
	place paranoid confine $memory -u 65534 -k $caps
	confine $memory -u 65534 -k $caps eddy doctor >paranoid.doctor 2>&1
	echo 2 >/proc/sys/kernel/perf_event_paranoid
fi
place noresource confine $memory -d sys_resource
place user confine $memory -u 65534 -k $caps
place nocaps confine $memory -u 65534
place nobpfcap confine $memory -u 65534 -k ${caps#bpf,}
place noperfmon confine $memory -u 65534 -k bpf,syslog
place nobpf confine -r bpf
place noperf confine -r perf_event_open
# shellcheck disable=SC2016
place nobtf unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' -
for name in nocaps nobpf nobtf; do
	case $name in
	nocaps) set -- confine -u 65534 ;;
	nobpf) set -- confine -r bpf ;;
	*) set -- unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' - ;;
	esac
	"$@" eddy doctor >$name.doctor 2>&1
done

# Where nobody may raise limits; before 5.11 BPF maps count as locked memory, and what the message
# advises must work.
place limit confine -m 8388608 -d sys_resource
# The memory of maps is given back some time after their program's end.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	[ -e limit.folded ] && break
	sleep 1
	name=small
	confine -m 8388608 -d sys_resource eddy record --unwind fp --map-memory 1M -o small.folded \
		-- cpu_split 0.2 >small.out 2>small.err
	echo $? >small.rc
	[ -e small.folded ] && break
done

# The last, for it cannot be taken back.
if [ -n "$GUEST" ] && [ -w /sys/kernel/security/lockdown ]; then
	for mode in integrity confidentiality; do
		echo $mode >/sys/kernel/security/lockdown
		place $mode
		eddy doctor >$mode.doctor 2>&1
	done
fi
cut -d ' ' -f 1 /proc/uptime >ended
