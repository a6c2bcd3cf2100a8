#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How fast profiles are read and written as folded text, on one core:
#   real   25 000 stacks, about 10 MB, repeated to 150 MB, against LC_ALL=C wc -lw of the same file
#   big    260 000 distinct stacks, about 140 MB: read, written, memory
#   wide   1 000 000 distinct stacks that share nothing (30 M frames): read, memory for each node
# wc and the reader take turns (A B A B); medians of ROUNDS (5).  The files are in the page cache.
. tests/bench/lib.sh
rounds=${ROUNDS:-5}
gen=$B/bench/gen_folded timed=$B/bench/time_input

seconds_of() { # FILE COMMAND...: wall seconds of the command, added to FILE
	local to=$1 from
	shift
	from=$(date +%s%N)
	"$@" >/dev/null
	echo $((($(date +%s%N) - from) / 1000)) | awk '{ print $1 / 1e6 }' >>"$to"
}
megabytes() { stat -c %s "$1" | awk '{ print $1 / 1e6 }'; }
column() { awk -v n="$1" '{ print $n }' "$2" | median; }
against_wc() { # NAME FILE
	local name=$1 file=$2 i mb
	cat "$file" >/dev/null
	for ((i = 0; i < rounds; i++)); do
		"$timed" read "$file" >>"$T/$name.read"
		seconds_of "$T/$name.wc" env LC_ALL=C wc -lw "$file"
	done
	mb=$(megabytes "$file")
	awk -v name="$name" -v mb="$mb" -v read="$(column 1 "$T/$name.read")" \
		-v wc="$(column 1 "$T/$name.wc")" 'BEGIN {
		printf "%s: %.0f MB read in %.3f s: %.0f MB/s; wc -lw %.3f s: %.0f MB/s; reading takes %.2f times as long\n",
			name, mb, read, mb / read, wc, mb / wc, read / wc }'
}

"$gen" 25000 3000 16 80 >"$T/once.folded"
for ((i = 0; i < 15; i++)); do cat "$T/once.folded"; done >"$T/real.folded"
against_wc real "$T/real.folded"

"$gen" 260000 20000 18 80 >"$T/big.folded"
against_wc big "$T/big.folded"
for ((i = 0; i < rounds; i++)); do "$timed" write "$T/big.folded"; done >"$T/big.write"
awk -v write="$(column 2 "$T/big.write")" -v rss="$(column 7 "$T/big.write")" -v mb="$(megabytes "$T/big.folded")" \
	'END { printf "big: %d nodes, %d stacks, %d frames; written in %.3f s: %.0f MB/s; peak RSS %.0f MiB\n",
		$3, $4, $5, write, mb / write, rss / 1024 }' "$T/big.write"
rm -f "$T"/big.folded "$T"/real.folded

"$gen" 1000000 20000 30 0 >"$T/wide.folded"
"$timed" read "$T/wide.folded" | awk -v mb="$(megabytes "$T/wide.folded")" '{
	printf "wide: %.0f MB, %d nodes, %d frames read in %.2f s: %.0f MB/s; %.1f bytes a node, peak RSS %.0f MiB\n",
		mb, $3, $5, $1, mb / $1, $6 / $3, $7 / 1024 }'
