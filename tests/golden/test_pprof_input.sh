#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pprof as input: profiles of Go, of Go's own tool, and those that were written here.
# pprof/go-*.pb.gz are of a program with labels and two functions that call each other, one of them
# inlined.
. tests/tap.sh
go_cpu=tests/golden/pprof/go-cpu.pb.gz go_heap=tests/golden/pprof/go-heap.pb.gz

# flat FILE [OPTION]...: all functions by "inclusive self name"; inlined ones as go's tool has them
flat() {
	"$EDDY" report --format tsv "$@" 2>"$T/flat.err" |
		awk -F'\t' -v OFS='\t' 'NR > 1 { sub(/_\[i\]$/, "", $7); print $1, $2, $7 }' | LC_ALL=C sort
}
# pprof FILE TYPE: the same of go's tool
pprof() {
	go tool pprof -symbolize=none -nodecount=1000000 -nodefraction=0 -edgefraction=0 -unit="$3" \
		-sample_index="$2" -top -cum "$1" 2>"$T/pprof.err" |
		sed -nE 's/^ *([0-9]+)[a-zA-Z]* +[^ ]+ +[^ ]+ +([0-9]+)[a-zA-Z]* +[^ ]+  (.*)$/\2\t\1\t\3/p' |
		sed 's/ (inline)$//; s/ (partial-inline)$//' | LC_ALL=C sort
}

# ---- what there is in it -------------------------------------------------------------------------

"$EDDY" report --format folded "$go_cpu" >"$T/cpu.folded" 2>"$T/err"
equal 'samples are counted, which needs no word' '' "$(cat "$T/err")"
ok 'inlined functions' grep -qF 'main.isOdd;main.isEven_[i];main.isOdd' "$T/cpu.folded"
ok 'a label comm is the base frame' grep -q '^worker;runtime.main;main.main;' "$T/cpu.folded"
ok '--root none: there is none' test -z "$("$EDDY" report --root none --format folded "$go_cpu" |
	grep '^worker;')"
"$EDDY" report --view cycles --format tsv "$go_cpu" | tail -n +2 | cut -f 2,6 >"$T/cycles"
equal 'its recursion is found' $'2\tmain.isEven_[i];main.isOdd' "$(cat "$T/cycles")"
gzip -dc "$go_cpu" >"$T/raw.pb"
equal 'raw protobuf' "$(flat "$go_cpu")" "$(flat "$T/raw.pb")"
equal 'standard input' "$(flat "$go_cpu")" "$(flat - <"$go_cpu")"
twice() { awk -F'\t' -v OFS='\t' '{ print 2 * $1, 2 * $2, $3 }' | LC_ALL=C sort; }
equal 'twice as many of two' "$(flat "$go_cpu" | twice)" "$(flat "$go_cpu" "$go_cpu")"
ok 'merge' "$EDDY" merge -o "$T/sum.folded" "$go_cpu" "$go_cpu"
equal 'merge adds up' "$(flat "$go_cpu" "$go_cpu")" "$(flat "$T/sum.folded")"
ok 'diff' "$EDDY" diff --format tsv -o "$T/diff" "$go_cpu" "$T/raw.pb"

printf 'a 12/13 [001] 5.0: 1 cpu-clock:\n\t4005d0 %s+0x1 (/bin/a)\n\t4005d0 %s+0x1 (/bin/a)\n\n' \
	f main >"$T/s"
equal '--root none takes no function away, of perf script text either' 'main;f 1' \
	"$("$EDDY" report --root none --format folded "$T/s")"

# ---- types of values -----------------------------------------------------------------------------

"$EDDY" report "$go_heap" >"$T/heap" 2>"$T/err"
ok 'the default type' grep -q '^counts: bytes of inuse_space' "$T/heap"
ok 'which is told with the others' \
	grep -q 'inuse_space; there are alloc_objects/count, .* (--event chooses)' "$T/err"
for event in alloc_objects inuse_space/bytes; do
	"$EDDY" report --event $event "$go_heap" >"$T/heap" 2>"$T/err"
	equal "--event $event: no word" '' "$(cat "$T/err")"
done
refused() {
	local name=$1 want=$2
	shift 2
	"$EDDY" "$@" >"$T/out" 2>"$T/err"
	equal "$name: status, nothing else" '1 ' "$? $(cat "$T/out")"
	ok "$name: says why" grep -qe "$want" "$T/err"
}
refused 'another type' 'no values of cpus; there are samples/count, cpu/nanoseconds' \
	report --event cpus "$go_cpu"
refused 'bytes and samples' 'added up: one counts bytes of inuse_space, the other samples' \
	report "$go_heap" "$go_cpu"
refused 'diff of bytes' 'known of numbers of samples or objects alone' diff "$go_heap" "$go_heap"
refused '--root without labels' 'the samples have no label pid' report --root process "$go_cpu"
refused '--pid without labels' '--pid: the sample has no label pid' report --pid 1 "$go_cpu"
refused '--by' 'of perf script text' report --by period "$go_cpu"
head -c 1500 "$T/raw.pb" >"$T/cut.pb" # in the midst of a field
refused 'cut off' 'cut.pb: byte [0-9]* unpacked: ' report "$T/cut.pb"

# ---- there and back ------------------------------------------------------------------------------

for i in known recursion_mutual; do
	file=$T/$i.folded
	printf '%s\n' '[hardirq];irq_[k] 2' 'a b;main;f;g_[k] 9' 'a b;main;f_[j] 3' 'a\x1b;[lost:x] 1' \
		'c;[app+0x12] 5' 'c;main;in_[i];f;in_[i];deep_[i] 4' >"$file"
	[[ $i == known ]] || cp "$T/cpu.folded" "$file"
	"$EDDY" report -o "$T/$i.pb.gz" "$file"
	"$EDDY" report --format folded "$T/$i.pb.gz" | LC_ALL=C sort >"$T/back"
	equal "$i: comes back as it was" "$("$EDDY" report --format folded "$file" | LC_ALL=C sort)" \
		"$(cat "$T/back")"
done

if ! command -v go >/dev/null; then
	skip 'the same numbers as go tool pprof' 'no go: tests/deps.sh langs installs it'
	finish
fi
export HOME=$T PPROF_TMPDIR=$T
equal 'samples as go tool pprof has them' "$(pprof "$go_cpu" samples count)" \
	"$(flat "$go_cpu" --root none)"
equal 'CPU time' "$(pprof "$go_cpu" cpu ns)" "$(flat "$go_cpu" --root none --event cpu)"
for event in inuse_space:B alloc_objects:count; do
	equal "${event%:*}" "$(pprof "$go_heap" "${event%:*}" "${event#*:}")" \
		"$(flat "$go_heap" --event "${event%:*}")"
done
go tool pprof -symbolize=none -proto -output="$T/again.pb.gz" "$T/known.pb.gz" >/dev/null 2>&1
equal 'what go tool pprof writes' "$(flat "$T/known.pb.gz")" "$(flat "$T/again.pb.gz")"
finish
