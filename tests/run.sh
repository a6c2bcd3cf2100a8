#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run.sh GROUP...: runs the tests of the groups (unit, golden, live, attack, kernels,
# kernels-arm64, lint, fuzz) and closes with "N passed, N failed, N skipped".  Every test is a program that prints TAP:
# "ok 1 - name", "not ok 2 - name", "ok 3 - name # SKIP why"; lines "# note: text" are shown.  A
# test that dies, prints no plan or runs longer than its time is a failure of its own.
#
# Live tests, attacks and kernels judge samples that were taken by chance, on machines that others
# use: one that fails is shown and run once more, and the end names those that passed only then.  One
# that keeps standing there has a defect, or finds one.
#
#   ONLY=pattern    runs the tests whose path contains it
#   LEAVE=pattern   leaves out those whose path contains it, and says so
#   JOBS=n          unit and golden tests, and kernels, at a time (default: processors); live tests
#                   and attacks run alone
#   TEST_TIMEOUT=s  for one test program (default 600)
#   RUNNER='command' runs the unit tests, when they are another machine's
#   AWK=gawk        what the tests find as awk; those that name none are left out
set -u
cd "$(dirname "$0")/.." || exit 1
export B=${B:-build}
export CMOCKA_MESSAGE_OUTPUT=TAP
export LC_ALL=C.UTF-8 TZ=UTC
limit=${TEST_TIMEOUT:-600}
passed=0 failed=0 skipped=0
failures=() second=()
read -ra runner <<<"${RUNNER:-}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/eddy-run.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

if [[ -n ${AWK:-} ]]; then
	command -v "$AWK" >/dev/null || { echo "tests/run.sh: no $AWK" >&2; exit 2; }
	mkdir "$scratch/bin" && ln -s "$(command -v "$AWK")" "$scratch/bin/awk" || exit 1
	PATH=$scratch/bin:$PATH
fi
# What people set for themselves colours what is compared.
unset GREP_OPTIONS GREP_COLOR GREP_COLORS POSIXLY_CORRECT CDPATH BASH_ENV ENV

# setarch -R: the sanitizers of older compilers die by chance under strong address randomisation.
plain=()
case $B in */san*) setarch -R true 2>/dev/null && plain=(setarch -R) ;; esac

start() {
	local n=$1 began=$EPOCHSECONDS rc
	shift
	timeout -k 10 "$limit" "${plain[@]}" "$@" >"$scratch/$n.out" 2>&1 </dev/null
	rc=$?
	echo $((EPOCHSECONDS - began)) >"$scratch/$n.s"
	echo $rc >"$scratch/$n.rc"
}

# What test n printed: $out, $ok, $bad, $skip.
judge() {
	local name=$1 rc plan
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
}
# report NAME N [AGAIN...]: with a command, a test that failed is run once more by it.
report() {
	local name=$1 n=$2 out ok bad skip then=
	shift 2
	judge "$name" "$n"
	if ((bad && $#)); then
		printf 'AGAIN %s failed, and is run once more:\n' "$name"
		tail -n 200 <<<"$out" | sed 's/^/      /'
		start "$n" "$@"
		judge "$name" "$n"
		then=' at the second run'
		((bad)) || second+=("$name")
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if ((bad)); then
		printf 'FAIL  %s%s\n' "$name" "$then"
		tail -n 200 <<<"$out" | sed 's/^/      /'
		failures+=("$name")
	else
		printf 'ok    %-50s %3d passed%s%s, %d s\n' "$name" "$ok" \
			"$( ((skip)) && echo ", $skip skipped")" "$then" "$(cat "$scratch/$n.s")"
	fi
	if ((!bad)); then sed -n 's/^# note: /      /p' <<<"$out"; fi
	if ((skip && !bad)); then grep -E '^ok .*# *SKIP' <<<"$out" | sed 's/^/      /'; fi
}

# run JOBS TRIES FILE...: each file with the command of its kind, reported in the order given.
run() {
	local jobs=$1 tries=$2 n=0 running=0 shown=0 file names=() again=()
	shift 2
	for file in "$@"; do
		[[ -e $file ]] || continue
		[[ -z ${ONLY:-} || $file == *$ONLY* ]] || continue
		if [[ -n ${LEAVE:-} && $file == *$LEAVE* ]]; then
			echo "left out: ${file%.*}"
			continue
		fi
		[[ -z ${AWK:-} ]] || grep -q awk "$file" || continue
		names+=("${file%.*}")
		((tries == 2)) && again+=("$file")
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
			report "${names[shown]}" $shown ${again[shown]:+bash "${again[shown]}"}
			shown=$((shown + 1))
		done
	done
	wait
	for (( ; shown < n; shown++)); do
		report "${names[shown]}" $shown ${again[shown]:+bash "${again[shown]}"}
	done
	rm -f "$scratch"/*.out "$scratch"/*.rc "$scratch"/*.s
}

jobs=${JOBS:-$(nproc)}
for group in "$@"; do
	case $group in
	unit) run "$jobs" 1 tests/unit/*/test_*.c ;;
	golden) run "$jobs" 1 tests/golden/test_*.sh ;;
	live) run 1 2 tests/live/test_*.sh ;;
	attack) run 1 2 tests/attack/test_*.sh ;;
	kernels) run "$jobs" 2 tests/kernels/test_[!a]*.sh ;;
	kernels-arm64) run "$jobs" 2 tests/kernels/test_arm64_*.sh ;;
	lint | fuzz) run 1 1 tests/"$group"/run.sh ;;
	*)
		echo "tests/run.sh: no group $group" >&2
		exit 2
		;;
	esac
done

((${#second[@]})) && printf 'passed only at the second run: %s\n' "${second[@]}"
((failed)) && printf 'failed: %s\n' "${failures[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed + skipped > 0))
