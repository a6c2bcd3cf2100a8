# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by golden and live tests: TAP output and a scratch directory $T that is removed at exit.
#   ok NAME COMMAND...       passes when the command succeeds; its output is shown when not
#   equal NAME WANT GOT      passes when the strings are equal; a diff is shown when not
#   fails NAME STATUS PATTERN ARG...  passes when eddy ends with the status, prints nothing, and what
#                            it says matches the pattern
#   skip NAME WHY            counted and shown
#   golden NAME FILE         compares standard input with tests/golden/expected/FILE
#                            (REFRESH=1 rewrites it)
#   finish                   prints the plan; the last command of every test
tap_n=0 tap_bad=0
T=$(mktemp -d "${TMPDIR:-/tmp}/eddy-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
EDDY=${EDDY:-$PWD/${B:-build}/eddy}
W=${B:-build}/workloads

tap_line() {
	tap_n=$((tap_n + 1))
	if [[ $1 == 0 ]]; then echo "ok $tap_n - $2"; else
		tap_bad=$((tap_bad + 1))
		echo "not ok $tap_n - $2"
	fi
}
ok() {
	local name=$1 out rc
	shift
	out=$("$@" 2>&1)
	rc=$?
	tap_line $rc "$name"
	[[ $rc == 0 ]] || printf '%s (exit %d): %s\n' "$*" $rc "$out" | head -n 40 | sed 's/^/# /'
}
equal() {
	if [[ $2 == "$3" ]]; then tap_line 0 "$1"; else
		tap_line 1 "$1"
		diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -n 60 | sed 's/^/# /'
	fi
}
fails() {
	local name=$1 status=$2 pattern=$3 out
	shift 3
	out=$("$EDDY" "$@" 2>&1 >"$T/stdout")
	equal "$name: status" "$status" "$?"
	# shellcheck disable=SC2053 # a pattern
	[[ $out == $pattern && ! -s $T/stdout ]]
	tap_line $? "$name: ${out##*$'\n'}"
}
skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}
golden() {
	local want=tests/golden/expected/$2 got
	got=$(cat; printf x)
	got=${got%x}
	if [[ ${REFRESH:-} == 1 ]]; then
		mkdir -p "$(dirname "$want")"
		printf '%s' "$got" >"$want"
	fi
	equal "$1" "$(cat "$want" 2>&1)" "${got%$'\n'}"
}
finish() {
	echo "1..$tap_n"
	exit $((tap_bad > 0))
}
