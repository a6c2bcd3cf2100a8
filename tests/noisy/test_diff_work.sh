#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Did my change help?  A program whose parse loop is cut to a quarter, captured twice.
set -u
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/live/live.sh
. tests/live/live.sh
need_sampling

# row NAME FUNCTION: "MARK RATIO" of its inclusive CPU time
row() { "$EDDY" diff "${@:3}" --format tsv "$T/$1_before.folded" "$T/$1_after.folded" | awk -F'\t' -v f="$2" '$14 == f && $13 == "inclusive" {print $12 "/" $6 "/" $15}'; }
about() { awk -v is="$1" -v want="$2" -v within="$3" 'BEGIN {exit !(is > want - within && is < want + within)}'; }

check() {
	local name=$1 mark ratio per text
	shift
	record "${name}_before" -F 997 "$@" -- "$W/parse_render" 1.6 0.8
	equal "$name: captured before" 0 "$rc"
	record "${name}_after" -F 997 "$@" -- "$W/parse_render" 0.4 0.8
	equal "$name: captured after" 0 "$rc"
	equal "$name: the .json names the command" "$W/parse_render" "$(json "${name}_after" .command)"
	IFS=/ read -r mark ratio per <<<"$(row "$name" parse_input)"
	equal "$name: compared by CPU time" cpu "$per"
	equal "$name: the parse loop is less" less "$mark"
	ok "$name: by three quarters (ratio $ratio)" about "$ratio" 0.25 0.04
	IFS=/ read -r mark ratio per <<<"$(row "$name" render_output)"
	equal "$name: the other function is not marked" '' "$mark"
	ok "$name: it takes what it took (ratio $ratio)" about "$ratio" 1 0.15
	# By shares of each side, as before, it looked as if it had doubled.  What others do meanwhile
	# is a part of the whole machine's shares: those say nothing of ours.
	if [[ $name != whole ]]; then
		IFS=/ read -r mark ratio per <<<"$(row "$name" render_output --per share)"
		equal "$name: by shares it is marked" more "$mark"
	fi
	# Half the requests after: as much by request as before.
	IFS=/ read -r mark ratio per <<<"$(row "$name" render_output --work 2:1)"
	ok "$name: by work done (ratio $ratio)" about "$ratio" 2 0.3
}

check only --only-command
equal 'the .json says that it is of the command alone' command "$(json only_after .filter)"
text=$("$EDDY" diff "$T/only_before.folded" "$T/only_after.folded")
printf '%s\n' "$text" | sed 's/^/# /'
ok 'the totals come first' awk '{exit !(/^CPU time 2\.[34][0-9]* s → 1\.[12][0-9]* s, -(49|50|51) %$/)}' <(head -n 1 <<<"$text")
ok 'the base is said in words' grep -q 'both sides were captured with a command' <<<"$text"
check whole
equal 'of the whole machine: no filter' null "$(json whole_after .filter)"
finish
