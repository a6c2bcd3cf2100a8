# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the live tests after tests/tap.sh: captures, and what every capture must fulfil.
#   need_sampling            ends the test as skipped where this machine cannot sample
#   record NAME ARG...       eddy record to $T/NAME.folded (and .json); status in $rc, messages in
#                            $T/NAME.err, standard output in $T/NAME.out
#   accounts NAME            tests that the capture accounts for every sample
#   accounted FILE [window]  succeeds when the file and its .json do
#   samples FILE [FRAME]...  sum of the stacks that hold all the frames (exact text); -: of the input
#   within NAME K N SHARE    tests K of N samples against a share, by the binomial distribution
#   json NAME FILTER         jq on the capture's .json
#   most PERCENT K N         succeeds when K are so many of N, but for what chance takes of N samples
#   until_true SECONDS COMMAND...  waits for it, as long as this machine may take
Z=4.5 # standard deviations: one false alarm in 150 000 tests

need_sampling() {
	local why
	if [[ $(id -u) != 0 ]]; then
		why='not root'
	elif [[ ! -e /sys/kernel/btf/vmlinux ]]; then
		why='the kernel has no BTF'
	else
		return 0
	fi
	skip "$(basename "$0" .sh)" "$why"
	finish
}

record() {
	local name=$1
	shift
	timeout -k 5 120 "$EDDY" record -o "$T/$name.folded" "$@" >"$T/$name.out" 2>"$T/$name.err"
	rc=$?
}

json() {
	jq -r "$2" "$T/$1.folded.json"
}

samples() {
	local file=$1
	shift
	awk '
	BEGIN {
		for (i = 2; i < ARGC; i++) {
			want[ARGV[i]] = 1
			nr_want++
		}
		ARGC = 2
	}
	{
		count = $0
		sub(/.* /, "", count)
		stack = substr($0, 1, length($0) - length(count) - 1)
		n = split(stack, frame, ";")
		split("", seen)
		found = 0
		for (i = 1; i <= n; i++)
			if ((frame[i] in want) && !(frame[i] in seen)) {
				seen[frame[i]] = 1
				found++
			}
		if (found == nr_want)
			sum += count
	}
	END { printf "%d\n", sum }' "$file" "$@"
}

# accounted FILE [window]: delivered = idle + filtered + kept + lost; what else was due was not taken,
# in a window but for samples that came early in the one before, two ticks' worth; the file, packed or
# not, adds up to kept + lost, of samples or of what they weigh; nothing is negative; and so says the
# .json beside it.
accounted() {
	local file
	file=$(set -o pipefail; zcat -f "$1" | samples -) || return 1
	jq -e --argjson file "$file" --arg is_window "${2:-}" '
		(if $is_window == "" then 0 else .cpus * (.freq_hz * 0.02 + 2) end) as $ahead |
		.samples as $s | (if .unit == "events" then .weight else $s end) as $w |
		([$s, $w] | all(.delivered == .idle + .filtered + .kept + .lost)) and
		($file == $w.kept + $w.lost) and ($w.delivered >= $s.delivered) and
		(.not_taken | add) + $ahead >= $s.due - $s.delivered and
		($s | [.due, .delivered, .idle, .filtered, .kept, .lost] | all(. >= 0)) and
		(.losses | to_entries | map(.value) | add // 0) == $s.lost' "$1.json" >/dev/null ||
		{
			echo "$1: $file"
			jq -c '.samples, .not_taken, .losses' "$1.json"
			return 1
		}
}
identity() {
	accounted "$T/$1.folded"
}
accounts() {
	ok "$1: accounts for every sample" identity "$1"
}

within() {
	ok "$1: $2 of $3 samples, expected share $(printf %.3f "$4")" awk -v k="$2" -v n="$3" \
		-v p="$4" -v z=$Z 'BEGIN {
		d = z * sqrt(n * p * (1 - p)) + 1.5
		if (n < 20) print "too few samples"
		exit !(n >= 20 && k >= n * p - d && k <= n * p + d)
	}'
}

# truth FILE NAME: what a workload printed.
truth() {
	awk -v name="$2" '$1 == "truth" && $2 == name { print $3 }' "$1"
}
# most PERCENT K N: K of at least 30 are so many of N, or fewer by no more than chance; how many there
# are depends on what else runs.
most() {
	echo "$2 of $3"
	awk -v p="$1" -v k="$2" -v n="$3" -v z=$Z 'BEGIN {
		p /= 100
		exit !(n >= 30 && k >= n * p - z * sqrt(n * p * (1 - p)) - 1)
	}'
}
until_true() {
	local end=$((SECONDS + $1 + 1)) # whole ones: the first may be over at once
	shift
	until "$@" 2>/dev/null; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}
divide() {
	awk -v a="$1" -v b="$2" 'BEGIN { print b ? a / b : 0 }'
}
at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'
}
