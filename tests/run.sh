#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run.sh GROUP...: runs the tests of the groups (unit, golden, live) and closes with
# "N passed, N failed, N skipped".  Every test is a program that prints TAP: "ok 1 - name",
# "not ok 2 - name", "ok 3 - name # SKIP why".  A test that dies, prints no plan or runs longer
# than its time is a failure of its own.  ONLY=pattern runs the tests whose path matches.
set -u
cd "$(dirname "$0")/.." || exit 1
export B=${B:-build}
export CMOCKA_MESSAGE_OUTPUT=TAP
export LC_ALL=C.UTF-8
limit=${TEST_TIMEOUT:-600}
passed=0 failed=0 skipped=0
failures=()

run_one() {
	local name=$1 out rc plan ok bad skip
	shift
	[[ -z ${ONLY:-} || $name == *$ONLY* ]] || return 0
	out=$(timeout -k 10 "$limit" "$@" 2>&1 </dev/null)
	rc=$?
	skip=$(grep -cE '^ok .*# *SKIP' <<<"$out")
	ok=$(($(grep -cE '^ok ' <<<"$out") - skip))
	bad=$(grep -cE '^not ok ' <<<"$out")
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' <<<"$out" | tail -1)
	if [[ -z $plan || $((ok + bad + skip)) != "$plan" || ($rc != 0 && $bad == 0) ]]; then
		bad=$((bad + 1))
		out+=$'\n'"not ok - $name: exit status $rc, plan ${plan:-none}, seen $((ok + bad + skip - 1))"
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if ((bad)); then
		printf 'FAIL  %s\n' "$name"
		tail -n 200 <<<"$out" | sed 's/^/      /'
		failures+=("$name")
	else
		printf 'ok    %-50s %3d passed%s\n' "$name" "$ok" "$( ((skip)) && echo ", $skip skipped")"
	fi
	if ((skip)); then grep -E '^ok .*# *SKIP' <<<"$out" | sed 's/^/      /'; fi
}

for group in "$@"; do
	case $group in
	unit)
		for src in tests/unit/*/test_*.c; do
			bin=$B/${src%.c}
			run_one "${src%.c}" "$bin"
		done
		;;
	golden | live)
		for script in tests/"$group"/test_*.sh; do
			[[ -e $script ]] && run_one "${script%.sh}" bash "$script"
		done
		;;
	*)
		echo "tests/run.sh: no group $group" >&2
		exit 2
		;;
	esac
done

((failed)) && printf 'failed: %s\n' "${failures[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
