# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced after tests/live/live.sh by what tests `eddy snapshot`: what its files must fulfil, whatever
# happened while they were written.  FILE is a snapshot; its .json stands beside it.
#   by_start DIR          its snapshots, in the order in which their windows began
#   files_account FILE...    each accounts for its samples; there is at least one
#   contiguous FILE...       in order of time: the end of each window is the start of the next
#   sums MESSAGES FILE...    the samples in all of them are what eddy said in the end
by_start() {
	local f
	for f in "$1"/*.folded "$1"/*.folded.gz; do
		[[ -e $f ]] && echo "$(jq .start "$f.json") $f"
	done | sort | cut -d ' ' -f 2-
}
files_account() {
	local f
	(($#)) || { echo 'no files'; return 1; }
	for f in "$@"; do accounted "$f" window || return 1; done
}
contiguous() {
	(($#)) || { echo 'no files'; return 1; }
	# shellcheck disable=SC2016
	jq -s -e '[range(1; length) as $i | .[$i - 1].end == .[$i].start] | all' "${@/%/.json}" >/dev/null || {
		jq -c '[.start, .end, .notes]' "${@/%/.json}"
		return 1
	}
}
# Four numbers, each by itself: nothing is missing, nothing is there twice.
sums() {
	local messages=$1 files said
	shift
	(($#)) || { echo 'no files'; return 1; }
	files=$(jq -s -r 'map(.samples | [.due, .delivered, .kept, .lost]) | transpose | map(add) | @tsv' "${@/%/.json}")
	said=$(sed -nE 's/^eddy: ([0-9]+) samples expected in .* ([0-9]+) taken: .* ([0-9]+) kept, ([0-9]+) lost; .*/\1\t\2\t\3\t\4/p' \
		"$messages")
	[[ -n $said && $files == "$said" ]] || {
		echo "files $files, summary $said"
		cat "$messages"
		return 1
	}
}
