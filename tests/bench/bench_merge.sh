#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A day of windows of 10 s (8 640 files with their json, about 500 stacks each, packed): merged,
# reported, five minutes of it reported.  WINDOWS=n for fewer.
. tests/bench/lib.sh
windows=${WINDOWS:-8640}
"$B/bench/gen_windows" "$T/day" alpha 1795046400 10 "$windows" 800 || exit 1
one=$(find "$T/day" -name '*.gz' | head -n 1)
echo "windows $windows, of $(zcat "$one" | wc -l) stacks and $(zcat "$one" | wc -c) bytes, $(du -sm "$T/day" | cut -f1) MB on disk"
timed() {
	local name=$1
	shift
	"$B/bench/usage" "$T/usage" "$@" >/dev/null 2>&1
	echo "$name: $(tail -n 1 "$T/usage")"
}
for _ in 1 2; do
	timed merge "$EDDY" merge -o "$T/merged.folded.gz" "$T/day"
	timed report "$EDDY" report "$T/day"
	timed 'report of 5 minutes' "$EDDY" report --since 10:00 --until 10:05 "$T/day"
done
