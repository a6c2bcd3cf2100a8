#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# report --view windows: a line a window of a directory of snapshots.
set -u
. tests/tap.sh
D=$T/snap

# window HOST TIME SAMPLES [ROOT] <stacks: a snapshot of ten seconds with its json
window() {
	local f=$D/$1/$2-10.folded start
	mkdir -p "$D/$1"
	cat >"$f"
	start=${2:0:4}-${2:4:2}-${2:6:2}T${2:9:2}:${2:11:2}:${2:13:2}
	echo "{\"version\": 1, \"host\": \"$1\", \"start\": \"$start.000Z\", \"end\": \"$start.000Z\"," \
		"\"event\": \"cpu-clock\", \"freq_hz\": 99, \"root\": \"${4:-comm}\", \"samples\": $3}" >"$f.json"
}
printf 'sort;main;sort 5\nsort;main;f_[k] 4\nsort 7\n[lost:map-full] 2\n' |
	window one 20261120T100000Z \
	'{"due": 1980, "delivered": 1970, "idle": 1475, "filtered": 477, "kept": 16, "lost": 2}'
printf 'a;b;b;b 3\nd;c 4\n' | window one 20261120T100010Z \
	'{"due": 1980, "delivered": 7, "idle": 0, "filtered": 0, "kept": 7, "lost": 0}'
printf 'main;leaf 1\nmain 2\n' | window one 20261120T100020Z \
	'{"due": 0, "delivered": 3, "idle": 0, "filtered": 0, "kept": 3, "lost": 0}' none
: | window one 20261120T100030Z \
	'{"due": 1980, "delivered": 1980, "idle": 1980, "filtered": 0, "kept": 0, "lost": 0}'
printf 'x;y 1\n' >"$D/one/20261120T100040Z-10.folded"
windows() { "$EDDY" report --view windows "$@" 2>"$T/err"; }

equal 'TSV' "$(printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' \
	start seconds due kept lost busy_percent hottest hottest_self \
	2026-11-20T10:00:00Z 10 1980 16 2 25.00 sort 5 \
	2026-11-20T10:00:10Z 10 1980 7 0 0.35 c 4 \
	2026-11-20T10:00:20Z 10 0 3 0 '' main 2 \
	2026-11-20T10:00:30Z 10 1980 0 0 0.00 '' '' \
	2026-11-20T10:00:40Z 10 '' '' '' '' x\;y 1 | sed 's/x;y/y/')" "$(windows --format tsv "$D")"
equal 'a range of time' 2026-11-20T10:00:10Z \
	"$(windows --format tsv --since 10:00:10 --until 10:00:20 "$D" | cut -f 1 | tail -n 1)"
equal '--limit' 3 "$(windows --format tsv --limit 2 "$D" | wc -l)"
equal 'passes: what they leave' f_\[k\] \
	"$(windows --format tsv --focus f --until 10:00:10 "$D" | cut -f 7 | tail -n 1)"
golden 'text' windows.txt < <(windows "$D")
printf 'a;b 3\n' | window two 20261120T100010Z \
	'{"due": 10, "delivered": 3, "idle": 0, "filtered": 0, "kept": 3, "lost": 0}'
ok 'hosts are named' grep -qE '^2026-11-20T10:00:10Z +two +10 +30.00 +3 +0  b 100.0 %$' \
	<(windows "$D")
equal 'other outputs have all windows' "$("$EDDY" report --format folded "$D" 2>/dev/null)" \
	"$(windows -o "$T/x.folded" "$D"; cat "$T/x.folded")"
"$EDDY" record --view windows -d 1 2>"$T/err"
equal 'of record: refused' 2 $?
ok 'and says where it is' grep -q "'windows' is of a directory of snapshots" "$T/err"
printf 'a;\x1b[31m;evil\xff 3\n' >"$T/evil.folded"
ok 'names are escaped' test -z "$(windows --format tsv "$T/evil.folded" | grep -P '\x1b|\xff')"
finish
