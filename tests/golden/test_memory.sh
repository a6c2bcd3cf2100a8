#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Small files that would become large: refused before the memory is taken, and where there is none
# to take, exit status 1 and one line.  The limit of the process stands for a small machine.
source tests/tap.sh
if ! (ulimit -v 300000 && "$EDDY" --version) >/dev/null 2>&1; then
	skip 'files that become large' 'the program does not start in 300 MB of address space'
	finish
fi

# limited NAME PATTERN ARG...: in 300 MB it ends with status 1, one line that matches, and no output
limited() {
	local name=$1 pattern=$2 rc
	shift 2
	(ulimit -v 300000 && exec timeout 300 "$EDDY" "$@") >"$T/out" 2>"$T/err"
	rc=$?
	equal "$name: exit status" 1 "$rc"
	equal "$name: one line" 1 "$(wc -l <"$T/err")"
	ok "$name: $(head -c 120 "$T/err")" grep -qE "^eddy: .*$pattern" "$T/err"
	equal "$name: nothing on standard output" '' "$(head -c 100 "$T/out")"
}
refused='take more than [0-9]+ MiB of memory'

# 24 MB of text each, as files of 60 to 100 KB.
awk 'BEGIN { for (i = 0; i < 1200; i++) { printf "%d", i; for (k = 0; k < 10000; k++) printf ";a"; print " 1" } }' |
	gzip >"$T/wide.gz"
awk 'BEGIN { for (i = 0; i < 12000000; i++) printf "a;"; print "a 1" }' | gzip >"$T/deep.gz"
# Of perf's a frame needs more text.
awk 'BEGIN {
	for (i = 0; i < 20; i++) {
		printf "x 1 %d.0: c:\n", i
		for (k = 0; k < 200000; k++) printf "\t1 %d%s (b)\n", i, "f"
		print ""
	}
}' | gzip >"$T/perf.gz"
for file in wide deep perf; do
	limited "report of $file" "$refused" report "$T/$file.gz"
done
limited 'report as a tree' "$refused" report --view tree "$T/wide.gz"
limited merge "$refused" merge -o "$T/merged.folded" "$T/wide.gz"
limited diff "$refused" diff "$T/wide.gz" "$T/wide.gz"
limited export "$refused" export --clickhouse --table stacks "$T/wide.gz"
limited 'a bound of one megabyte' 'more than 1 MiB of memory' report --max-input 1M "$T/wide.gz"

# Who raises the limit gets as far as there is memory.
for command in report "merge -o $T/merged.folded" 'diff'; do
	# shellcheck disable=SC2086 # words
	limited "${command%% *}, no memory" 'out of memory' $command --max-input 4G "$T/wide.gz" \
		$([[ $command == diff ]] && echo "$T/wide.gz")
done
equal 'nothing is left of outputs' '' "$(find "$T" -name '*merged*' -o -name '*tmp*')"
# And it is no bound for those that become little: 24 MB of one stack.
yes 'main;f;g 1' | head -n 2000000 | gzip >"$T/long.gz"
equal 'a long file of few stacks' 'main;f;g 2000000' \
	"$(ulimit -v 300000; "$EDDY" report --irq keep --format folded "$T/long.gz" 2>&1)"
finish
