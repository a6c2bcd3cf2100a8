#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Interrupts under load: off the stacks they landed on, counted once, and seen alike by names, by the
# stack pointer and by the kernel's own account.
. tests/tap.sh
. tests/live/live.sh
. tests/live/irq.sh
need_sampling

report() { "$EDDY" report --collapse none --format folded "$@"; }
rows() { "$EDDY" report --view irq --format tsv "$1" | tail -n +2; }

# hits FILE COMM: samples of that task whose stack holds an interrupt's entry.
hits() { grep "^$2[;]" "$1" | grep -E ";$interrupt" | awk '{ n += $NF } END { print n + 0 }'; }
# One recording, all modes: the totals, the tasks' stacks, and the json by addresses against names.
modes() {
	local name=$1 comm=$2 all mode want
	all=$(samples "$T/$name.folded")
	for mode in keep split charge; do
		report --irq $mode "$T/$name.folded" >"$T/$name.$mode"
		equal "$name: --irq $mode keeps the total" "$all" "$(samples "$T/$name.$mode")"
	done
	equal "$name: keep is what was recorded" "$(cat "$T/$name.folded")" "$(cat "$T/$name.keep")"
	report --irq drop "$T/$name.folded" >"$T/$name.drop" 2>"$T/$name.said"
	want=$(sed -n 's/^eddy: \([0-9]*\) of .*/\1/p' "$T/$name.said")
	equal "$name: --irq drop counts what it leaves out" "$all" \
		$(($(samples "$T/$name.drop") + ${want:-0}))
	ok "$name: interrupts hit $comm ($(hits "$T/$name.keep" "$comm"))" \
		test "$(hits "$T/$name.keep" "$comm")" -gt 0
	for mode in split charge drop; do
		equal "$name: after --irq $mode no task's stack holds an interrupt" '' \
			"$(grep -v '^\[' "$T/$name.$mode" | grep -E ";$interrupt" | head -n 3)"
	done
	equal "$name: as many by address (live) as by name (file)" \
		"$(json "$name" '"\(.irq.hardirq) \(.irq.softirq) \(.irq.nmi)"')" \
		"$(rows "$T/$name.folded" | awk -F '\t' '{ n[$1] += $5 }
			END { print n["hardirq"] + 0, n["softirq"] + 0, n["nmi"] + 0 }')"
	ok "$name: stack pointer and names agree ($(json "$name" '"\(.irq.agree) to \(.irq.disagree)"'))" \
		most 99 $(json "$name" '"\(.irq.agree) \(.irq.agree + .irq.disagree)"')
	ok "$name: the matrix holds every sample" jq -e '
		([.irq.matrix[][]] | add) == .samples.kept + .samples.lost and
		.irq.agree + .irq.disagree + .irq.silent == ([.irq.matrix[][]] | add)' "$T/$name.folded.json"
}

# ---- UDP over loopback, and a third process that only computes --------------------------------

record udp -F 999 --irq keep -- bash -c 'head -n 1 /proc/stat >"$2/before"; "$1" 5 >/dev/null;
	head -n 1 /proc/stat >"$2/after"' - "$W/irq_udp_flood" "$T"
accounts udp
modes udp 'flood_[a-z]*'
report --irq split "$T/udp.folded" | grep '^flood_spin;' >"$T/spin"
equal 'udp: the spinning process: no interrupt, no softirq' '' "$(grep -E ";$interrupt|;$core" "$T/spin")"
ok 'udp: softirqs that the sender runs itself stay with it' \
	grep -qE '^flood_send;.*;__local_bh_enable_ip_\[k\];.*;net_rx_action_\[k\]' "$T/udp.split"
equal 'udp: --softirq split takes them too' '' \
	"$(report --softirq split "$T/udp.folded" | grep -E '^flood_.*;net_rx_action_\[k\]' | head -n 3)"

# With CONFIG_IRQ_TIME_ACCOUNTING off, /proc/stat is itself a sample: each timer tick is booked as
# softirq time when it hits a CPU that serves softirqs, whoever runs them (inline and ksoftirqd
# too).  So this compares two samples of one window, n1 of ours and n2 ticks.  (/proc/softirqs counts
# runs, not time: it can only say that there were any.)  With it on, or with generic virtual
# accounting, ticks are not what is booked, and the time must agree all the more.
# Neighbours are not independent: softirqs come in bursts of several ticks, and the scheduler, which
# starts and ends them, runs at the tick itself.  So a sample counts as a quarter of one (a variance
# four times the binomial one).
read -r softirq ticks < <(awk '{ for (i = 2; i <= 9; i++) n[NR] += $i; s[NR] = $8 }
	END { print s[2] - s[1], n[2] - n[1] }' "$T/before" "$T/after")
served=$(grep -E ";$core" "$T/udp.folded" | awk '{ n += $NF } END { print n + 0 }')
all=$(samples "$T/udp.folded")
ok "udp: softirq share $served of $all samples, $softirq of $ticks in /proc/stat" \
	awk -v a="$served" -v n="$all" -v b="$softirq" -v m="$ticks" -v z=$Z 'BEGIN {
		p = (a + b) / (n + m)
		d = z * sqrt(4 * p * (1 - p) * (1 / n + 1 / m)) + 1.5 / m
		diff = a / n - b / m
		exit !(a > 20 && diff <= d && -diff <= d)
	}'

# ---- receive packet steering: softirqs of one CPU land on whatever another one runs --------------

# Two namespaces and a veth between them; what one sends is steered to the last CPU, where a process
# computes.  The outer namespace is our own too: nothing of it is left behind.
steered() {
	unshare -n -m bash -c '
		cpu=$(($(nproc) - 1))
		ip link add eddy0 type veth peer name eddy1 || exit 77
		unshare -n sleep 30 & inner=$!
		sleep 0.3
		ip link set eddy1 netns $inner || exit 77
		ip addr add 10.90.0.1/24 dev eddy0 && ip link set eddy0 up
		nsenter -n -t $inner sh -c "ip addr add 10.90.0.2/24 dev eddy1; ip link set eddy1 up"
		mount -t sysfs sysfs /sys && echo $(printf %x $((1 << cpu))) >/sys/class/net/eddy0/queues/rx-0/rps_cpus || exit 77
		timeout 20 taskset -c $cpu "$1/spin" 0 >/dev/null & spin=$!
		"$1/irq_udp_flood" 3 recv >/dev/null & recv=$!
		nsenter -n -t $inner "$1/irq_udp_flood" 3 send 10.90.0.1 >/dev/null
		wait $recv; kill $spin $inner; true' - "$W"
}
if ! command -v ip >/dev/null || ! command -v nsenter >/dev/null || [[ $(nproc) -lt 2 ]]; then
	skip 'steering' 'no ip, no nsenter, or one CPU'
elif record steered -F 999 --irq keep -- bash -c "$(declare -f steered); W=$W steered" && [[ $rc == 0 ]]; then
	accounts steered
	modes steered spin
	# (The handler is not asked for: a clock that is blind while interrupts are off shows most of
	# this work where handle_softirqs enables them.)
	ok 'steered: packets of others were received on the computing process' \
		awk -F '\t' '$1 == "softirq" && $2 !~ /bh_enable/ && $4 == "spin" { n += $5 }
			END { print n + 0; exit n <= 10 }' <(rows "$T/steered.folded")
	equal 'steered: after split it only computes' '' \
		"$(grep '^spin;' "$T/steered.split" | grep -E ";$interrupt|;$core" | head -n 3)"
	ok 'steered: the effect: no more cycles than before' awk -F '\t' '$1 == "cycles" { exit !($3 <= $2) }' \
		<("$EDDY" report --view irq --effect --format tsv "$T/steered.folded")
else
	skip 'steering' "this kernel or container has no veth or packet steering (status $rc)"
fi

# ---- page faults: exceptions look like interrupts and are none ---------------------------------

record fault -F 999 --irq keep -- "$W/page_fault" 2
accounts fault
report --irq split "$T/fault.folded" >"$T/fault.split"
grep '^page_fault;' "$T/fault.folded" | grep -vE ";$interrupt" >"$T/fault.own"
ok "fault: most of its time is page faults" test \
	"$(($(grep -cE 'asm_exc_page_fault|el0t_64_sync|do_page_fault' "$T/fault.own") * 2))" -gt "$(wc -l <"$T/fault.own")"
# The rest of an interrupt (exit work) may join a stack that was there before: never fewer.
equal 'fault: nothing is cut from them' '' "$(awk '
	{ count = $NF; sub(/ [0-9]+$/, "") }
	NR == FNR { split_count[$0] = count; next }
	split_count[$0] < count { print "missing:", $0, count, split_count[$0] + 0 }' \
	"$T/fault.split" "$T/fault.own" | head -n 3)"

# ---- block I/O: the disk's interrupt finishes reads on whoever runs ------------------------------

record block -F 999 --irq keep -- "$W/block_io" 3 "$T/block"
if [[ $rc == 2 ]]; then
	skip 'block' "the file system of $T has no O_DIRECT"
else
	accounts block
	modes block '[^;]*'
fi

# ---- TCP, forks, fsync: whatever they provoke, the same rules hold -------------------------------

load() {
	local name=$1
	shift
	record "$name" -F 999 --irq keep -- "$@"
	accounts "$name"
	report --irq split "$T/$name.folded" >"$T/$name.split"
	equal "$name: split keeps the total" "$(samples "$T/$name.folded")" "$(samples "$T/$name.split")"
	equal "$name: after split no task's stack holds an interrupt" '' \
		"$(grep -v '^\[' "$T/$name.split" | grep -E ";$interrupt" | head -n 3)"
	equal "$name: as many by address (live) as by name (file)" "$(json "$name" '.irq.hardirq + .irq.softirq + .irq.nmi')" \
		"$(rows "$T/$name.folded" | awk -F '\t' '{ n += $5 } END { print n + 0 }')"
}
load tcp "$W/irq_udp_flood" 2 tcp
load fork "$W/fork_storm" 2
load fsync "$W/fsync" 2 "$T/synced"

# ---- timers: what follows an interrupt on the way to user space is the task's own ----------------

record timer -F 999 -- "$W/timer_storm" 3
equal 'a split capture says whom its interrupts hit' \
	"$(grep -E '^\[(hardirq|softirq|nmi)\]' "$T/timer.folded" | awk '{ n += $NF } END { print n + 0 }')" \
	"$(json timer '[.interrupts[]] | add // 0')"
ok 'and the view knows them' bash -c "'$EDDY' report --view irq --format tsv '$T/timer.folded' |
	awk -F'\t' 'NR > 1 && \$4 == \"\" { bad = 1; print } END { exit bad }'"
accounts timer
equal 'timer: recorded with split: no interrupt on any task' '' \
	"$(grep -v '^\[' "$T/timer.folded" | grep -E ";$interrupt" | head -n 3)"
if [[ $(json timer .irq.exit_work) -gt 20 ]]; then
	ok 'timer: exit work stays with the task, without the entry' \
		grep -qE '^timer_storm;([^;]*;)*[^;]*_mode(_loop|_prepare)?_\[k\]|preempt_schedule_irq' "$T/timer.folded"
else
	skip 'timer: exit work' "only $(json timer .irq.exit_work) samples of it"
fi
ok 'timer: the blind spot of the clock is said' jq -e '
	.event != "cpu-clock" or (.notes | any(test("interrupts off")))' "$T/timer.folded.json"
finish
