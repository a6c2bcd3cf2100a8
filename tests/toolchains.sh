#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/toolchains.sh: the unit and golden tests with other tools than the gate's: the awk that awk
# is not, clang as the C compiler, and a clone in a directory with a space in its name under umask
# 077 and LC_ALL=C; and those that read with perf by a newer one.  Closes with the sum.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL
log=$(mktemp) || exit 1
clone=$(mktemp -d "${TMPDIR:-/tmp}/eddy tools.XXXXXX") || exit 1
trap 'rm -rf "$log" "$clone"' EXIT
passed=0 failed=0 skipped=0
tests/deps.sh awks

step() {
	local name=$1 sums p f s rc
	shift
	echo "=== $name"
	"$@" 2>&1 | tee "$log"
	rc=${PIPESTATUS[0]}
	sums=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
	read -r p _ f _ s _ <<<"${sums:-0 passed, 0 failed, 0 skipped}"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	((rc && !f)) && failed=$((failed + 1))
}
another_awk() {
	local awk=gawk
	[[ $(readlink -f "$(command -v awk)") == *gawk ]] && awk=mawk
	make -j"$(nproc)" all && AWK=$awk tests/run.sh golden
}
by_clang() { make -j"$(nproc)" CC=clang WERROR=1 check-unit; }
elsewhere() (
	umask 077
	export LC_ALL=C
	git clone -q . "$clone/eddy" && cd "$clone/eddy" && make -j"$(nproc)" tests &&
		tests/run.sh unit golden
)
newer_perf() {
	if ! tests/newer_perf.sh "$clone/perf"; then
		echo '0 passed, 0 failed, 1 skipped'
		return
	fi
	PATH=$clone/perf/bin:$PATH ONLY='test_@(perf_data|top.|formats)' tests/run.sh golden live
}
step 'golden tests by another awk' another_awk
step 'unit tests by clang' by_clang
step 'a space, umask 077, LC_ALL=C' elsewhere
step 'a newer perf' newer_perf
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
