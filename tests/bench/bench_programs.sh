#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real programs, those of this list that are installed: each samples SECONDS_EACH (8) at 999 Hz
# while it works, by its own name (--comm).  A row: user samples, whole stacks, user frames with a
# name, functions that samples fell into, by address (perf's sampled addresses, each unnamed one by
# itself) and by function (eddy), call cycles, of them phantoms, BPF ns a sample.  A phantom is a
# cycle that eddy shows of which no function is in a cycle in truth: the same stacks, with the
# program's addresses named by its twin with symbols (twin_names.c); "-": there is no such twin.
# PROGRAMS="xz git" for some.
. tests/bench/lib.sh
need_root
seconds=${SECONDS_EACH:-8}
mkdir "$T/w" && cd "$T/w" || exit 1
here=${EDDY%/build/eddy}

# shellcheck source=tests/programs/programs.sh
. "$here/tests/programs/programs.sh"
trap 'program_end; cleanup' EXIT

# Distinct places that perf's samples of a program fell on: its functions, or addresses without one.
by_address() {
	perf --buildid-dir "$T/ids" script -F comm,ip,sym -i "$T/perf.data" 2>/dev/null |
		awk -v comm="$1" '$1 == comm && $2 !~ /^ffff/ {
			print ($3 == "[unknown]" || $3 == "") ? $2 : $3 }' | sort -u | wc -l
}
# phantoms NAME: of the capture in $T/p.pb.gz
phantoms() {
	local twin kind
	twin=$(program_twin "$1") && nm -S --defined-only "$twin" >"$T/nm" 2>/dev/null &&
		"$here/$B/bench/twin_names" "$T/p.pb.gz" "$(program_comm "$1")" "$T/nm" \
			"$T/shown" "$T/true" | sort -u >"$T/names" || { echo - && return; }
	for kind in shown true; do
		"$EDDY" report --view cycles --format tsv "$T/$kind" >"$T/$kind.cycles" || {
			echo - && return
		}
	done
	awk -F'\t' -v names="$T/names" -v truth="$T/true.cycles" '
		BEGIN {
			while ((getline line < truth) > 0)
				if (nr++) {
					split(line, column, FS)
					n = split(column[6], f, ";")
					for (i = 1; i <= n; i++) cyclic[f[i]] = 1
				}
			while ((getline line < names) > 0) {
				split(line, column, FS)
				renamed[column[1]] = 1
				if (column[2] in cyclic) real[column[1]] = 1
			}
		}
		FNR > 1 && $1 ~ /^[0-9]+$/ {
			is_real = 0
			n = split($6, f, ";")
			for (i = 1; i <= n; i++)
				if (f[i] in real || (!(f[i] in renamed) && f[i] in cyclic)) is_real = 1
			phantoms += !is_real
		}
		END { print phantoms + 0 }' "$T/shown.cycles"
}
row() {
	local name=$1 c stacks cycles phantoms addresses=- perf=
	c=$(program_comm "$name")
	program_start "$name"
	program_wait "$name"
	sleep 3
	if command -v perf >/dev/null; then
		perf record -q -e cpu-clock:u -F 999 -a -o "$T/perf.data" -- sleep "$seconds" >/dev/null 2>&1 &
		perf=$!
	fi
	"$EDDY" record -F 999 -d "$seconds" --comm "$c" --user-only -o "$T/p.folded" \
		-o "$T/p.pb.gz" >/dev/null 2>&1
	[[ -z $perf ]] || wait "$perf"
	program_end
	[[ -s $T/perf.data ]] && addresses=$(by_address "$c")
	stacks=$(awk '{
		count = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";")
		for (i = 2; i <= n; i++) { all += count; named += count * (f[i] !~ /^\[/) }
		leaf[f[n]] = 1 }
		END { printf "%.1f %d", all ? 100 * named / all : 0, length(leaf) }' "$T/p.folded")
	cycles=$("$EDDY" report --view cycles --format tsv "$T/p.folded" 2>/dev/null |
		awk 'NR > 1 && $1 ~ /^[0-9]+$/ { c[$1] = 1 } END { print length(c) }')
	phantoms=$(phantoms "$name")
	jq -r --arg n "$name" --arg s "$stacks" --arg a "$addresses" --arg c "$cycles" \
		--arg p "$phantoms" \
		'.user_stacks as $u | ($s | split(" ")) as $s |
		[$n, $u.total, (if $u.total > 0 then 100 * $u.complete / $u.total else 0 end),
		 $s[0], $a, $s[1], $c, $p, .cost.bpf_ns_per_sample] | @tsv' "$T/p.folded.json" |
		awk '{ printf "%-14s %6d %7.2f %7.1f %8s %8s %6s %7s %7.0f\n",
			$1, $2, $3, $4, $5, $6, $7, $8, $9 }'
	rm -f "$T/perf.data" "$T"/p.*
}

printf '%-14s %6s %7s %7s %8s %8s %6s %7s %7s\n' program stacks whole% named% by-addr by-func \
	cycles phantom ns
for name in ${PROGRAMS:-$program_names}; do
	if program_is_here "$name"; then
		row "$name"
		hint=$(program_hint "$name")
		[[ -z $hint ]] || hints+="$name: $hint"$'\n'
	else
		echo "$name: not installed"
	fi
done
printf '%s' "${hints:-}"
