#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU time of eddy top on a terminal, of perf top --stdio (whole user stacks, and frame pointers) and
# of htop, all in one run under the mixed load, at 999 Hz: of the processes and their children, and
# for eddy the time of its program in the kernel besides.  Perf's interrupts are in nobody's CPU time.
. tests/bench/lib.sh
need_root
seconds=${SECONDS_EACH:-15}
have tmux || exit 0
terminals=0
tmux_() { tmux -L "eddy-bench-$$-$1" -f /dev/null "${@:2}"; }
end_terminals() {
	local i
	for ((i = 1; i <= terminals; i++)); do tmux_ $i kill-server 2>/dev/null; done
}
trap 'end_terminals; cleanup' EXIT

# in_terminal COMMAND: on a screen of its own; the process is in $started.
in_terminal() {
	terminals=$((terminals + 1))
	tmux_ $terminals new-session -d -x 120 -y 40 "export XDG_CONFIG_HOME=$T LC_ALL=C.UTF-8; exec $1"
	started=$(tmux_ $terminals display-message -p '#{pane_pid}')
}
# Seconds of a process, its threads and its children, those that have ended too.
cpu_of() {
	local pid ticks=0 more
	for pid in "$1" $(pgrep -P "$1"); do
		more=$(sed 's/.*) //' /proc/"$pid"/stat 2>/dev/null | awk '{ print $12 + $13 + $14 + $15 }')
		ticks=$((ticks + ${more:-0}))
	done
	echo $((ticks * 1000 / $(getconf CLK_TCK)))
}

names=() pids=() before=()
start() {
	in_terminal "$2"
	names+=("$1")
	pids+=("$started")
}
load_start
start "eddy top" "'$EDDY' top -F 999"
if have perf; then
	start "perf top, frame pointers" "perf top --stdio -F 999 -e cpu-clock -g --call-graph fp"
	start "perf top, user stacks" "perf top --stdio -F 999 -e cpu-clock --call-graph dwarf,8192"
fi
! have htop || start "htop" "htop"
sleep 5 # begun, and names found
for i in "${!pids[@]}"; do before[i]=$(cpu_of "${pids[i]}"); done
sleep "$seconds"
echo "CPU time in $seconds s under the mixed load, all at once:"
for i in "${!pids[@]}"; do
	[[ -d /proc/${pids[i]} ]] || { echo "  ${names[i]}: did not run"; continue; }
	now=$(cpu_of "${pids[i]}")
	awk -v name="${names[i]}" -v ms=$((now - before[i])) -v s="$seconds" \
		'BEGIN { printf "  %-26s %6.2f s  %5.1f %% of a CPU\n", name, ms / 1000, ms / 10 / s }'
done
echo "  what eddy says of itself: $(tmux_ 1 capture-pane -p | grep -o 'eddy [0-9.]* % of a CPU')"
