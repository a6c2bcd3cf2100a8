#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/fuzz/replay.sh: every fuzzer's seeds, each once; TAP.  Nothing is searched for, so it answers
# the same every time.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
# shellcheck source=tests/tap.sh
. tests/tap.sh

# Strong randomisation of addresses lets the sanitizers of older compilers die by chance.
plain=()
setarch -R true 2>/dev/null && plain=(setarch -R)

replay() {
	local seeds=$1 fuzzer=$2 n
	n=$(find "$seeds" -type f | wc -l)
	((n)) || { echo "no seeds in $seeds"; return 1; }
	"${plain[@]}" "$fuzzer" -runs=0 -max_len=1048576 "$seeds"/* </dev/null
}
for src in tests/fuzz/fuzz_*.c; do
	name=$(basename "${src#tests/fuzz/fuzz_}" .c)
	ok "corpus of $name" replay "tests/fuzz/corpus/$name" "$B/fuzz/fuzz_$name"
done
finish
