#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories of snapshots as inputs: report, merge, and how a range of time is chosen.
set -u
# shellcheck source=tests/tap.sh
. tests/tap.sh
D=$T/snap

# window HOST TIME SECONDS DUE [.gz] <stacks: a snapshot with its json
window() {
	local f=$D/$1/$2-$3.folded start end
	mkdir -p "$D/$1"
	cat >"$f"
	start=${2:0:4}-${2:4:2}-${2:6:2}T${2:9:2}:${2:11:2}:${2:13:2}.000Z
	end=$(date -u -d "${start%.000Z}Z + $3 seconds" +%Y-%m-%dT%H:%M:%S.000Z)
	if [[ -n ${5:-} ]]; then
		gzip -n "$f"
		f=$f.gz
	fi
	cat >"$f.json" <<-J
		{
		  "version": 1, "host": "$1", "kernel": "6.18", "arch": "x86_64", "event": "cpu-clock",
		  "freq_hz": 99, "cpus": 2, "start": "$start", "end": "$end",
		  "samples": {"due": $4, "delivered": $4, "idle": 5, "filtered": 0, "kept": 9, "lost": 1},
		  "losses": {"ring-full": 1}, "cost": {"bpf_ns_per_sample": 4000.0, "cpu_seconds": 0.25,
		  "max_rss_bytes": 1000}, "notes": ["blind"]
		}
	J
}
printf 'a;b 5\na;c 2\n' | window one 20261120T100000Z 10 1980
printf 'a;b 3\nd 4\n' | window one 20261120T100010Z 10 1980 gz
printf 'a;c 1\n' | window one 20261120T100020Z 10 1980 gz
printf 'a;b 7\nz 1\n' | window two 20261120T100010Z 10 3960 gz
# What is no snapshot is left alone.
mkdir -p "$D/one/lost+found"
echo nonsense >"$D/one/README"
echo half >"$D/one/.eddy-12345678.tmp"

folded() { "$EDDY" report --format folded "$@" 2>"$T/err"; }

equal 'a folder: all hosts, all windows' $'a;b 15\na;c 3\nd 4\nz 1' "$(folded "$D")"
equal 'it says what it read' "eddy: $D: 4 snapshots, 2026-11-20T10:00:00Z to 2026-11-20T10:00:30Z, of 2 hosts" \
	"$(cat "$T/err")"
equal 'the folder of one host' $'a;b 8\na;c 3\nd 4' "$(folded "$D/one")"
equal 'one host of all' $'a;b 7\nz 1' "$(folded --host two "$D")"
equal 'a time of day is of the last day there' $'a;b 10\na;c 1\nd 4\nz 1' \
	"$(folded --since 10:00:10 --until 10:00:30 "$D")"
equal 'a window belongs to every range that it has a part in' $'a;b 15\na;c 2\nd 4\nz 1' \
	"$(folded --since 10:00:09 --until 10:00:11 "$D")"
equal 'and it says how far they reach' \
	"eddy: $D: 3 of 4 snapshots, 2026-11-20T10:00:00Z to 2026-11-20T10:00:20Z, of 2 hosts" "$(cat "$T/err")"
for t in 2026-11-20T10:00:20Z '2026-11-20 10:00:20' 20261120T100020Z 2026-11-20T12:00:20+02:00 10:00:20; do
	equal "since $t" 'a;c 1' "$(folded --since "$t" "$D")"
done
equal 'until alone' $'a;b 5\na;c 2' "$(folded --until 10:00:10 "$D")"
equal 'folders and files add up' $'a;b 15\na;c 3\nd 4\nx 9\nz 1' "$(echo 'x 9' | folded "$D" -)"

fails 'nothing in range' 1 "eddy: $D: no snapshots since 2026-11-21T00:00:00Z; there are 4, 2026-11-20T10:00:00Z to 2026-11-20T10:00:30Z" \
	report --since 2026-11-21 "$D"
fails 'nothing of that host' 1 "eddy: $D: no snapshots of host 'three'; there are one, two" report --host three "$D"
mkdir -p "$T/odd/web%2F1" && echo 'x 3' >"$T/odd/web%2F1/20261120T100000Z-10.folded"
equal 'a host by its name' 'x 3' "$(folded --host web/1 "$T/odd")"
equal 'or by its folder' 'x 3' "$(folded --host web%2F1 "$T/odd")"
esc=$T/$'\e[31mred'
cp -r "$T/odd" "$esc"
folded "$esc" >/dev/null
ok 'a path is no word to a terminal' test -z "$(tr -cd '\033' <"$T/err")"
rm -r "$esc"
fails 'an empty folder' 1 "*: no snapshots in this directory" report "$D/one/lost+found"
fails 'a missing folder' 1 "*: No such file or directory" report "$T/none"
fails 'no folder to choose from' 2 '*--since, --until and --host choose from a directory*' report --host x /dev/null
fails 'a range that is none' 2 '*--since is not before --until*' report --since 2026-11-20T10:00Z --until 2026-11-20T09:00Z "$D"
for t in 10 25:00 10:60 2026-13-01 2026-02-30 20261120T1000 tomorrow -10x '' 10:00:00:00 2026-11-20T; do
	fails "no time: '$t'" 2 '*--since:*is no time such as*' report --since "$t" "$D"
done
ok 'relative times' "$EDDY" report --since -36500d --until now "$D"

# ---- merge
"$EDDY" merge -o "$T/m.folded" "$D" 2>"$T/err"
equal 'merge is the sum' $'a;b 15\na;c 3\nd 4\nz 1' "$(cat "$T/m.folded")"
golden 'its json is the sum of theirs' snapshots/merged.json < <(jq -S . "$T/m.folded.json")
"$EDDY" merge -o "$T/m.folded.gz" "$D/two" "$T/m.folded" 2>/dev/null
equal 'packed, with a merged file among the inputs' $'a;b 22\na;c 3\nd 4\nz 2' "$(zcat "$T/m.folded.gz")"
equal 'dues add up over both' 13860 "$(jq .samples.due "$T/m.folded.gz.json")"
equal 'merging with nothing changes nothing' "$(cat "$T/m.folded")" \
	"$("$EDDY" merge -o - "$T/m.folded" /dev/null 2>/dev/null)"
cp "$T/m.folded" "$T/own.folded"
"$EDDY" merge -o "$T/own.folded" "$T/own.folded" "$T/own.folded" 2>/dev/null
equal 'into one of its inputs' $'a;b 30\na;c 6\nd 8\nz 2' "$(cat "$T/own.folded")"
equal 'files without json are said' 'eddy: 1 of 2 files had no .json beside them: standard input' \
	"$(echo 'x 1' | "$EDDY" merge -o "$T/n.folded" "$T/m.folded" - 2>&1)"
equal 'and noted' '1 of 2 merged files had no .json: their 1 samples are in the stacks but in no number here' \
	"$(jq -r '.notes[-1]' "$T/n.folded.json")"
"$EDDY" merge --no-sidecar -o "$T/s.folded" "$T/m.folded" 2>/dev/null
equal '--no-sidecar' missing "$([[ -e $T/s.folded.json ]] || echo missing)"
"$EDDY" merge -o "$T/s.folded" "$T/m.folded" 2>/dev/null
equal 'a .json of the file that is replaced goes' "eddy: $T/s.folded.json was about the file that has been replaced: removed" \
	"$("$EDDY" merge --no-sidecar -o "$T/s.folded" "$T/m.folded" 2>&1)"
equal 'and is gone' missing "$([[ -e $T/s.folded.json ]] || echo missing)"
"$EDDY" merge -o "$T/s.folded" "$T/m.folded" 2>/dev/null
echo 'x 5' | "$EDDY" report -o "$T/s.folded" - 2>/dev/null
equal 'report does the same' missing "$([[ -e $T/s.folded.json ]] || echo missing)"
echo '{"mine": 1}' >"$T/s.folded.json"
echo 'x 5' | "$EDDY" report -o "$T/s.folded" - 2>/dev/null
equal 'what is not ours stays' '{"mine": 1}' "$(cat "$T/s.folded.json")"
rm "$T/s.folded.json"
equal 'other formats' 'digraph' "$("$EDDY" merge --format dot -o - "$T/m.folded" 2>/dev/null | head -c 7)"

echo 'x 9223372036854775807' >"$T/big.folded"
echo old >"$T/out.folded"
fails 'an overflow' 1 'eddy: *: the counts add up to more than 9223372036854775807' merge -o "$T/out.folded" "$T/big.folded" "$T/big.folded"
fails 'a bad file' 1 'eddy: *README:1: no count' merge -o "$T/out.folded" "$T/m.folded" "$D/one/README"
printf '{"samples": {"due": 18446744073709551615}}' >"$T/big.folded.json"
echo 'x 1' >"$T/big.folded"
fails 'an overflow in the json' 1 'eddy: *big.folded.json: the numbers of the .json files add up to more*' merge -o "$T/out.folded" "$T/big.folded" "$T/big.folded"
printf '{"samples": {' >"$T/big.folded.json"
fails 'a bad json' 1 'eddy: *big.folded.json: not JSON: at byte 13*' merge -o "$T/out.folded" "$T/big.folded"
equal 'the output is left alone' old "$(cat "$T/out.folded")"
fails 'no output' 2 '*-o FILE is missing*' merge "$T/m.folded"
fails 'no input' 2 '*no FILE to merge*' merge -o "$T/x.folded"
fails 'two outputs' 2 '*given twice*' merge -o a -o b "$T/m.folded"
fails 'no format' 2 '*the suffix names no format*' merge -o "$T/x.what" "$T/m.folded"
ok 'help' "$EDDY" merge --help

# ---- so many that they are read on two threads
M=$T/many
mkdir -p "$M/one"
for i in {10..99}; do
	awk -v i="$i" 'BEGIN { for (k = 0; k < 30; k++) print "main;f" (i + k) % 40 ";g" i * k % 17 " " k + 1 }' >"$M/one/20261120T1000${i}Z-10.folded"
	echo '{"version": 1, "host": "one", "samples": {"kept": 465}}' >"$M/one/20261120T1000${i}Z-10.folded.json"
done
# Seconds end at 59: these are no names of snapshots.
rm "$M"/one/*T1000[6-9]*
for i in {10..59}; do
	cp "$M/one/20261120T1000${i}Z-10.folded" "$M/one/20261120T1001${i}Z-10.folded"
	echo "only;late$i 1" >>"$M/one/20261120T1001${i}Z-10.folded"
	cp "$M/one/20261120T1000${i}Z-10.folded.json" "$M/one/20261120T1001${i}Z-10.folded.json"
done
equal 'many: as one after the other' "$(cat "$M"/one/*.folded | "$EDDY" report --view tree --format tsv -)" \
	"$("$EDDY" report --view tree --format tsv "$M" 2>/dev/null)"
equal 'many: by their hosts' "$(cat "$M"/one/*.folded | sed 's/^[a-z]*;/one;/' | "$EDDY" report --format folded -)" \
	"$(folded --root host "$M")"
equal 'many: merged' "$(cat "$M"/one/*.folded | "$EDDY" report --format folded -)" "$("$EDDY" merge -o - "$M" 2>/dev/null)"
"$EDDY" merge -o "$T/many.folded" "$M" 2>/dev/null
equal 'many: the .json of all' 46500 "$(jq .samples.kept "$T/many.folded.json")"
mv "$M/one/20261120T100133Z-10.folded.json" "$T/aside.json"
equal 'many: one without a .json' '1 of 100 merged files had no .json: their 466 samples are in the stacks but in no number here' \
	"$("$EDDY" merge -o "$T/many.folded" "$M" 2>/dev/null; jq -r '.notes[-1]' "$T/many.folded.json")"
echo 'a; 1' >>"$M/one/20261120T100140Z-10.folded"
echo 'b; 1' >>"$M/one/20261120T100142Z-10.folded"
fails 'many: the first bad one of the later half' 1 "*eddy: $M/one/20261120T100140Z-10.folded:32: empty frame" report "$M"
echo 'c; 1' >>"$M/one/20261120T100050Z-10.folded"
fails 'many: of both halves' 1 "*eddy: $M/one/20261120T100050Z-10.folded:31: empty frame" report "$M"

# ---- options that would change nothing
fails 'a limit on folded text' 2 "*--limit: the format 'folded' does not have it*" report --limit 3 --format folded "$T/m.folded"
fails 'percents of a folded tree' 2 "*--percent: the format 'folded' does not have it*" \
	report --view tree --percent total --format folded "$T/m.folded"
fails 'depth of a folded tree' 2 "*--depth:*" report --view tree --depth 2 -o "$T/x.folded" "$T/m.folded"
fails 'percents of TSV' 2 "*--percent: the format 'tsv' does not have it*" report --view tree --percent total --format tsv "$T/m.folded"
ok 'one of two outputs is enough' "$EDDY" report --limit 3 -o "$T/x.folded" -o "$T/x.tsv" "$T/m.folded"
finish
