#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy diff: what it prints, the two-count form of FlameGraph, directories, and what it refuses.
set -u
# shellcheck source=tests/tap.sh
. tests/tap.sh
cd "$T" || exit 1
root=$OLDPWD

cat >before.folded <<'S'
app;main;f;f 120
app;main;g;h 400
app;main;old 30
app;main;tiny 1
irq_[k];a:b 20
S
cat >after.folded <<'S'
app;main;f;f 171
app;main;g;h 410
app;main;new 40
irq_[k];a:b 20
S
run() { "$EDDY" diff "$@" 2>&1; }

# golden reads standard input and counts, so it must not stand in a pipe's subshell
cd "$root" || exit 1
golden 'text, without .json' diff/flat.txt < <(cd "$T" && run before.folded after.folded)
golden 'stacks' diff/stacks.txt < <(cd "$T" && run --view stacks --width 70 before.folded after.folded)
golden 'tsv' diff/flat.tsv < <(cd "$T" && run --format tsv before.folded after.folded)
golden 'tsv of stacks' diff/stacks.tsv < <(cd "$T" && run --view stacks --format tsv before.folded after.folded)
golden 'two counts' diff/two.folded < <(cd "$T" && run --format folded before.folded after.folded)
golden 'inclusive, limited' diff/inclusive.txt < <(cd "$T" && run --sort inclusive --limit 2 before.folded after.folded)
cd "$T" || exit 1

# The same join by awk.
equal 'two counts, joined by awk' \
	"$(awk '{n=$NF; sub(/ [0-9]+$/, ""); c[FILENAME, $0] = n; all[$0]} END {for (s in all)
		print s, c["before.folded", s] + 0, c["after.folded", s] + 0}' before.folded after.folded | LC_ALL=C sort)" \
	"$(run --format folded before.folded after.folded)"
# Stacks that sort differently with and without their counts.
printf 'a 3\na 5b 1\n' >x.folded
printf 'a 7\na 5b 2\n' >y.folded
equal 'a name that looks like a count' $'a 3 7\na 5b 1 2' "$(run --format folded x.folded y.folded)"
run -o d.folded.gz before.folded after.folded
equal 'packed by suffix' "$(run --format folded before.folded after.folded)" "$(zcat d.folded.gz)"
run -o d.tsv before.folded after.folded
equal 'tsv by suffix' "$(run --format tsv before.folded after.folded)" "$(cat d.tsv)"

run -o d.svg before.folded after.folded
ok 'a picture by suffix' grep -q '%: more after</title>' d.svg
equal 'a level for it' 0 "$(run --level 1e-9 --format svg before.folded after.folded | grep -c '%: more after')"
fails 'a picture has no rows' 2 '*--limit: a picture holds every stack*' diff --limit 3 -o x.svg before.folded after.folded
fails 'a page has no rows' 2 '*--view: a page holds every stack*' diff --view stacks -o x.html before.folded after.folded
equal 'nothing changed, nothing marked' 0 "$(run --format tsv before.folded before.folded | awk -F'\t' '$12 != "" && NR > 1' | wc -l)"
equal 'packed inputs' "$(run --format tsv before.folded after.folded)" \
	"$(gzip -c before.folded >b.gz; run --format tsv b.gz after.folded)"
equal 'standard input' "$(run --format tsv before.folded after.folded)" "$(run --format tsv - after.folded <before.folded)"
equal 'passes' 'f g h main new old tiny' \
	"$(run --root none --focus main --format tsv before.folded after.folded | awk -F'\t' 'NR > 1 && $13 == "inclusive" {print $14}' | sort | tr '\n' ' ' | sed 's/ $//')"
equal 'focus keeps the rates' "$(run --format tsv before.folded after.folded | awk -F'\t' '$14 == "f"' | cut -f1-8)" \
	"$(run --focus f --format tsv before.folded after.folded | awk -F'\t' '$14 == "f"' | cut -f1-8)"
equal 'a row below the minimum' '' "$(run --min-percent 1 --format tsv before.folded after.folded | grep tiny)"

# ---- samples due: twice the time after, the same rate
sidecar() { printf '{"event": "%s", "samples": {"due": %d}}\n' "$2" "$3" >"$1.json"; }
sed 's/.*/&0/' before.folded >ten.folded
sidecar before.folded cpu-clock 2000
sidecar ten.folded cpu-clock 20000
equal 'ten times as long at the same rate is no change' '1.000000 0.000000' \
	"$(run --format tsv before.folded ten.folded | awk -F'\t' '$14 == "irq_[k]" && $13 == "inclusive" {print $3, $5}')"
equal 'the totals come first' 'total 571 samples → 5710 samples, +900 %' "$(run before.folded ten.folded | head -n 1)"
equal 'and by what was due' 'of the samples expected 28.55 % → 28.55 %, +0 %' "$(run before.folded ten.folded | sed -n 2p)"
ok 'and says what the rates are' grep -qx 'before  before.folded: 571 samples of 2000 expected' <(run before.folded ten.folded)
equal 'normalized as difffolded.pl -n' 'app;main;f;f 1200 1200' "$(run --normalize --format folded before.folded ten.folded | head -n 1)"
sidecar ten.folded cycles 20000
ok 'other events are said' grep -q 'different events, cpu-clock before and cycles after' <(run before.folded ten.folded)
sidecar ten.folded $'\\u001b[31mred\\u0007' 20000
ok 'an event is no word to a terminal' test -z "$(run before.folded ten.folded 2>&1 | tr -cd '\033\007')"
rm before.folded.json
joined() { paste -sd' ' | tr -s ' '; } # sentences are wrapped
equal 'one .json is not enough' 1 "$(run before.folded ten.folded | joined | grep -c 'is not known without a .json')"

# ---- what rates are taken by: parse is cut to a quarter, render stays
facts() { printf '{"event": "cpu-clock", "freq_hz": %d, %s"samples": {"due": %d}}\n' "$2" "$4" "$3" >"$1.json"; }
printf 'p;main;parse 1560\np;main;render 780\np;main 10\n' >was.folded
printf 'p;main;parse 390\np;main;render 772\np;main 10\n' >is.folded
command='"command": "p", '
facts was.folded 1000 2400 "$command"
facts is.folded 1000 1200 "$command"
row() { run --format tsv "${@:2}" | awk -F'\t' -v f="$1" '$14 == f && $13 == "self" {print $12, $6, $15, $16, $17}'; }
equal 'recorded with a command: CPU time' 'less 0.25 cpu 1.560000 0.390000' "$(row parse was.folded is.folded)"
equal 'what was left alone is not marked' ' 0.989744 cpu 0.780000 0.772000' "$(row render was.folded is.folded)"
equal 'the totals' 'CPU time 2.35 s → 1.17 s, -50 %' "$(run was.folded is.folded | head -n 1)"
equal 'by the time due it looks doubled' 'more 1.97949 due 0.780000 0.772000' "$(row render --per due was.folded is.folded)"
equal 'by shares too' 'more 1.98455 share 0.780000 0.772000' "$(row render --per share was.folded is.folded)"
equal 'so much by unit of work' 'more 1.97949 cpu 0.780000 0.772000' "$(row render --work 2:1 was.folded is.folded)"
equal 'work of any size' "$(row parse --work 2:1 was.folded is.folded)" "$(row parse --work 3e6:1.5e6 was.folded is.folded)"
equal 'in words' 'by unit of work 2.35 ms → 1.17 ms, -50 % (1000 and 1000 done)' "$(run --work 1000:1000 was.folded is.folded | sed -n 2p)"
cd "$root" || exit 1
golden 'by CPU time' diff/cpu.txt < <(cd "$T" && run was.folded is.folded)
golden 'by CPU time, of a request' diff/work.txt < <(cd "$T" && run --view stacks --work 1000:500 was.folded is.folded)
golden 'by the time due' diff/due.txt < <(cd "$T" && run --per due was.folded is.folded)
cd "$T" || exit 1
# Another rate, the same time.
sed -E 's/([0-9]+)$/\10/' is.folded >fine.folded
facts fine.folded 10000 12000 "$command"
equal 'ten times the rate is not ten times the time' 'less 0.25 cpu 1.560000 0.390000' "$(row parse was.folded fine.folded)"
facts is.folded 1000 1200 ''
equal 'a command on one side only: by the time due' 'due' "$(row render was.folded is.folded | cut -d' ' -f3)"
facts is.folded 1000 1200 '"filter": "pid", '
equal 'a filter on one side, a command on the other' ' 0.989744 cpu 0.780000 0.772000' "$(row render was.folded is.folded)"
ok 'but then length is said' grep -q 'and not with a command: CPU time is compared as if both had done the same' <(run was.folded is.folded)
rm is.folded.json
equal 'CPU time of unknown periods: samples' ' 0.989744 cpu  ' "$(row render --per cpu was.folded is.folded)"
ok 'and that is said' grep -q 'samples, as if both sides had the same period' <(run --per cpu was.folded is.folded)
fails 'what was due is not known' 1 'eddy: --per due: how much was due is not known*' diff --per due was.folded is.folded
fails 'no such base' 2 "*--per: 'wall' is not one of due, cpu, share*" diff --per wall was.folded is.folded
fails 'work of nothing' 2 "*--work: '0:1' is not BEFORE:AFTER*" diff --work 0:1 was.folded is.folded
fails 'work that is no decimal number' 2 "*--work: '0x2:1' is not*" diff --work 0x2:1 was.folded is.folded
fails 'work of one side' 2 "*--work: '5' is not*" diff --work 5 was.folded is.folded
fails 'work of the time due' 2 '*--work is about CPU time: not with --per due*' diff --per due --work 1:1 was.folded is.folded

# ---- directories: the scatter of windows
mkdir -p snap/h
for i in $(seq 10 33); do
	f=snap/h/20261120T10${i}00Z-60.folded
	# g is bursty and unchanged, f doubles at 10:22
	echo "app;f $((i < 22 ? 100 + i % 3 : 200 + i % 3))" >"$f"
	echo "app;g $([[ " 12 20 24 27 30 32 " == *" $i "* ]] && echo $((400 + i)) || echo 10)" >>"$f"
	sidecar "$f" cpu-clock 5940
done
marks() { awk -F'\t' '$13 == "self" && $12 != "" {print $14, $12}'; }
diff_halves() { run --before 10:10..10:22 --after 10:22.. "$@" snap; }
equal 'a change is marked, scatter is not' 'f more' "$(diff_halves --format tsv 2>/dev/null | grep -v ^eddy | marks)"
"$EDDY" merge -o first.folded --until 10:22 snap 2>/dev/null
"$EDDY" merge -o second.folded --since 10:22 snap 2>/dev/null
equal 'merged, the scatter is lost, and it looks like a change' $'f more\ng more' "$(run --format tsv first.folded second.folded | marks | sort)"
ok 'which test it was is said' grep -q "Student's t by the scatter of 12 and 12 parts" <(diff_halves | joined)
ok 'and the windows' grep -q 'in 12 parts' <(diff_halves)

# ---- windows in which nothing was due, was removed, or that lie in both ranges
mkdir -p short/h
for i in 0 1 2 3; do
	echo "app;f 10" >short/h/20261120T10000${i}Z-1.folded
	sidecar short/h/20261120T10000${i}Z-1.folded cpu-clock 99
done
cp -r short cut
echo "app;f 1" >cut/h/20261120T100004Z-0.folded
sidecar cut/h/20261120T100004Z-0.folded cpu-clock 0
rates() { run --format tsv "$@" | awk -F'\t' '$14 == "f" && $13 == "self" {print $1, $2, $3, $4}'; }
equal 'a window shorter than a tick: its dues are known, its samples there' '40 41 10.101010 10.353535' "$(rates short cut)"
echo "app;f 1" >cut/h/20261120T095959Z-0.folded
sidecar cut/h/20261120T095959Z-0.folded cpu-clock 0
equal 'wherever it is' '40 42 10.101010 10.606061' "$(rates short cut)"
mkdir -p over/h
for i in 00-7 07-7 14-7 21-7; do
	echo "app;f 10" >over/h/20261120T1000${i/-/Z-}.folded
	sidecar over/h/20261120T1000${i/-/Z-}.folded cpu-clock 693
done
equal 'a window across the border is on one side' '20 20' \
	"$(rates --before 10:00:00..10:00:10 --after 10:00:10..10:01 over | cut -d' ' -f1,2)"
ok 'and that is said' grep -q '1 snapshot has a part in both ranges: counted as before' \
	<(run --before 10:00:00..10:00:10 --after 10:00:10..10:01 over 2>&1)

# ---- what is marked is shown, though its own samples are few
printf 'm;x 4000\nm;y 5000\n' >few.folded
printf 'm;newcaller;x 3000\nm;x 1000\nm;y 5000\n' >many.folded
sidecar few.folded cpu-clock 10000
sidecar many.folded cpu-clock 10000
ok 'a new caller' grep -q 'newcaller' <(run few.folded many.folded)

: >empty.folded
fails 'nothing before' 1 'eddy: empty.folded: no samples to compare with' diff empty.folded after.folded
fails 'one side' 2 '*BEFORE and AFTER are needed*' diff after.folded
fails 'three sides' 2 "*'x': there are two sides*" diff after.folded before.folded x
fails 'twice standard input' 2 '*only one side*' diff - -
fails 'a missing file' 1 'eddy: none: No such file*' diff none after.folded
fails 'a limit of folded text' 2 '*--limit: folded text holds every stack*' diff --limit 3 --format folded before.folded after.folded
fails 'normalized text' 2 '*--normalize is about folded*' diff --normalize before.folded after.folded
fails 'sorted stacks' 2 '*--sort:*' diff --view stacks --sort self before.folded after.folded
fails 'no such view' 2 "*--view: 'tree' is not one of flat, stacks*" diff --view tree before.folded after.folded
fails 'no such format' 2 '*the suffix names no format*' diff -o x.png before.folded after.folded
fails 'no range' 2 "*--before: '10:00' is not SINCE..UNTIL*" diff --before 10:00 --after ..11:00 snap
fails 'ranges twice' 2 '*--since and --until choose for both*' diff --before ..10:22 --after 10:22.. --since 10:00 snap
fails 'the same range twice' 1 '*every snapshot of --after has a part in --before too*' diff --before ..10:22 --after ..10:22 snap
fails 'a root that no stack has' 1 '*--root process: the stacks do not have it*' diff --root process before.folded after.folded
fails 'columns of a table' 2 '*--width is about text*' diff --width 80 --format tsv before.folded after.folded
fails 'a bad level' 2 '*--level*' diff --level 101 before.folded after.folded
echo 'x 9223372036854775807' >big.folded
fails 'too many samples' 1 'eddy: the counts of both sides*' diff big.folded big.folded
ok 'help' "$EDDY" diff --help
cd "$root" || exit 1
finish
