#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/mutate.sh GROUP...: shows that the tests can fail.  Each mutation of tests/mutations.sh is
# made in a copy of the tree, which is built, and the test that it names must fail in the check that
# it names, or die in it.  Closes with "N passed, N failed, N skipped".  A failure is: a mutation that changes
# nothing any more, or that does not build; a check that does not pass without the mutation, or that
# passes with it.  GROUP: unit, golden, live, noisy, attack, kernels; by the test that is named.
#
#   ONLY=pattern  the mutations whose name or test contains it
#   PART=i/n      each n-th of them, from the i-th on (0/2 and 1/2 are all)
#   JOBS=n        unit and golden tests at a time, each in its own copy (default: processors)
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
export B=${B:-build} LC_ALL=C.UTF-8 CMOCKA_MESSAGE_OUTPUT=TAP
unset MAKEFLAGS MAKELEVEL
jobs=${JOBS:-$(nproc)}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/eddy-mutate.XXXXXX") || exit 1
workers=()
cleanup() {
	((${#workers[@]})) && kill "${workers[@]}" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# mutation NAME TEST CHECK FILE SCRIPT: see tests/mutations.sh
names=() tests=() checks=() files=() scripts=()
groups=" $* "
seen=0 part_n=${PART:-0/1}
part_i=${part_n%/*} part_n=${part_n#*/}
mutation() {
	[[ $groups == *" ${2%%/*} "* ]] || return 0
	[[ -z ${ONLY:-} || $1 == *$ONLY* || $2 == *$ONLY* ]] || return 0
	seen=$((seen + 1))
	((seen % part_n == part_i % part_n)) || return 0
	names+=("$1") tests+=("$2") checks+=("$3") files+=("$4") scripts+=("$5")
}
# shellcheck source=tests/mutations.sh
. tests/mutations.sh

copy_tree() {
	mkdir -p "$1/$B"
	git ls-files -co --exclude-standard -z |
		while IFS= read -r -d '' f; do [[ -e $f ]] && printf '%s\0' "$f"; done |
		tar -c --null -T - | tar -xp -C "$1"
	for part in eddy gen bpf obj lib tests live workloads attack kernels; do
		[[ -e $B/$part ]] && cp -a "$B/$part" "$1/$B"
	done
}

# Each group needs what its tests run.
build() {
	case $1 in
	unit/*) make "$B/tests/$1" ;;
	golden/*) make "$B/eddy" ;;
	live/* | noisy/*) make tests ;;
	attack/*) make attack ;;
	kernels/*) make tests "$B/kernels/verify" ;;
	esac
}
run_test() {
	case $1 in
	unit/*) timeout -k 10 60 "$B/tests/$1" ;;
	*) timeout -k 10 600 bash "tests/$1.sh" ;;
	esac </dev/null 2>&1
}
# line STATE CHECK FILE: the first line of a test's output that says so of the check; cmocka calls
# one that skips itself not ok
line() {
	tr -d '\0' <"$3" | sed 's/^not \(ok [0-9]*\) # SKIP \(.*\)/\1 - \2 # SKIP/' | grep -m 1 -E "^$1 [0-9]+ - .*($2)"
}
# found NAME: where the one file is that is called so
found() {
	git ls-files -co --exclude-standard -- "$1" "*/$1" |
		while read -r f; do [[ -e $f ]] && echo "$f"; done
}

# Without a mutation: the check passes, or is skipped.  One run for all mutations of a test.
baseline() {
	local out=$scratch/base/${1//\//_}
	mkdir -p "$scratch/base"
	(
		flock 9
		[[ -e $out ]] && exit
		build "$1" >"$out.build" 2>&1 && run_test "$1" >"$out.run"
		mv "$out.run" "$out" 2>/dev/null || cp "$out.build" "$out"
	) 9>"$out.lock"
	base=$out
}

# try I: says what came of it; status 0: noticed, 1: a failure, 2: skipped.  In a copy of the tree.
try() {
	local test=${tests[$1]} check=${checks[$1]} out=$scratch/$1.run all file skip base rc
	mapfile -t all < <(cd "$root" && found "${files[$1]}")
	((${#all[@]} == 1)) || { echo "${#all[@]} files are called ${files[$1]}"; return 1; }
	file=${all[0]}
	cp "$file" "$scratch/$1.orig"
	sed -E "${scripts[$1]}" "$scratch/$1.orig" >"$scratch/$1.new" || return 1
	cmp -s "$scratch/$1.orig" "$scratch/$1.new" && { echo "changes nothing in $file"; return 1; }
	baseline "$test"
	skip=$(line ok "$check" "$base" | grep '# *SKIP' ||
		{ grep -qx '1\.\.1' "$base" && grep '# *SKIP' "$base"; }) && {
		echo "${skip#*# }"
		return 2
	}
	line ok "$check" "$base" >/dev/null || {
		echo "tests/$test does not pass '$check' without it"
		tail -n 20 "$base"
		return 1
	}
	cat "$scratch/$1.new" >"$file"
	build "$test" >"$scratch/$1.build" 2>&1 || {
		echo 'does not build'
		tail "$scratch/$1.build"
		return 1
	}
	run_test "$test" >"$out"
	rc=$?
	line 'not ok' "$check" "$out" || {
		((rc >= 128)) && ! line ok "$check" "$out" && echo 'it died in it'
	} || {
		echo "tests/$test does not notice it"
		tail -n 40 "$out"
		return 1
	}
}

# work FIRST STEP COPY INDEX...: each STEP-th of the mutations, in its own copy
work() {
	local at=$1 step=$2 copy=$3 i all
	shift 3
	all=("$@")
	cd "$copy" || exit 1
	for (( ; at < ${#all[@]}; at += step)); do
		i=${all[at]}
		try "$i" >"$scratch/$i.out"
		echo $? >"$scratch/$i.tmp"
		# Newer than what was built of it, so that it is built again.
		[[ -e $scratch/$i.orig ]] && cat "$scratch/$i.orig" >"$(cd "$root" && found "${files[i]}")"
		mv "$scratch/$i.tmp" "$scratch/$i.rc"
	done
}

passed=0 failed=0 skipped=0 failures=()
report() {
	local i=$1 rc
	while [[ ! -e $scratch/$i.rc ]]; do
		kill -0 "${workers[@]}" 2>/dev/null || sleep 1
		[[ -e $scratch/$i.rc ]] || sleep 0.2
	done
	rc=$(cat "$scratch/$i.rc")
	case $rc in
	0)
		passed=$((passed + 1))
		printf 'ok    %-40s %s\n' "${names[i]}" "$(head -c 110 "$scratch/$i.out" | head -n 1)"
		;;
	2)
		skipped=$((skipped + 1))
		printf 'skip  %-40s %s: %s\n' "${names[i]}" "${tests[i]}" "$(cat "$scratch/$i.out")"
		;;
	*)
		failed=$((failed + 1)) failures+=("${names[i]}")
		printf 'FAIL  %s (%s)\n' "${names[i]}" "${tests[i]}"
		sed 's/^/      /' "$scratch/$i.out"
		;;
	esac
}

# mutate NR INDEX...: in so many copies at a time
mutate() {
	local nr=$1 w i
	shift
	(($# == 0)) && return
	((nr > $#)) && nr=$#
	for ((w = 0; w < nr; w++)); do
		[[ -d $scratch/tree$w ]] || copy_tree "$scratch/tree$w"
		work "$w" "$nr" "$scratch/tree$w" "$@" &
		workers+=($!)
	done
	for i in "$@"; do report "$i"; done
	wait
	workers=()
}

together=() alone=()
for i in "${!names[@]}"; do
	case ${tests[i]} in
	unit/* | golden/*) together+=("$i") ;;
	*) alone+=("$i") ;;
	esac
done
mutate "$jobs" "${together[@]}"
mutate 1 "${alone[@]}"

((failed)) && printf 'failed: %s\n' "${failures[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed + skipped > 0))
