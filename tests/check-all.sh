#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/check-all.sh: the gate, and then every check that is not part of it, one after the other;
# closes with the sum.  Takes hours; CHECKS="noisy attack" are those alone.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0
for check in ${CHECKS:-gate noisy attack programs packages kernels toolchains analyzer fuzz mutations}; do
	echo "=== $check"
	SECONDS=0
	if [[ $check == gate ]]; then .ci/run; else make "check-$check"; fi 2>&1 </dev/null |
		tee "$log"
	rc=${PIPESTATUS[0]}
	sums=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
	read -r p _ f _ s _ <<<"${sums:-0 passed, 0 failed, 0 skipped}"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	((rc && !f)) && failed=$((failed + 1))
	echo "=== $check: exit status $rc, $SECONDS s"
done
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
