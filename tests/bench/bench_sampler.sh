#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a sample costs in the kernel: eddy, a minimal program that only counts stacks (minimal.bpf.c)
# and bpftrace's one-liner, in turn, at 999 Hz under the mixed load; run_time_ns / run_cnt of each
# program as the kernel counts them.  ROUNDS and SECONDS_EACH change how long it takes.
. tests/bench/lib.sh
need_root
rounds=${ROUNDS:-3} seconds=${SECONDS_EACH:-8}
PATH=$PATH:/usr/sbin

# The programs that a process or its children hold open; other people's are none of our business.
programs() {
	local pids id
	pids="$1 $(ps -o pid= --ppid "$1")"
	for id in $(for pid in $pids; do cat /proc/"$pid"/fdinfo/* 2>/dev/null; done |
		awk '$1 == "prog_id:" { print $2 }' | sort -un); do
		bpftool -j prog show id "$id" 2>/dev/null |
			jq -r '"\(.type) \(.name // "-") \(.run_time_ns // 0) \(.run_cnt // 0)"'
	done
}
# measure TOOL COMMAND...: appends "TOOL NS_PER_RUN RUNS" (perf events) and "TOOL/name ..." (others)
measure() {
	local tool=$1 pid
	shift
	"$@" >"$T/$tool.out" 2>"$T/$tool.err" &
	pid=$!
	sleep $((seconds - 2))
	programs $pid >"$T/programs"
	wait $pid
	awk -v tool="$tool" '
		$1 == "perf_event" { ns += $3; n += $4; next }
		$4 { printf "%s/%s %.0f %d\n", tool, $2, $3 / $4, $4 }
		END { if (n) printf "%s %.0f %d\n", tool, ns / n, n }' "$T/programs" >>"$T/measured"
}

load_start
stats_on
for ((round = 0; round < rounds; round++)); do
	measure eddy-fp "$EDDY" record -F 999 --unwind fp -d "$seconds" -o "$T/eddy.folded"
	measure minimal "$B/bench/minimal" "$B/bench/minimal.bpf.o" 999 "$seconds"
	if have bpftrace; then
		measure bpftrace timeout -k 5 -s INT "$seconds" bpftrace -e 'profile:hz:999 { @[kstack, ustack, comm] = count(); }'
	fi
	measure eddy-auto "$EDDY" record -F 999 -d "$seconds" -o "$T/eddy.folded"
done
load_stop
echo "BPF ns per run at 999 Hz, mixed load, $rounds rounds of $seconds s in turn:"
for tool in $(cut -d' ' -f1 "$T/measured" | sort -u); do
	awk -v t="$tool" '$1 == t { print $2 }' "$T/measured" >"$T/one"
	printf '  %-22s median %6.0f, least %6.0f   (ns/runs: %s)\n' "$tool" "$(median <"$T/one")" \
		"$(sort -n "$T/one" | head -n 1)" \
		"$(awk -v t="$tool" '$1 == t { printf "%s/%s ", $2, $3 }' "$T/measured")"
done
