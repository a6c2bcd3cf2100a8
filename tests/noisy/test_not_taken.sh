#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Samples that were due and are not there, by cause: the kernel's guard against BPF programs that
# interrupt one another (bpf_guard, whose truth is for how long it held the sampler off), and idle.
. tests/tap.sh
. tests/live/live.sh
need_sampling
hz=999
cpu=$(($(nproc) - 1))

# adds_up NAME: due = delivered + what was not taken, but for two samples of each CPU.
adds_up() {
	ok "$1: due is delivered and not taken" jq -e '
		(.not_taken | add) - (.samples.due - .samples.delivered) | . >= 0 and . <= 6' \
		"$T/$1.folded.json"
}

# held_off HOW: what bpf_guard held off is missing on busy CPUs.  Stolen time is processor time too,
# and 15 % of the time is for the way into the program, which is not guarded.
held_off() {
	local how=$1 held
	record "$how" -v -F $hz -C "$cpu" -- "$W/bpf_guard" "$how" 1.5 "$cpu"
	if grep '^cannot' "$T/$how.out"; then
		skip "$how" "$(cat "$T/$how.out")"
		return
	fi
	accounts "$how"
	adds_up "$how"
	held=$(truth "$T/$how.out" held)
	echo "# $how: held off for $held ns, not taken $(json "$how" '.not_taken | tostring')"
	ok "$how: what was held off is missing on busy CPUs" jq -e --argjson held "$held" \
		--argjson hz $hz '
		($held / 1e9 * $hz) as $n | .not_taken |
		.busy + .stolen > $n * 0.8 - 30 and .busy < $n * 1.1 + 60' "$T/$how.folded.json"
	ok "$how: and not on idle ones, of which there were none" jq -e '.samples as $s |
		.not_taken | .idle <= $s.due * 0.05 + 25 and .throttled <= 5' "$T/$how.folded.json"
}
held_off tracepoint
if [[ -e $T/tracepoint.folded ]] && ! grep -q '^cannot' "$T/tracepoint.out"; then
	ok 'tracepoint: the summary has a line for it' \
		grep -qE '^eddy: [0-9]+ samples not taken: [0-9]+ on busy CPUs, ' "$T/tracepoint.err"
	ok 'tracepoint: the program is named' \
		grep -qE '^eddy: note: .* samples of busy CPUs are missing: .* tracepoint bpf_guard_busy \(id [0-9]+' \
		"$T/tracepoint.err"
	ok 'tracepoint: and so in the .json' jq -e \
		'.notes | any(contains("tracepoint bpf_guard_busy (id "))' "$T/tracepoint.folded.json"
	ok 'tracepoint: none of our own is named' eval '! grep -q "(id.*eddy_" "$T/tracepoint.err"'
fi
held_off map

# A raw tracepoint holds nobody off.  A machine that shares its CPUs has late timers now and then.
record raw -F $hz -C "$cpu" -- "$W/bpf_guard" raw 1 "$cpu"
if ! grep '^cannot' "$T/raw.out"; then
	adds_up raw
	ok 'raw: hardly a sample of busy CPUs is missing' jq -e \
		'.samples.due as $due | .not_taken.busy <= $due * 0.05 + 25' "$T/raw.folded.json"
	ok 'raw: it is not named' eval '! grep -q bpf_guard_busy "$T/raw.err"'
fi

# ---- idle: the same whatever else runs, and more of it when nothing does -----------------------

# idle_ns: of all CPUs since boot
idle_ns() { awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f\n", ($5 + $6) * 1e9 / hz }' /proc/stat; }
before=$(idle_ns)
record idle -F $hz -- sleep 2
idle=$(($(idle_ns) - before))
accounts idle
adds_up idle
ok 'idle: hardly a sample of busy CPUs is missing' jq -e \
	'.samples.due as $due | .not_taken.busy <= $due * 0.03 + 50' "$T/idle.folded.json"
ok 'idle: no more than the CPUs were idle' jq -e --argjson ns "$idle" --argjson hz $hz '
	.samples.idle as $ticks |
	.not_taken.idle + $ticks <= $ns / 1e9 * $hz * 1.05 + 50' "$T/idle.folded.json"
if ((idle > 1000000000)); then
	ok 'idle: nearly all that the CPUs were idle' jq -e --argjson ns "$idle" --argjson hz $hz '
		.samples.idle as $ticks |
		.not_taken.idle + $ticks >= ($ns / 1e9 - 0.5) * $hz * 0.9' "$T/idle.folded.json"
else
	skip 'idle: nearly all that the CPUs were idle' 'they were busy'
fi

# ---- windows: what one leaves over is the next one's ------------------------------------------

"$W/bpf_guard" map 3 "$cpu" >/dev/null &
pid=$!
mkdir "$T/dir"
timeout -k 5 30 "$EDDY" snapshot -F $hz --dir "$T/dir" --every 1s -d 2.2 2>"$T/snapshot.err"
kill $pid
wait $pid 2>/dev/null
mapfile -t files < <(find "$T/dir" -name '*.folded*.json')
ok "windows: ${#files[@]} of them add up" jq -s -e '
	(map(.not_taken | add) | add) - (map(.samples.due - .samples.delivered) | add) |
	. >= 0 and . <= 20' "${files[@]}"
ok 'windows: what was held off is missing on a busy CPU' jq -s -e --argjson hz $hz '
	map(.not_taken) | (map(.busy + .stolen) | add) > 0.4 * 2 * $hz' "${files[@]}"
ok 'windows: the summary says so' grep -qE '^eddy: [0-9]+ samples not taken: ' "$T/snapshot.err"
"$EDDY" merge -o "$T/merged.folded" "${files[@]%.json}" 2>"$T/merge.err"
equal 'windows: merged, they add up' "$(jq -s 'map(.not_taken.busy) | add' "${files[@]}")" \
	"$(jq .not_taken.busy "$T/merged.folded.json")"
finish
