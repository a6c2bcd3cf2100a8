#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run.sh GROUP...: runs the tests of the groups (unit, golden, live, noisy, attack, programs,
# packages, kernels, kernels-arm64, lint, fuzz, corpus) and closes with "N passed, N failed,
# N skipped".
#
# Every test is a program that prints TAP: "ok 1 - name", "not ok 2 - name", "ok 3 - name # SKIP why";
# lines "# note: text" are shown.  A test that dies, prints no plan or hangs is a failure of its own.
# Each check that failed is named once more before the last line, with what it said.
#
# Live and noisy tests, attacks and kernels judge samples that were taken by chance, on machines that
# others use: one that fails is shown and run again, alone, at most twice, and the end names those that
# passed only then as flaky.  One that keeps standing there has a defect, or finds one.  Two runs of
# tests that sample wait for each other.  A live test with a line "# Beside the others: why" waits
# more than it works: those run one after the other while the rest does.
#
#   ONLY=pattern    runs the tests whose path contains it
#   LEAVE=pattern   leaves out those whose path contains it, and says so
#   JOBS=n          unit and golden tests, and kernels, at a time (default: processors)
#   TEST_TIMEOUT=s  after which a test program is said to hang (default 1800; they take up to 60)
#   RUNNER='command' runs the unit tests, when they are another machine's
#   AWK=gawk        what the tests find as awk; those that name none are left out
set -u
cd "$(dirname "$0")/.." || exit 1
export B=${B:-build}
export CMOCKA_MESSAGE_OUTPUT=TAP
export LC_ALL=C.UTF-8 TZ=UTC
locked=0
exec {lock}</dev/null
limit=${TEST_TIMEOUT:-1800}
passed=0 failed=0 skipped=0
failures=() flaky=()
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
	timeout -k 10 "$limit" "${plain[@]}" "$@" >"$scratch/$n.out" 2>&1 </dev/null {lock}>&-
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
# The checks of $out that failed, a line each: file, check, and the beginning of what they said.
explain() {
	awk -v name="$1" '
	/^not ok / { if (line) print line; line = name ": " $0; n = 0; next }
	/^#/ && line && n < 4 { sub(/^# */, ""); line = line " | " $0; n++; next }
	!/^#/ { if (line) print line; line = "" }
	END { if (line) print line }' <<<"$out" | cut -c1-400
}
# report NAME N [AGAIN...]: with a command, a test that failed is run again by it, at most twice,
# when nothing else runs any more.
report() {
	local name=$1 n=$2 out ok bad skip then="" try
	shift 2
	judge "$name" "$n"
	for ((try = 2; bad && $# && try <= 3; try++)); do
		wait
		printf 'AGAIN %s failed, and is run again:\n' "$name"
		tail -n 200 <<<"$out" | sed 's/^/      /'
		start "$n" "$@"
		judge "$name" "$n"
		then=" at try $try"
		((bad)) || flaky+=("$name: passed$then")
	done
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if ((bad)); then
		printf 'FAIL  %s%s\n' "$name" "$then"
		tail -n 200 <<<"$out" | sed 's/^/      /'
		mapfile -t -O "${#failures[@]}" failures < <(explain "$name")
	else
		printf 'ok    %-50s %3d passed%s%s, %d s\n' "$name" "$ok" \
			"$( ((skip)) && echo ", $skip skipped")" "$then" "$(cat "$scratch/$n.s")"
	fi
	if ((!bad)); then sed -n 's/^# note: /      /p' <<<"$out"; fi
	if ((skip && !bad)); then grep -E '^ok .*# *SKIP' <<<"$out" | sed 's/^/      /'; fi
}

# wanted FILE...: those of them that ONLY, LEAVE and AWK ask for, to $files.
wanted() {
	local file
	files=()
	for file in "$@"; do
		[[ -e $file ]] || continue
		[[ -z ${ONLY:-} || $file == *$ONLY* ]] || continue
		if [[ -n ${LEAVE:-} && $file == *$LEAVE* ]]; then
			echo "left out: ${file%.*}"
			continue
		fi
		[[ -z ${AWK:-} ]] || grep -q awk "$file" || continue
		files+=("$file")
	done
}
# start_file N: the file of that number with the command of its kind
start_file() {
	case ${files[$1]} in
	*.c) start "$1" "${runner[@]}" "$B/${files[$1]%.c}" ;;
	*) start "$1" bash "${files[$1]}" ;;
	esac
}
# show TRIES: reports what has ended, in the order given, up to the first that has not.
show() {
	local file
	while ((shown < ${#files[@]})) && [[ -s $scratch/$shown.rc ]]; do
		file=${files[shown]}
		if (($1 == 3)); then report "${file%.*}" $shown bash "$file"; else report "${file%.*}" $shown; fi
		shown=$((shown + 1))
	done
}

# run JOBS TRIES FILE...: each file, so many at a time.
run() {
	local jobs=$1 tries=$2 n running=0 shown=0 files
	shift 2
	wanted "$@"
	for ((n = 0; n < ${#files[@]}; n++)); do
		start_file $n &
		running=$((running + 1))
		if ((running >= jobs)); then
			wait -n
			running=$((running - 1))
		fi
		show "$tries"
	done
	wait
	show "$tries"
	rm -f "$scratch"/*.out "$scratch"/*.rc "$scratch"/*.s
}
# run_live FILE...: one after the other, and beside them, likewise, those that mostly wait; these
# are reported last.
run_live() {
	local n m file shown=0 files first=() beside=()
	wanted "$@"
	for file in "${files[@]}"; do
		if grep -q '^# Beside the others: ' "$file"; then beside+=("$file"); else first+=("$file"); fi
	done
	files=("${first[@]}" "${beside[@]}")
	n=${#first[@]}
	for ((m = n; m < ${#files[@]}; m++)); do start_file $m; done &
	for ((m = 0; m < n; m++)); do
		start_file $m
		show 3
	done
	wait
	show 3
	rm -f "$scratch"/*.out "$scratch"/*.rc "$scratch"/*.s
}

# What samples the machine sees all that runs on it: others like it wait.  The lock ends with its
# holder, and no test inherits it.
alone() {
	((locked)) && return
	exec {lock}>&- {lock}>"$(lock_dir)/eddy-live-tests.lock" || return 1
	locked=1
	flock -n "$lock" || {
		echo 'another run of live tests is at work; waiting for it'
		flock "$lock"
	}
}
lock_dir() { [[ -w /run/lock ]] && echo /run/lock || echo "${TMPDIR:-/tmp}"; }

jobs=${JOBS:-$(nproc)}
for group in "$@"; do
	case $group in
	unit) run "$jobs" 1 tests/unit/*/test_*.c ;;
	golden) run "$jobs" 1 tests/golden/test_*.sh ;;
	live) alone && run_live tests/live/test_*.sh ;;
	noisy) alone && run 1 3 tests/noisy/test_*.sh ;;
	attack) alone && run 1 3 tests/attack/test_*.sh ;;
	programs) alone && run 1 3 tests/programs/test_*.sh ;;
	packages) run 1 1 tests/packages/test_*.sh ;;
	kernels) run "$jobs" 3 tests/kernels/test_[!a]*.sh ;;
	kernels-arm64) run "$jobs" 3 tests/kernels/test_arm64_*.sh ;;
	lint | fuzz) run 1 1 tests/"$group"/run.sh ;;
	corpus) run 1 1 tests/fuzz/replay.sh ;;
	*)
		echo "tests/run.sh: no group $group" >&2
		exit 2
		;;
	esac
done

((${#flaky[@]})) && printf 'flaky %s\n' "${flaky[@]}" "tests: ${#flaky[@]}"
((failed)) && printf 'failed: %s\n' "${failures[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed + skipped > 0))
