#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What has addresses gets them: of instructions, in files with their build ids, while folded text of
# the same capture has functions.
. tests/tap.sh
. tests/live/live.sh
need_sampling

mkdir -p "$T/bin"
cp "$W/nofp/inlined" "$T/bin/inlined"
id=$(readelf -n "$T/bin/inlined" | sed -n 's/.*Build ID: //p')
record all --inline -F 999 --only-command -o "$T/all.pb.gz" -- "$T/bin/inlined" 0.5
equal 'status' 0 "$rc"
accounts all
ok 'folded text has inlined functions' grep -qF ';work;outermost_[i];middle_[i];innermost_[i]' \
	"$T/all.folded"
ok 'and each stack once' test -z "$(sed 's/ [0-9]*$//' "$T/all.folded" | uniq -d)"

if ! command -v go >/dev/null; then
	skip 'pprof: addresses and build ids' 'no go: tests/deps.sh langs installs it'
	finish
fi
export HOME=$T PPROF_TMPDIR=$T
go tool pprof -symbolize=none -sample_index=samples -raw "$T/all.pb.gz" >"$T/raw" 2>/dev/null
equal 'pprof: the same total' "$(samples "$T/all.folded")" \
	"$(sed -n '/^Samples:/,/^Locations/p' "$T/raw" |
		awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n }')"
ok 'pprof: the program with its build id' grep -q "bin/inlined $id " "$T/raw"
link=ffffffff81000000
[[ $(uname -m) == aarch64 ]] && link=ffff800080000000
ok 'pprof: the kernel where it was linked' grep -qE \
	"0x$link/.*\[kernel.kallsyms\]_text [0-9a-f]{40}" "$T/raw"
# The hottest address is an instruction that work() has, and not its first.
hottest=$(go tool pprof -symbolize=none -sample_index=samples -addresses -top -nodecount=1 \
	"$T/all.pb.gz" 2>/dev/null | sed -n '$s/.* \(0[0-9a-f]*\) .*/\1/p')
work=$(nm "$T/bin/inlined" | awk '$3 == "work" { print $1 }')
code=$(objdump -d --no-show-raw-insn "$T/bin/inlined" |
	awk '/<work>:/ { on = 1 } on && !NF { exit } on')
ok "pprof: $hottest is an instruction of work()" grep -q "^ *$(printf %x "0x$hottest"):" <<<"$code"
ok 'pprof: and not its first' test "$((0x$hottest))" -gt "$((0x$work))"
ok 'pprof: an inlined function is a line, not a name of its own' \
	grep -q 'innermost' <(grep -v '_\[i\]' "$T/raw")

# Recursion is of functions: then there are functions.
record degree -F 999 --only-command --collapse full -o "$T/degree.pb.gz" -- "$T/bin/inlined" 0.2
go tool pprof -symbolize=none -raw "$T/degree.pb.gz" >"$T/raw" 2>/dev/null
ok 'with --collapse: addresses of functions' grep -q "0x$(printf %x "0x$work") .*work" "$T/raw"
finish
