#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A frequency on an event that is no clock: the kernel adapts the period, so samples are weighed by
# it.  The truth is what getrusage says of two programs that switch a lot and less.
. tests/tap.sh
. tests/live/live.sh
. tests/live/snapshots.sh
need_sampling

# Each on a CPU of its own, where there are two: the kernel adapts the period for each CPU.
on() { (($(nproc) > 1)) && echo "taskset -c $1"; }
cat >"$T/both" <<END
$(on 0) "$W/switches" often 0 4 &
$(on 1) "$W/switches" seldom 1000 4
wait
END
record switches -F 499 -e context-switches -- sh "$T/both"
equal 'switches: exit status' 0 "$rc"
accounts switches
equal 'switches: counts are events' events "$(json switches .unit)"
often=$(samples "$T/switches.folded" often) seldom=$(samples "$T/switches.folded" seldom)
want=$(divide "$(truth "$T/switches.out" often)" "$(truth "$T/switches.out" seldom)")
got=$(divide "$often" "$seldom")
# Some 300 samples of the one that switches less.
ok "switches: $often to $seldom is $got, in truth $want" awk -v a="$got" -v b="$want" 'BEGIN {
	exit !(a > b / 1.4 && a < b * 1.4) }'
ok 'switches: samples stand for what the kernel counted' jq -e '.weight |
	.due > 10000 and .delivered > .due * 0.9 and .delivered < .due * 1.1' "$T/switches.folded.json"
ok 'switches: fewer samples than events' jq -e '.samples.delivered < .weight.delivered / 2' "$T/switches.folded.json"
ok 'switches: the summary says so' grep -q '^eddy: counts are context-switches, each sample weighed' "$T/switches.err"
ok 'switches: a view says so' grep -q '^counts: context-switches' <("$EDDY" report "$T/switches.folded")

# A period that is fixed: a count is a sample.
record tenth -c 10 -e context-switches -d 2 -- "$W/switches" tenth 0 1
accounts tenth
equal 'tenth: counts are samples of ten each' 'samples 10' "$(json tenth '"\(.unit) \(.period)"')"
n=$(($(samples "$T/tenth.folded" tenth) * 10)) want=$(truth "$T/tenth.out" tenth)
ok "tenth: $n of $want" test $((n > want / 2 && n < want * 3 / 2)) = 1
ok 'tenth: the summary says so' grep -q '^eddy: counts are samples, each stands for 10 context-switches' "$T/tenth.err"

# Weights stay with their window, and what found no room is lost with its weight.
"$EDDY" snapshot -e context-switches -F 999 --dir "$T/windows" --every 1s -d 3 --map-memory 8K \
	--ring-memory 4K 2>"$T/windows.err" &
"$W/switches" window 0 2 >/dev/null
wait $!
nr=0
for file in $(by_start "$(echo "$T"/windows/*/)"); do
	ok "${file##*/}: accounts for every sample and its weight" accounted "$file" window
	nr=$((nr + 1))
done
ok "windows: $nr" test $nr -ge 2

# What the kernel would do otherwise than it was told.
fails 'a clock below its least period' 2 '*--count: *10000 ns*' record -c 9999 -d 1 -o "$T/x"
fails 'a clock above its highest frequency' 2 '*--freq: *' record -F 100001 -d 1 -o "$T/x"
fails 'a tracepoint has no frequency' 2 '*--freq: a tracepoint*' record -F 99 -e sched:sched_switch -d 1 -o "$T/x"
record least -c 10000 -d 0.2
equal 'a clock at its least period' 0 "$rc"
finish
