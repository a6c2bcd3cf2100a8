# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the benchmarks: a scratch directory $T, the mixed load, medians.
#   load_start / load_stop   two spinning, one syscall-heavy, one storm of 5 ms processes
#   median                   of the numbers on standard input
#   field NAME               the value after NAME on the lines of standard input
B=${B:-build}
EDDY=$PWD/$B/eddy
T=$(mktemp -d "${TMPDIR:-/tmp}/eddy-bench.XXXXXX") || exit 1
load=()
cleanup() {
	load_stop
	[[ -z ${stats_before:-} ]] || echo "$stats_before" >/proc/sys/kernel/bpf_stats_enabled
	rm -rf "$T"
}
load_start() {
	"$B/workloads/spin" 0 >/dev/null &
	load+=($!)
	"$B/workloads/spin" 0 >/dev/null &
	load+=($!)
	"$B/workloads/syscalls" 0 >/dev/null &
	load+=($!)
	"$B/workloads/process_storm" 0 >/dev/null &
	load+=($!)
	sleep 0.5
}
load_stop() {
	((${#load[@]})) && kill "${load[@]}" 2>/dev/null && wait "${load[@]}" 2>/dev/null
	load=()
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# BPF statistics are switched on for the shell that calls this, and off again when it ends.
stats_on() {
	stats_before=$(</proc/sys/kernel/bpf_stats_enabled)
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
}
median() {
	sort -g | awk '{ v[NR] = $1 } END { if (!NR) print "-"; else print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
field() {
	awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) print $(i + 1) }'
}
have() { command -v "$1" >/dev/null || { echo "($1 is not here: tests/deps.sh bench)"; return 1; }; }
need_root() {
	[[ $(id -u) == 0 ]] || { echo "needs root"; exit 0; }
}
