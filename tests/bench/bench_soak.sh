#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `eddy snapshot` for long: 10-second windows at 99 Hz under a mixed load while processes come and go.
# Prints memory, descriptors and CPU time over time, then what all windows add up to.
#   SOAK_SECONDS   how long (300; the full form is 1800)
#   SOAK_RATE      processes a second (300; the full form needs 56 for 100 000)
#   SOAK_EVERY     length of a window (10s)
. tests/bench/lib.sh
need_root
seconds=${SOAK_SECONDS:-300} rate=${SOAK_RATE:-300} every=${SOAK_EVERY:-10s}

"$B/workloads/spin" 0 >/dev/null &
load+=($!)
"$B/workloads/syscalls" 0 >/dev/null &
load+=($!)
mkdir "$T/programs"
"$B/bench/churn" "$rate" $((seconds + 2)) "$T/programs" >"$T/churn.out" &
churn=$!
load+=("$churn")
programs() { bpftool prog show -j 2>/dev/null | jq -c '[.[] | select(.name == "eddy_perf_event") | .id]'; }
before=$(programs)
"$EDDY" snapshot --dir "$T/out" --every "$every" -F 99 2>"$T/eddy.err" &
eddy=$!
load+=("$eddy")
sleep 2
# How often the program ran, by the kernel's own count: a name keeps the program for it when eddy ends.
trap 'umount "$T/bpf" 2>/dev/null; cleanup' EXIT
mkdir "$T/bpf"
mount -t bpf bpf "$T/bpf" && bpftool prog pin id "$(jq -n "$(programs) - $before | .[0]")" "$T/bpf/sampler"

ticks=$(getconf CLK_TCK)
cpu() { awk -v t="$ticks" '{ sub(/.*\) /, ""); print ($12 + $13) / t }' "/proc/$eddy/stat"; }
# All that is resident, and of that its own memory: the rest are the mapped ring and files.
rss() { awk '/^VmRSS/ { all = $2 } /^RssAnon/ { print all, $2 }' "/proc/$eddy/status"; }
echo "$every windows at 99 Hz, $(nproc) CPUs, $rate processes a second for $seconds s:"
echo "  second   RSS KiB   own KiB  descriptors  CPU s"
begin_cpu=$(cpu) begin=$SECONDS step=$((seconds / 20 > 5 ? seconds / 20 : 5)) next=0
while ((SECONDS - begin < seconds)) && kill -0 "$eddy" 2>/dev/null; do
	read -r resident own <<<"$(rss)"
	line=$(printf '  %6d %9d %9d %12d %6s' $((SECONDS - begin)) "$resident" "$own" "$(find "/proc/$eddy/fd" | wc -l)" "$(cpu)")
	echo "$line" >>"$T/table"
	if ((SECONDS - begin >= next)); then
		echo "$line"
		next=$((next + step))
	fi
	sleep 1
done
used=$(awk -v a="$begin_cpu" -v b="$(cpu)" 'BEGIN { print b - a }')
took=$((SECONDS - begin))
kill "$eddy"
wait "$eddy"
echo "  eddy's exit status: $?"
runs=$(bpftool prog show pinned "$T/bpf/sampler" -j | jq '.run_cnt // "?"')
wait "$churn"
echo "  $(cat "$T/churn.out")"
# What it holds, and what it needs for a moment (a table being built, a window being written).
from=$((took > 360 ? 180 : took / 3))
part() { awk -v a="$1" -v b="$2" -v f="$3" '$1 >= a && $1 < b { print $f / 1024 }' "$T/table" | median; }
third=$(((took - from) / 3))
thirds() {
	echo "$(part $from $((from + third)) "$1") $(part $((from + third)) $((from + 2 * third)) "$1")" \
		"$(part $((from + 2 * third)) 999999 "$1")"
}
echo "  RSS from second $from on, medians of thirds: $(thirds 2) MiB (aim: 5 % apart), its own memory $(thirds 3) MiB," \
	"greatest of all: $(awk '$2 > m { m = $2 } END { print m / 1024 }' "$T/table") MiB (aim: 64)"
awk -v u="$used" -v s="$took" 'BEGIN { printf "  CPU: %.2f s in %d s, %.2f %% of one CPU (aim: 0.5 %%)\n", u, s, 100 * u / s }'
find "$T/out" -name '*.json' -print0 | sort -z | xargs -0 jq -s -r --arg runs "$runs" '
	"  \(length) windows: \(map(.samples.due) | add) due, \(map(.samples.delivered) | add) delivered, \(map(.samples.lost) | add) lost; " +
	"the kernel counted \($runs) runs of the program; each accounts for its samples: " +
	"\(all(.samples | .delivered == .idle + .filtered + .kept + .lost))",
	"  user stacks complete \((map(.user_stacks.complete) | add) / (map(.user_stacks.total) | add) * 10000 | round / 100) %, " +
	"in the kernel \((map(.cost.bpf_ns_per_sample * .samples.delivered) | add) / (map(.samples.delivered) | add) / 100 | round / 10) us a sample",
	"  windows that followed on: \([range(1; length) as $i | .[$i].start == .[$i - 1].end] | map(select(.)) | length) of \(length - 1)"'
