#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files in: folded text, gzip, perf script, recognised by content; and what bad ones say.  Every
# failure is exit status 1, one line on standard error, nothing on standard output.
source tests/tap.sh

fixtures=tests/unit/input/fixtures
folded() { "$EDDY" report --irq keep --format folded "$@"; }
rejected() { # NAME WANT ARGUMENT...
	local name=$1 want=$2 out
	shift 2
	out=$("$EDDY" report "$@" 2>"$T/err" </dev/null; echo "exit $?")
	equal "$name" "exit 1"$'\n'"eddy: $want" "$out"$'\n'"$(cat "$T/err")"
}

printf '%s\n' '#c 3' 'a 1' 'a 1;b 2' 'a!b 3' 'a:b;d 4' 'a;c_[k] 5' 'a<int>;operator new(int) 6' \
	$'gr\xc3\xbc\xc3\x9f 7' >"$T/canonical.folded"
equal 'the file is sorted as LC_ALL=C sort does' "$(LC_ALL=C sort "$T/canonical.folded")" \
	"$(cat "$T/canonical.folded")"
equal 'a canonical file is written as it was read' "$(cat "$T/canonical.folded")" \
	"$(folded "$T/canonical.folded")"
equal 'from standard input' "$(cat "$T/canonical.folded")" "$(folded - <"$T/canonical.folded")"
equal 'in any order' "$(cat "$T/canonical.folded")" "$(tac "$T/canonical.folded" | folded)"
equal 'without the newline at its end' "$(cat "$T/canonical.folded")" \
	"$(printf '%s' "$(cat "$T/canonical.folded")" | folded)"
gzip -c "$T/canonical.folded" >"$T/packed"
equal 'gzip, whatever the name' "$(cat "$T/canonical.folded")" "$(folded "$T/packed")"
equal 'gzip, two members' \
	"$(awk '{ n = $NF; sub(/ [0-9]+$/, ""); print $0, n * 2 }' "$T/canonical.folded" | LC_ALL=C sort)" \
	"$(cat "$T/packed" "$T/packed" | folded)"
equal 'comments, blank lines, zeros, carriage returns' 'a;b 5' \
	"$(printf '# x\n\na;b 2\r\n \nzero 0\na;b 3' | folded)"

awk 'BEGIN {
	srand(7); n = split("a|b|a 1|a 1 x|a!|a:|a<|1|#|_[k]|a_[k]|~", name, "|")
	for (i = 0; i < 4000; i++) {
		line = name[1 + int(rand() * n)]
		for (d = int(rand() * 5); d; d--) line = line ";" name[1 + int(rand() * n)]
		if (line !~ /^#( |$)/) print line, int(rand() * 12)
	} }' >"$T/random.folded"
equal 'random stacks: summed and sorted as awk and LC_ALL=C sort do' \
	"$(awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
		END { for (s in sum) if (sum[s]) print s, sum[s] }' "$T/random.folded" | LC_ALL=C sort)" \
	"$(folded "$T/random.folded")"

golden 'perf script' input_perf_script.folded < <(folded "$fixtures/perf-callgraph.txt" 2>"$T/err")
equal 'perf script of two events says so' \
	"eddy: $fixtures/perf-callgraph.txt: 16 samples of other events than context-switches are left out" \
	"$(cat "$T/err")"
equal 'perf script without --header' \
	"$(folded "$fixtures/perf-callgraph.txt" 2>/dev/null)" \
	"$(folded "$fixtures/perf-callgraph-only.txt" 2>/dev/null)"
golden 'perf script without call chains' input_perf_flat.folded < <(folded "$fixtures/perf-flat.txt" 2>&1)

cd "$T" || exit 1
printf 'a;b 1\nmain;c\n' >count.folded
rejected 'no count' 'count.folded:2: no count' count.folded
printf 'a;;b 1\n' >empty.folded
rejected 'empty frame' 'empty.folded:1: empty frame' empty.folded
printf 'a 9223372036854775808\n' >huge.folded
rejected 'huge count' 'huge.folded:1: the count is larger than 9223372036854775807' huge.folded
printf 'a 9223372036854775807\nb 1\n' >sum.folded
rejected 'overflowing sum' 'sum.folded:2: the counts add up to more than 9223372036854775807' sum.folded
printf 'a 1\n\0\1\2\n' >binary.folded
rejected 'binary' 'binary.folded:2: binary data (a NUL byte)' binary.folded
printf 'a 1\n' >good.folded
printf 'a 9223372036854775807\n' >most.folded
rejected 'overflowing sum of two files' \
	'good.folded:1: the counts add up to more than 9223372036854775807' most.folded good.folded
rejected 'a good file before it' 'count.folded:2: no count' good.folded count.folded
rejected 'no such file' 'none.folded: No such file or directory' none.folded
head -c 60 packed >cut.gz
rejected 'gzip cut off' 'cut.gz: gzip data is cut off' cut.gz
rejected '--max-input' 'packed: more than 20 bytes unpacked (--max-input raises the limit)' \
	--max-input 20 packed
head -c 400000000 /dev/zero | tr '\0' '\n' | gzip -1 >bomb.gz
rejected 'gzip bomb, by its size' 'bomb.gz: more than 1048576 bytes unpacked (--max-input raises the limit)' \
	--max-input 1M bomb.gz
printf 'worker 7 41/42 [001] 10.000001:   5 cycles:u: \n\tffffffff81000001 sys_read+0x1 ([kernel.kall' >cut.txt
rejected 'perf script cut in a line' 'cut.txt:2: perf script text is cut off in this line' cut.txt
printf 'worker 7 41/42 [001] 10.000001:   5 cycles:u: \n\t12 main+0x1 (work)\n' >cut2.txt
rejected 'perf script cut in a sample' 'cut2.txt:2: perf script text is cut off in this sample' cut2.txt
printf 'PERFILE2\150\0\0\0\0\0\0\0' >perf.data
rejected 'perf.data itself' \
	"perf.data: perf's own binary format is not read ('perf script -i perf.data' prints the text that is)" \
	perf.data
finish
