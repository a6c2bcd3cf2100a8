#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks in the formats of other tools, read by those tools or by readers that are not eddy's: the
# numbers are those of `eddy report`, differences and sums those of the tools.
# shellcheck disable=SC2317 # functions called by name
# shellcheck source=tests/tap.sh
. tests/tap.sh

# Known answers: total 32; a, b and c 15, fact 10.
cat >"$T/known.folded" <<'END'
main;a;b;a;b;c 10
main;a;b;c 5
main;fact;fact;fact;mul 7
main;fact;fact 3
main;leaf 5
main;irq_handler_[k];timer_[k] 2
END
# The same program some time later, and its .json: 99 Hz for a second and a half.
sed 's/ 7$/ 9/; s/ 5$/ 4/' "$T/known.folded" >"$T/later.folded"
echo 'main;new 6' >>"$T/later.folded"
for f in known later; do
	echo '{"version": 1, "event": "cpu-clock", "unit": "samples", "freq_hz": 99, "root": "none",
		"start": "2026-11-20T10:00:00.000Z", "end": "2026-11-20T10:00:01.500Z",
		"samples": {"due": 149, "kept": 32, "lost": 0}}' >"$T/$f.folded.json"
done
# Names that mean something to somebody, and one of 64 KiB.
{
	printf '<script>alert(1)</script>;</script>;]]>&lt &#x3c 1\n'
	printf 'a "b" '"'c'"' \\u0041 \\;\033[31mred\033]0;x\007;\xff\xc3( \xed\xa0\x80 2\n'
	printf 'rtl \xe2\x80\xae;\xef\xbf\xbe\xef\xbf\xbf;\xe6\x97\xa5 3\n'
	printf '%065536d 4\n' 0 | tr 0 '"'
} >"$T/hostile.folded"
: >"$T/none.folded"
echo 'one 1' >"$T/one.folded"
# Random stacks, deep and recursive.
awk 'BEGIN { srand(7); for (i = 0; i < 400; i++) { s = "main"; n = 1 + rand() * 20
	while (n-- > 1) s = s ";f" int(rand() * 30); print s, 1 + int(rand() * 99) } }' >"$T/random.folded"
inputs="known hostile none one random"

# total FILE: of a folded file
total() { awk '{ t += $NF } END { print t + 0 }' "$1"; }
# flat FILE ARG...: "inclusive self name", sorted
flat() {
	"$EDDY" report --format tsv "$@" | tail -n +2 | cut -f1,2,7 | LC_ALL=C sort
}

# ---- speedscope --------------------------------------------------------------------------------

# What its schema asks for, and what its importer would be misled by.
speedscope_is_sound() {
	jq -e '
	(keys - ["$schema", "shared", "profiles", "exporter"] == []) and
	."$schema" == "https://www.speedscope.app/file-format-schema.json" and
	(.shared.frames | all(keys - ["name", "file"] == [] and (.name | type == "string"))) and
	(.shared.frames | length) as $n | (.profiles | length == 1) and
	(.profiles[0] | .type == "sampled" and (.name | type == "string") and
		(.unit == "none" or .unit == "nanoseconds") and .startValue == 0 and
		.endValue == (.weights | add // 0) and (.samples | length) == (.weights | length) and
		(.samples | all(length > 0 and all(. >= 0 and . < $n and . == floor))))' "$1"
}
# Inclusive and self by its numbers, as flat prints them.
speedscope_flat() {
	jq -r '.profiles[0] as $p | .shared.frames as $f |
		[range($p.samples | length) as $i | $p.weights[$i] as $w | $p.samples[$i] |
			.[-1] as $leaf | unique[] |
			{f: ., w: $w, s: (if . == $leaf then $w else 0 end)}] |
		group_by(.f)[] | [(map(.w) | add), (map(.s) | add), $f[.[0].f].name] |
		"\(.[0])\t\(.[1])\t\(.[2])"' "$1" | LC_ALL=C sort
}
for i in $inputs; do
	ok "speedscope: $i" "$EDDY" report -o "$T/$i.speedscope.json" "$T/$i.folded"
	ok "speedscope: $i is sound" speedscope_is_sound "$T/$i.speedscope.json"
done
for i in hostile one random; do
	equal "speedscope: numbers of $i" "$(flat "$T/$i.folded")" \
		"$(speedscope_flat "$T/$i.speedscope.json")"
done
golden 'speedscope: what is written' speedscope.json <"$T/known.speedscope.json"
equal 'speedscope: time, where the frequency is known' "nanoseconds $((32 * 10101010))" \
	"$(jq -r '.profiles[0] | "\(.unit) \(.endValue)"' "$T/known.speedscope.json")"
ok 'speedscope: --format to standard output' cmp "$T/one.speedscope.json" \
	<("$EDDY" report --format speedscope "$T/one.folded")
ok 'speedscope: passes come first' speedscope_is_sound \
	<("$EDDY" report --format speedscope --collapse full "$T/known.folded")
equal 'speedscope: recursion collapsed' 1 "$("$EDDY" report --format speedscope --collapse full \
	--focus fact "$T/known.folded" | jq '[.shared.frames[].name] as $n |
	.profiles[0].samples | map(map(select($n[.] == "fact")) | length) | max')"
fails 'speedscope: the name of a .json beside folded text' 2 '*beside folded text*' \
	report -o "$T/x.folded.json" "$T/one.folded"

# ---- SVG -----------------------------------------------------------------------------------------

for i in $inputs; do
	ok "SVG: $i" "$EDDY" report -o "$T/$i.svg" "$T/$i.folded"
done
golden 'SVG: what is written' flame.svg <"$T/known.svg"
equal 'SVG: numbers' '32 samples, 100.00 %' \
	"$(sed -n '/<title>main$/ { n; s/<.*//p }' "$T/known.svg")"
if command -v xmllint >/dev/null; then
	for i in $inputs; do
		ok "SVG: $i is XML" xmllint --noout "$T/$i.svg"
	done
else
	skip 'SVG: is XML' 'no xmllint: tests/deps.sh test installs it'
fi
ok 'SVG: no script, nothing from elsewhere' \
	awk '/<script|xlink|<image|@import|url\(| on[a-z]+=/ { exit 1 }' "$T/hostile.svg"

# ---- pprof ---------------------------------------------------------------------------------------

for i in $inputs; do
	ok "pprof: $i" "$EDDY" report -o "$T/$i.pb.gz" "$T/$i.folded"
	ok "pprof: $i is gzip" gzip -t "$T/$i.pb.gz"
done
ok 'pprof: merge' "$EDDY" merge -o "$T/sum.pb.gz" "$T/known.folded" "$T/later.folded"
ok 'pprof: diff' "$EDDY" diff -o "$T/change.pb.gz" "$T/known.folded" "$T/later.folded"
"$EDDY" report -o "$T/later.pb.gz" "$T/later.folded"
if ! command -v go >/dev/null; then
	skip 'pprof: what go tool pprof makes of it' 'no go: tests/deps.sh langs installs it'
	finish
fi
export HOME=$T PPROF_TMPDIR=$T
# pprof ARG...: all functions by "inclusive self name", sorted
pprof() {
	go tool pprof -symbolize=none -nodecount=1000000 -nodefraction=0 -edgefraction=0 -unit=count \
		-sample_index=samples -top -cum "$@" 2>"$T/pprof.err" |
		sed -nE 's/^ *(-?[0-9]+) +[^ ]+ +[^ ]+ +(-?[0-9]+) +[^ ]+  (.*)$/\2\t\1\t\3/p' |
		LC_ALL=C sort
}
for i in $inputs; do
	ok "pprof: $i is valid" go tool pprof -symbolize=none -raw "$T/$i.pb.gz"
	go tool pprof -symbolize=none -sample_index=samples -raw "$T/$i.pb.gz" 2>/dev/null |
		awk '/^Locations/ { exit } /^ +[0-9]+( +[0-9]+)?: / { t += $1 } END { print t + 0 }' >"$T/total"
	equal "pprof: total of $i" "$(total "$T/$i.folded")" "$(cat "$T/total")"
done
for i in known hostile one random; do
	equal "pprof: numbers of $i" "$(flat "$T/$i.folded")" "$(pprof "$T/$i.pb.gz")"
done
equal 'pprof: numbers of a sum' "$(flat "$T/known.folded" "$T/later.folded")" \
	"$(pprof "$T/sum.pb.gz")"
equal 'pprof: which are those of its own sum' "$(pprof "$T/sum.pb.gz")" \
	"$(pprof "$T/known.pb.gz" "$T/later.pb.gz")"
# Functions that did not change are left out by some versions.
changed() { awk -F'\t' '$1 || $2'; }
want=$(join -t $'\t' -a 1 -a 2 -e 0 -o 0,1.2,1.3,2.2,2.3 \
	<(flat "$T/known.folded" | awk -F'\t' -v OFS='\t' '{ print $3, $1, $2 }' | LC_ALL=C sort) \
	<(flat "$T/later.folded" | awk -F'\t' -v OFS='\t' '{ print $3, $1, $2 }' | LC_ALL=C sort) |
	awk -F'\t' -v OFS='\t' '{ print $4 - $2, $5 - $3, $1 }' | LC_ALL=C sort | changed)
equal 'pprof: -diff_base' "$want" "$(pprof -diff_base "$T/known.pb.gz" "$T/later.pb.gz" | changed)"
equal 'pprof: of eddy diff' "$want" "$(pprof "$T/change.pb.gz" | changed)"
ok 'pprof: a difference is by what was before' grep -q 'of 32 total' \
	<(go tool pprof -symbolize=none -sample_index=samples -top "$T/change.pb.gz" 2>/dev/null)
equal 'pprof: a difference has the time of what was after' \
	'Duration: 1.5s PeriodType: cpu nanoseconds samples/count cpu/nanoseconds[dflt]' \
	"$(go tool pprof -symbolize=none -raw "$T/change.pb.gz" 2>/dev/null | grep -E '^(Duration|PeriodType|samples)' |
		LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
golden 'pprof: what is written' pprof.raw < <(
	go tool pprof -symbolize=none -raw "$T/known.pb.gz" 2>/dev/null | sed '/^Locations/,$d; /^Doc/d'
)
# perf script text: its comms are base frames, and so labels.
printf 'a b  12/13 [001] 5.0: 1 cpu-clock:\n\t4005d0 main+0x10 (/bin/a)\n\n' >"$T/script.txt"
"$EDDY" report -o "$T/script.pb.gz" "$T/script.txt"
equal 'pprof: labels' ' comm: Total a b ctx: Total task' \
	"$(go tool pprof -symbolize=none -sample_index=samples -tags "$T/script.pb.gz" 2>/dev/null |
		sed 's/ [0-9].*: / /; s/ [0-9.]*$//' | tr -s ' \n' ' ' | sed 's/ $//')"

# Of folded text the .json says what first frames are.
echo 'a b-12/13;f 1' >"$T/root.folded"
for root in thread none; do
	echo '{"samples": {}, "root": "'$root'"}' >"$T/root.folded.json"
	"$EDDY" merge -o "$T/root-$root.pb.gz" "$T/root.folded"
	go tool pprof -symbolize=none -raw "$T/root-$root.pb.gz" 2>/dev/null >"$T/root-$root.raw"
done
equal 'pprof: labels of folded text' ' comm:[a b] pid:[12 pid] tid:[13 tid]' \
	" $(sed -nE 's/^ +([a-z]+:\[.*)/\1/p' "$T/root-thread.raw" | tr -s ' \n' ' ' | sed 's/ $//')"
ok 'pprof: and of such without first frames' test -z "$(grep 'comm:' "$T/root-none.raw")"

# perf.data: samples with the times of their slots, in order; those without come as at 0.
if perf --version >/dev/null 2>&1; then
	printf 'main;a 5\nmain;b 3\n' >"$T/times.folded"
	printf '%s\n' 'eddy timeline 1' 'slot_ns 10000000' 'asked_ns 10000000' \
		'start_ms 1795402899259' 'slots 300' 'lines 2' 'total 8' 'timed 6' 'untimed 2' \
		'3 1*2 2' '7 1 2*2' >"$T/times.folded.timeline"
	"$EDDY" report -o "$T/times.perf" "$T/times.folded"
	equal 'perf.data: times' ' 0.000000: 2 1795402899.289000: 1 1795402899.289000: 2 1795402899.329000: 1 1795402899.329000: 2' \
		"$(perf script -i "$T/times.perf" -G -F time,period 2>/dev/null | LC_ALL=C sort |
			tr -s ' \n' ' ' | sed 's/ $//')"
else
	skip 'perf.data: times' 'no perf: tests/deps.sh bench installs it'
fi

finish
