#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf.data: perf reads it, with the same samples and tasks and, where both have one, the same name.
. tests/tap.sh
. tests/live/live.sh
need_sampling
if ! perf --version >/dev/null 2>&1; then
	skip 'perf.data: what perf makes of it' 'no perf: tests/deps.sh bench installs it'
	finish
fi

mkdir -p "$T/bin"
cp "$W/nofp/inlined" "$W/nofp/syscalls" "$T/bin"
record all -F 999 --only-command --root process -o "$T/all.perf" -- \
	sh -c "$T/bin/inlined 0.4; $T/bin/syscalls 0.4"
equal 'status' 0 "$rc"
total=$(samples "$T/all.folded")
perf script -i "$T/all.perf" >"$T/script" 2>"$T/err"
equal 'perf script: no complaint' '' "$(grep -v '^$' "$T/err")"
perf report --stdio -i "$T/all.perf" --no-children -g none -F overhead,period,comm,dso,sym \
	>"$T/report" 2>"$T/err"
equal 'perf report: all of it' "$((total * 1001001))" \
	"$(awk '/^ +[0-9.]+%/ { n += $2 } END { print n }' "$T/report")"

# What perf names is read back: "name self inclusive", of functions of one name together.
flat() {
	local each=$1
	shift
	"$EDDY" report --root none --format tsv "$@" 2>"$T/flat.err" |
		awk -F'\t' -v OFS='\t' -v each="$each" 'NR > 1 { self[$7] += $2; all[$7] += $1 }
			END { for (f in all) print f, self[f] / each, all[f] / each }' | LC_ALL=C sort
}
flat 1 "$T/all.folded" >"$T/ours"
flat 1001001 --by period "$T/script" >"$T/perfs"
agree() { # of samples that end in, and that hold, functions that both name
	LC_ALL=C join -t $'\t' "$T/ours" "$T/perfs" | awk -F'\t' '
	function off(a, b) { return a > b ? a - b : b - a }
	{ n += $2 + $3; bad += off($2, $4) + off($3, $5) }
	END { print NR " names, " n " counts, off by " bad; exit !(n > 200 && bad <= n * 0.005) }'
}
ok 'perf names the same functions' agree
hot=$(awk -F'\t' '$1 == "work" { print $2, $3 }' "$T/ours")
ok 'work() has samples' test -n "$hot"
equal 'work(): as many as here' "$hot" "$(awk -F'\t' '$1 == "work" { print $2, $3 }' "$T/perfs")"
pids() { sed -nE "$1" "$2" | sort -u; }
equal 'tasks with their PIDs' \
	"$(pids 's/^(inlined|syscalls)-([0-9]+);.*/\1 \2/p' "$T/all.folded")" \
	"$(pids 's/^(inlined|syscalls) +([0-9]+) .*/\1 \2/p' "$T/script")"
id=$(readelf -n "$T/bin/inlined" | sed -n 's/.*Build ID: //p')
ok 'build ids' grep -q "^$id .*bin/inlined" \
	<(perf buildid-list -i "$T/all.perf" 2>/dev/null)

# Lines of the program: self samples stand at instructions inside of it, not at its first one.
if command -v objdump >/dev/null; then
	perf annotate --stdio -i "$T/all.perf" -s work 2>/dev/null >"$T/annotated"
	ok 'perf annotate: the loop, not the beginning' grep -qE '^ +[0-9]{2,3}\.[0-9]+ .*j' \
		"$T/annotated"
fi
finish
