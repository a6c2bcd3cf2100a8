#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy export: rows of files and directories, and what it refuses.  The databases are asked in
# test_fleet.sh.
set -u
# shellcheck source=tests/tap.sh
. tests/tap.sh
D=$T/snap
mkdir -p "$D/web%2F1"
printf 'a;b 5\n' >"$D/web%2F1/20261120T100000Z-10.folded"
printf '{"host": "web/1", "event": "cpu-clock", "freq_hz": 99, "cpus": 2, "samples": {"due": 1980, "kept": 5, "lost": 0}}' \
	>"$D/web%2F1/20261120T100000Z-10.folded.json"
printf 'a;b 2\n' >"$D/web%2F1/20261120T100010Z-10.folded"
printf 'x 1\n' >"$T/one.folded"
printf '{"host": "h", "start": "2026-11-20T10:00:00.500Z", "end": "2026-11-20T10:00:20.400Z", "samples": {"due": 7}}' >"$T/one.folded.json"
rows() { "$EDDY" export --clickhouse "$@" 2>/dev/null; }
tsv() { printf '%s' "$1" | tr ' ' '\t'; }

equal 'all in one' "$(tsv "web/1 1795168800 10 0 1980 16601599842520829589 5 ['a','b']")" "$(rows --table all "$D" | head -n 1)"
equal 'without .json by the name alone' "$(tsv "web%2F1 1795168810 10 0 0 16601599842520829589 2 ['a','b']")" "$(rows --table all "$D" | tail -n 1)"
equal 'samples' "$(tsv 'web/1 1795168800 10 0 16601599842520829589 5')" "$(rows --table samples --until 10:00:10 "$D")"
equal 'stacks, each once' "$(tsv "16601599842520829589 ['a','b']")" "$(rows --table stacks "$D")"
equal 'windows' "$(tsv 'web/1 1795168800 10 0 cpu-clock 99 2 1980 5 0')" "$(rows --table windows --until 10:00:10 "$D")"
equal 'a file and its json' "$(tsv 'h 1795168800 20 0 12638214688346347271 1')" "$(rows --table samples "$T/one.folded")"
equal 'a window without .json has no row among them' 1 "$(rows --table windows "$D" | wc -l)"
equal 'and that is said' 'eddy: 1 snapshot has no .json beside it: left out' \
	"$("$EDDY" export --clickhouse --table windows "$D" 2>&1 >/dev/null | tail -n 1)"
printf 'a;b 3\n' >"$D/web%2F1/20261120T100010Z-10-2.folded"
equal 'two windows of one time are told apart' "$(tsv '0 2 ')$(tsv '2 3 ')" \
	"$(rows --table samples --since 10:00:10 "$D" | cut -f4,6 | tr '\n' '\t')"
rm "$D/web%2F1/20261120T100010Z-10-2.folded"
rows --table all -o "$T/rows.tsv" "$D"
equal 'into a file' "$(rows --table all "$D")" "$(cat "$T/rows.tsv")"

# Without --table: all in one, and in a directory a file of each.
equal 'the default is all in one' "$(rows --table all "$D")" "$(rows "$D")"
equal 'said once, of each' \
	'eddy: 1 snapshot has no .json beside it: the host is that of the directory, and windows.tsv has no row' \
	"$("$EDDY" export --clickhouse -o "$T/rows/" "$D" 2>&1 | tail -n 1)"
equal 'three files' 'samples.tsv stacks.tsv windows.tsv ' "$(find "$T/rows" -type f -printf '%f\n' | sort | tr '\n' ' ')"
for table in stacks samples windows; do
	equal "$table.tsv is what --table $table writes" "$(rows --table $table "$D")" "$(cat "$T/rows/$table.tsv")"
done
ok 'and once more into what is there' "$EDDY" export --clickhouse -o "$T/rows" "$D"

rm "$T/one.folded.json"
fails 'nobody knows whose' 1 'eddy: *one.folded: no .json beside it says*' export --clickhouse --table samples "$T/one.folded"
fails 'nor whose the input is' 1 'eddy: *no .json beside it*' export --clickhouse --table all -
equal 'stacks need no json' 1 "$(rows --table stacks "$T/one.folded" | wc -l)"
echo bad >"$D/web%2F1/20261120T100020Z-10.folded"
fails 'a bad file among good ones' 1 '*20261120T100020Z-10.folded:1: no count' export --clickhouse -o "$T/bad/" "$D"
ok 'writes nothing' test ! -e "$T/bad"
rm "$D/web%2F1/20261120T100020Z-10.folded"
fails 'a file is no directory' 1 '*rows.tsv/: Not a directory' export --clickhouse -o "$T/rows.tsv/" "$D"
fails 'for whom' 2 '*the format is missing: --clickhouse*' export "$D"
fails 'no such table' 2 "*--table: 'x' is not one of stacks, samples, windows, all*" export --clickhouse --table x "$D"
fails 'nothing' 2 '*no FILE or DIR*' export --clickhouse
ok 'help' "$EDDY" export --help
finish
