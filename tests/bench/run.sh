#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/bench/run.sh [NAME]...: runs the benchmarks, all or those named (bench_NAME).  They print
# figures and what they mean, and assert nothing.  Settings of the machine that a benchmark
# changes are put back whatever happens.  BENCH_SECONDS (3600): one that takes longer is given up.
set -u
cd "$(dirname "$0")/../.." || exit 1
export B=${B:-build}
export LC_ALL=C.UTF-8

declare -A saved
for name in kernel.bpf_stats_enabled kernel.perf_event_paranoid kernel.kptr_restrict \
	kernel.perf_event_max_sample_rate kernel.perf_cpu_time_max_percent; do
	file=/proc/sys/${name//./\/}
	[[ -r $file ]] && saved[$file]=$(<"$file")
done
restore() {
	local file
	for file in "${!saved[@]}"; do
		[[ $(<"$file") == "${saved[$file]}" ]] || echo "${saved[$file]}" >"$file"
	done
}
trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "machine: $(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), Linux $(uname -r)"
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg) (figures of a busy machine are worth less)"

failed=0
for what in tests/bench/bench_*; do
	name=${what#tests/bench/bench_}
	name=${name%.*}
	if (($#)) && [[ " $* " != *" $name "* ]]; then continue; fi
	echo
	echo "== $name"
	case $what in
	*.sh) timeout -k 10 "${BENCH_SECONDS:-3600}" bash "$what" </dev/null || failed=1 ;;
	*.c) timeout -k 10 "${BENCH_SECONDS:-3600}" "$B/bench/bench_$name" </dev/null || failed=1 ;;
	esac
	restore
done
((failed == 0)) || echo "a benchmark could not finish"
exit $failed
