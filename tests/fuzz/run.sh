#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/fuzz/run.sh: runs each fuzzer for FUZZ_SECONDS (default 20) over its seeds; TAP.
# What a fuzzer finds of interest is kept under $B/fuzz/corpus, what breaks it under
# $B/fuzz/crash-NAME-*: run "$B/fuzz/fuzz_NAME FILE" to see it again.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
seconds=${FUZZ_SECONDS:-20}
jobs=${JOBS:-$(nproc)}
# shellcheck source=tests/tap.sh
. tests/tap.sh

plain=()
setarch -R true 2>/dev/null && plain=(setarch -R)

fuzz_one() {
	local name=$1 found=$B/fuzz/corpus/$1
	mkdir -p "$found" "tests/fuzz/corpus/$name"
	"${plain[@]}" timeout -k 10 $((seconds * 3 + 120)) "$B/fuzz/fuzz_$name" \
		-max_total_time="$seconds" -timeout=20 -rss_limit_mb=1500 -max_len=65536 -verbosity=1 \
		-artifact_prefix="$B/fuzz/crash-$name-" "$found" "tests/fuzz/corpus/$name" \
		>"$T/$name.out" 2>&1 </dev/null
	echo $? >"$T/$name.rc"
}

names=()
for src in tests/fuzz/fuzz_*.c; do
	[[ -e $src ]] || continue
	name=${src#tests/fuzz/fuzz_}
	names+=("${name%.c}")
done
for name in "${names[@]}"; do
	while (($(jobs -pr | wc -l) >= jobs)); do wait -n; done
	fuzz_one "$name" &
done
wait
for name in "${names[@]}"; do
	rc=$(cat "$T/$name.rc")
	runs=$(grep -oE '^Done [0-9]+ runs' "$T/$name.out" | tail -1)
	tap_line "$rc" "fuzz $name ${seconds}s: ${runs:-no end}"
	[[ $rc == 0 ]] || tail -n 60 "$T/$name.out" | sed 's/^/# /'
done
((${#names[@]})) || skip 'fuzzers' 'there is no tests/fuzz/fuzz_*.c'
finish
