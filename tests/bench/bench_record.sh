#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a capture costs outside the BPF program, and what it loses: eddy, perf record + perf script,
# and bpftrace, in turn, 20 s at 999 Hz under the mixed load, medians.  Then memory by number of
# distinct stacks.  ROUNDS and SECONDS_EACH change how long it takes.
. tests/bench/lib.sh
need_root
rounds=${ROUNDS:-3} seconds=${SECONDS_EACH:-20}

now() { date +%s%N; }
wall_ms() { awk '{ for (i = 1; i < NF; i++) if ($i == "wall") print $(i + 1) * 1000 }' "$1" | tail -1; }

run_eddy() {
	local from to
	from=$(now)
	"$B/bench/usage" "$T/eddy.usage" "$EDDY" record -F 999 -d "$seconds" -o "$T/eddy.folded" 2>"$T/eddy.err"
	to=$(now)
	jq -r --argjson from "$from" --argjson to "$to" '
		def ms: (sub("\\.[0-9]+Z$"; "Z") | fromdate) * 1000 + (capture("\\.(?<f>[0-9]{3})Z$").f | tonumber);
		"begin_ms \((.start | ms) - $from / 1e6) finish_ms \($to / 1e6 - (.end | ms)) " +
		"due \(.samples.due) delivered \(.samples.delivered) lost \(.samples.lost) " +
		"stacks \(.distinct_stacks) named \(.frames.user_named / ([.frames.user, 1] | max) * 100)"' \
		"$T/eddy.folded.json" >>"$T/eddy.facts"
}
run_perf() {
	local n lost
	rm -f "$T/perf.data"
	"$B/bench/usage" "$T/perf-record.usage" perf record -q -e cpu-clock -F 999 -a -g -N -o "$T/perf.data" \
		-- sleep "$seconds" >/dev/null 2>&1
	"$B/bench/usage" "$T/perf-script.usage" perf --buildid-dir "$T/buildid" script --no-inline \
		-F comm,pid,ip,sym -i "$T/perf.data" >"$T/perf.script" 2>/dev/null
	n=$(grep -c '^$' "$T/perf.script")
	lost=$(perf report --stats -i "$T/perf.data" 2>/dev/null | awk '/LOST/ { n += $NF } END { print n + 0 }')
	echo "delivered $n lost $lost" >>"$T/perf.facts"
}
run_bpftrace() {
	"$B/bench/usage" "$T/bpftrace.usage" timeout -s INT "$seconds" bpftrace \
		-e 'profile:hz:999 { @[kstack, ustack, comm] = count(); }' >"$T/bpftrace.out" 2>"$T/bpftrace.err"
	echo "delivered $(awk '/\]: [0-9]+$/ { n += $NF } END { print n + 0 }' "$T/bpftrace.out")" \
		"lost $(grep -hoE 'Lost [0-9]+|stack_map_[a-z]*|Failed to lookup' "$T/bpftrace.err" "$T/bpftrace.out" | wc -l)" \
		>>"$T/bpftrace.facts"
}

load_start
for ((round = 0; round < rounds; round++)); do
	run_eddy
	if have perf; then run_perf; fi
	if have bpftrace; then run_bpftrace; fi
done
load_stop

row() {
	local name=$1 usage=$2 facts=$3
	[[ -e $usage ]] || return 0
	printf '  %-12s %8s %8s %8.1f %10s %6s\n' "$name" "$(field user <"$usage" | median)" "$(field system <"$usage" | median)" \
		"$(field rss_kib <"$usage" | median | awk '{ print $1 / 1024 }')" \
		"$([[ -e $facts ]] && field delivered <"$facts" | median)" "$([[ -e $facts ]] && field lost <"$facts" | median)"
}
echo "$seconds s at 999 Hz, $(nproc) CPUs, mixed load, medians of $rounds:"
printf '  %-12s %8s %8s %8s %10s %6s\n' tool 'user s' 'system s' 'RSS MiB' samples lost
row eddy "$T/eddy.usage" "$T/eddy.facts"
row 'perf record' "$T/perf-record.usage" "$T/perf.facts"
row 'perf script' "$T/perf-script.usage" ''
row bpftrace "$T/bpftrace.usage" "$T/bpftrace.facts"
echo "  eddy: due $(field due <"$T/eddy.facts" | median), distinct stacks $(field stacks <"$T/eddy.facts" | median)," \
	"user frames named $(field named <"$T/eddy.facts" | median | cut -c1-5) %"
echo "  eddy: sampling begins $(field begin_ms <"$T/eddy.facts" | median | cut -d. -f1) ms after the start (aim: 150)," \
	"the file is finished $(field finish_ms <"$T/eddy.facts" | median | cut -d. -f1) ms after the end (aim: 250)"
for tool in perf-script bpftrace; do
	[[ -e $T/$tool.usage ]] || continue
	wall=$(field wall <"$T/$tool.usage" | median)
	[[ $tool == bpftrace ]] && wall=$(awk -v w="$wall" -v s="$seconds" 'BEGIN { print w - s }')
	echo "  $tool: from the end to text $(awk -v w="$wall" 'BEGIN { printf "%.0f", w * 1000 }') ms"
done

echo "memory and time by distinct stacks (many_stacks faults N, one page fault each):"
for n in 20000 100000; do
	"$B/bench/usage" "$T/$n.usage" "$EDDY" record -e page-faults -c 1 --only-command -o "$T/$n.folded" \
		-- "$B/workloads/many_stacks" faults $n >/dev/null 2>&1
	printf '  %7d stacks: RSS %5.1f MiB, user %s s, system %s s, lost %s\n' $n \
		"$(field rss_kib <"$T/$n.usage" | awk '{ print $1 / 1024 }')" "$(field user <"$T/$n.usage")" \
		"$(field system <"$T/$n.usage")" "$(jq .samples.lost "$T/$n.folded.json")"
done
