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
for tool in xz zstd bzip2; do
	"$tool" -c "$T/canonical.folded" >"$T/packed.$tool" 2>/dev/null
	equal "$tool, whatever the name" "$(cat "$T/canonical.folded")" "$(folded - <"$T/packed.$tool")"
	equal "$tool, two members" "$(cat "$T/packed" "$T/packed" | folded)" \
		"$(cat "$T/packed.$tool" "$T/packed.$tool" | folded)"
done
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
	"eddy: $fixtures/perf-callgraph.txt: 16 samples of other events than context-switches are left out: cpu-clock 16 (--event NAME chooses, --event all adds them up)" \
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
for tool in xz zstd bzip2; do
	head -c 60 "packed.$tool" >cut.part
	rejected "$tool cut off" "cut.part: $tool data is cut off" cut.part
	{ cat "packed.$tool"; echo garbage garbage garbage garbage; } >cut.part
	out=$(folded cut.part 2>&1)
	equal "$tool with garbage behind it" "eddy: cut.part: damaged $tool data" "${out%: *}"
	head -c 400000000 /dev/zero | tr '\0' '\n' | "$tool" -1 -c >bomb 2>/dev/null
	rejected "$tool bomb, by its size" \
		'bomb: more than 1048576 bytes unpacked (--max-input raises the limit)' --max-input 1M bomb
done
printf 'a;b 1.5\n' >fraction.folded
rejected 'a count with a fraction' \
	'fraction.folded:1: the count has a fraction, and counts are whole numbers (multiply all of them first)' \
	fraction.folded
printf 'a;b%s 1 2\n' 1 2 3 4 5 6 7 8 >diff.folded
rejected 'what a diff writes' \
	'diff.folded: two counts a line: this is what a diff writes, and not a profile (eddy diff reads the two files that it was made of)' \
	diff.folded
printf 'a;b 1 2\na;c 3 4\n' >small.folded
equal 'a few lines of it: said, and read' \
	'eddy: small.folded: two numbers end each line: read as a name that ends in one, and a count; of a diff, name the two files it was made of
a;b 1 2
a;c 3 4' "$(folded small.folded 2>&1)"
printf 'worker 7 1\nworker 8 2\n' >names.folded
equal 'names that end in a number are no diff' "$(cat names.folded)" "$(folded names.folded)"
rejected '--max-input' 'packed: more than 20 bytes unpacked (--max-input raises the limit)' \
	--max-input 20 packed
head -c 400000000 /dev/zero | tr '\0' '\n' | gzip -1 >bomb.gz
rejected 'gzip bomb, by its size' 'bomb.gz: more than 1048576 bytes unpacked (--max-input raises the limit)' \
	--max-input 1M bomb.gz
printf 'worker 7 41/42 [001] 10.000001:   5 cycles:u: \n\tffffffff81000001 sys_read+0x1 ([kernel.kall' >cut.txt
cut=$(folded cut.txt 2>&1)
equal 'perf script cut in a line: the sample is kept' 'eddy: cut.txt:2: the text is cut off in this line; its sample may lack frames
worker 7 1' "$cut"
printf 'worker 7 41/42 [001] 10.000001:   5 cycles:u: \n\t12 main+0x1 (work)\n' >cut2.txt
cut=$(folded cut2.txt 2>&1)
equal 'perf script cut in a sample: the sample is kept' 'eddy: cut2.txt:2: the text is cut off in this sample, which may lack frames
worker 7;main 1' "$cut"
rejected '--event of folded text' 'good.folded: --event is of perf script text, which this is not' \
	--event cycles good.folded

equal 'nothing: said so' 'eddy: standard input: no samples in it' \
	"$("$EDDY" report - </dev/null 2>&1 >nothing)"
equal 'a suffix that is nearly one' "; did you mean '.folded'?" \
	"$("$EDDY" report -o x.fodled good.folded 2>&1 | grep -o '; did you mean [^;]*?')"
equal 'one that is near none' '' \
	"$("$EDDY" report -o x.wxyz good.folded 2>&1 | grep -o '; did you mean [^;]*?')"

# One file of two events: each, both, by count and by period, of a process, with its PID.
events() {
	printf 'sh 7/8 [000] 1.5: 10 cycles:u: \n\t12 f (m)\n\n'
	printf 'sh 7/9 [001] 1.6: 20 faults: \n\t12 f (m)\n\nb 17/17 [001] 1.7: 40 cycles:u: \n\t12 g (m)\n\n'
}
events >events.txt
equal '--event, --by, --pid, --root of perf script text' \
	$'b;g 1\nsh;f 1\n-\nsh;f 1\n-\nb;g 40\nsh;f 30\n-\nb-17/17;g 1\n-\nsh-7;f 2\n-\nsh;f 1' \
	"$({
		folded events.txt; echo -
		folded --event faults events.txt; echo -
		folded --event all --by period events.txt; echo -
		folded --root thread --pid 17 events.txt; echo -
		folded --root process --event all --pid 7 events.txt; echo -
		folded --tid 8 events.txt
	} 2>/dev/null)"
rejected '--event that is not there' 'events.txt: no samples of cache; there are cycles:u 2, faults 1' \
	--event cache events.txt
printf 'PERFILE2\150\0\0\0\0\0\0\0' >perf.data
rejected 'perf.data itself' \
	"perf.data: perf's own binary format is not read ('perf script -i perf.data' prints the text that is)" \
	perf.data
finish
