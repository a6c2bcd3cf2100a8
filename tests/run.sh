#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run.sh GROUP...: runs the tests of the groups (unit, golden, live, kernels, kernels-arm64,
# lint, fuzz) and closes with "N passed, N failed, N skipped".  Every test is a program that prints TAP:
# "ok 1 - name", "not ok 2 - name", "ok 3 - name # SKIP why"; lines "# note: text" are shown.  A
# test that dies, prints no plan or runs longer than its time is a failure of its own.
#
#   ONLY=pattern    runs the tests whose path contains it
#   JOBS=n          unit and golden tests, and kernels, at a time (default: processors); live tests
#                   run alone
#   TEST_TIMEOUT=s  for one test program (default 600)
#   RUNNER='command' runs the unit tests, when they are another machine's
set -u
cd "$(dirname "$0")/.." || exit 1
export B=${B:-build}
export CMOCKA_MESSAGE_OUTPUT=TAP
export LC_ALL=C.UTF-8
limit=${TEST_TIMEOUT:-600}
passed=0 failed=0 skipped=0
failures=()
read -ra runner <<<"${RUNNER:-}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/eddy-run.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

# setarch -R: the sanitizers of older compilers die by chance under strong address randomisation.
plain=()
case $B in */san*) setarch -R true 2>/dev/null && plain=(setarch -R) ;; esac

start() {
	local n=$1
	shift
	timeout -k 10 "$limit" "${plain[@]}" "$@" >"$scratch/$n.out" 2>&1 </dev/null
	echo $? >"$scratch/$n.rc"
}

report() {
	local name=$1 out rc plan ok bad skip
	# cmocka calls a test that skips itself not ok.
	out=$(tr -d '\0' <"$scratch/$2.out" | sed 's/^not \(ok [0-9]* # SKIP\)/\1/')
	rc=$(cat "$scratch/$2.rc")
	skip=$(grep -cE '^ok .*# *SKIP' <<<"$out")
	ok=$(($(grep -cE '^ok ' <<<"$out") - skip))
	bad=$(grep -cE '^not ok ' <<<"$out")
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' <<<"$out" | tail -1)
	if [[ -z $plan || $((ok + bad + skip)) != "$plan" || ($rc != 0 && $bad == 0) ]]; then
		out+=$'\n'"not ok - $name: exit status $rc, plan ${plan:-none}, seen $((ok + bad + skip))"
		bad=$((bad + 1))
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if ((bad)); then
		printf 'FAIL  %s\n' "$name"
		tail -n 200 <<<"$out" | sed 's/^/      /'
		failures+=("$name")
	else
		printf 'ok    %-50s %3d passed%s\n' "$name" "$ok" "$( ((skip)) && echo ", $skip skipped")"
	fi
	if ((!bad)); then sed -n 's/^# note: /      /p' <<<"$out"; fi
	if ((skip && !bad)); then grep -E '^ok .*# *SKIP' <<<"$out" | sed 's/^/      /'; fi
}

# run JOBS FILE...: each file with the command of its kind, reported in the order given.
run() {
	local jobs=$1 n=0 running=0 shown=0 file names=()
	shift
	for file in "$@"; do
		[[ -e $file ]] || continue
		[[ -z ${ONLY:-} || $file == *$ONLY* ]] || continue
		names+=("${file%.*}")
		case $file in
		*.c) start $n "${runner[@]}" "$B/${file%.c}" & ;;
		*) start $n bash "$file" & ;;
		esac
		n=$((n + 1)) running=$((running + 1))
		if ((running >= jobs)); then
			wait -n
			running=$((running - 1))
		fi
		while ((shown < n)) && [[ -s $scratch/$shown.rc ]]; do
			report "${names[shown]}" $shown
			shown=$((shown + 1))
		done
	done
	wait
	for (( ; shown < n; shown++)); do report "${names[shown]}" $shown; done
	rm -f "$scratch"/*
}

jobs=${JOBS:-$(nproc)}
for group in "$@"; do
	case $group in
	unit) run "$jobs" tests/unit/*/test_*.c ;;
	golden) run "$jobs" tests/golden/test_*.sh ;;
	live) run 1 tests/live/test_*.sh ;;
	kernels) run "$jobs" tests/kernels/test_[!a]*.sh ;;
	kernels-arm64) run "$jobs" tests/kernels/test_arm64_*.sh ;;
	lint | fuzz) run 1 tests/"$group"/run.sh ;;
	*)
		echo "tests/run.sh: no group $group" >&2
		exit 2
		;;
	esac
done

((failed)) && printf 'failed: %s\n' "${failures[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed + skipped > 0))
