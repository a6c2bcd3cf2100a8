#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --inline, --lines: functions that the compiler inlined stand where they were, each frame at its
# line, of a program with its debug information, of one that has it in a file of its own, of one that
# is gone before anybody asks, and of none that has none.
. tests/tap.sh
. tests/live/live.sh
need_sampling

chain='work;outermost_[i];middle_[i];innermost_[i]'
recursion='main;descend_[i];deeper;descend_[i];deeper;descend_[i]'

# chains NAME: samples stand where they are
chains() {
	ok "$1: a chain of inlined functions" grep -qF ";main;call_work_[i];$chain " "$T/$1.folded"
	ok "$1: functions that are inlined between those that are called" \
		grep -qF ";$recursion;$chain " "$T/$1.folded"
	ok "$1: work() is not without them" most 98 "$(samples "$T/$1.folded" work 'innermost_[i]')" \
		"$(samples "$T/$1.folded" work)"
	accounts "$1"
}

mkdir -p "$T/bin"
cp "$W/nofp/inlined" "$T/bin/inlined"
record whole --inline -F 999 -U --only-command -- "$T/bin/inlined" 0.4
equal 'status' 0 "$rc"
chains whole
"$EDDY" report --format tsv "$T/whole.folded" >"$T/flat"
equal 'a function that is inlined is in each sample once' \
	"$(samples "$T/whole.folded" 'outermost_[i]')" \
	"$(awk -F'\t' '$7 == "outermost_[i]" { print $1 }' "$T/flat")"
equal 'inlined three times in one stack: three deep' 3 \
	"$(awk -F'\t' '$7 == "descend_[i]" { print $4 }' "$T/flat")"

record without -F 999 -U --only-command -- "$T/bin/inlined" 0.2
equal 'not asked for: none' 0 "$(grep -c '_\[i\]' "$T/without.folded")"

# Lines, by themselves and with inlined functions: as they stand in the source.
source=$(realpath tests/live/workloads/inlined.c)
line() { grep -n "$1" "$source" | head -n "${2:-1}" | tail -n 1 | cut -d: -f1; }
record lines --lines --inline -F 999 -U --only-command -o "$T/lines.pb.gz" -- "$T/bin/inlined" 0.4
equal 'lines: status' 0 "$rc"
accounts lines
sed "s, at $source:, at ,g" "$T/lines.folded" >"$T/short"
ok 'the lines of a chain of inlined functions' grep -qF \
	"main at $(line 'call_work(ns / 2)');call_work at $(line '	work(ns);')_[i];work at $(
		)$(line '	outermost(ns);');outermost at $(line '	middle(ns);')_[i];middle at $(
		)$(line '	innermost(ns);')_[i];innermost at $(line 'BURN_NS')_[i]" "$T/short"
ok 'and those of a recursion' grep -qF "deeper at $(line '	descend(depth, ns);');descend at $(
	)$(line 'deeper(depth - 1')_[i];deeper at" "$T/short"
"$EDDY" report --format folded "$T/lines.folded" >"$T/joined.folded"
cp "$T/lines.folded.json" "$T/joined.folded.json"
chains joined
"$EDDY" report --format tsv --lines "$T/lines.folded" >"$T/flat"
ok 'nearly all of it is one line' most 90 "$(awk -F'\t' -v name="innermost at $source:" \
	'index($7, name) { n += $2 } END { print n + 0 }' "$T/flat")" "$(samples "$T/lines.folded")"
if command -v go >/dev/null; then
	HOME=$T PPROF_TMPDIR=$T go tool pprof -symbolize=none -sample_index=samples -top -lines \
		"$T/lines.pb.gz" >"$T/top" 2>/dev/null
	ok 'pprof has the same lines, with addresses' \
		grep -qE "^ *[0-9.]+.* innermost $source:$(line BURN_NS) \(inline\)" "$T/top"
fi
record own --lines -F 999 -U --only-command -- "$T/bin/inlined" 0.2
equal 'without --inline no frame is added' 0 "$(grep -c '_\[i\]' "$T/own.folded")"
ok 'and a function is at the line that calls what is inlined' \
	grep -qF ";work at $source:$(line '	outermost(ns);') " "$T/own.folded"

# One that ends early, in a capture that goes on, and whose file is gone by then.
cp "$T/bin/inlined" "$T/bin/fleeting"
record fleeting --inline -F 999 -U --only-command -- \
	sh -c "$T/bin/fleeting 0.3; rm $T/bin/fleeting; sleep 5"
ok 'a program that is gone before the end' grep -qF "$chain " "$T/fleeting.folded"

objcopy --only-keep-debug "$T/bin/inlined" "$T/inlined.debug"
strip -g "$T/bin/inlined"
id=$(readelf -n "$T/bin/inlined" | sed -n 's/.*Build ID: //p')
record nodebug --inline -F 999 -U --only-command -- "$T/bin/inlined" 0.2
equal 'no debug information: none' 0 "$(grep -c ';work;.*_\[i\]' "$T/nodebug.folded")"
equal 'and that is no loss' null "$(json nodebug .limits.sources)"
mkdir -p "$T/cache/$id"
cp "$T/inlined.debug" "$T/cache/$id/debuginfo"
export DEBUGINFOD_CACHE_PATH=$T/cache
record separate --inline -F 999 -U --only-command -- "$T/bin/inlined" 0.4
chains separate

# Functions that stand in a .dwo file: lines are there, and what is missing is said.
if command -v gcc >/dev/null; then
	gcc -std=gnu11 -O2 -g -gsplit-dwarf -D_GNU_SOURCE -Itests/live/workloads -Iinclude -o \
		"$T/bin/split" tests/live/workloads/inlined.c -lm
	record split --inline --lines -F 999 -U --only-command -- "$T/bin/split" 0.2
	equal 'split: counted once' 1 "$(json split .limits.split)"
	ok 'and there is a note of it' grep -q 'note: 1 file has .* in .dwo' "$T/split.err"
	ok 'its lines are there' grep -q ';work at .*:[0-9][0-9]* [0-9]*$' "$T/split.folded"
	accounts split
else
	skip split 'there is no gcc'
fi

# Two debug files that share a further one, as distributions ship them.
if ! command -v dwz >/dev/null; then
	skip dwz 'dwz is not installed'
	finish
fi
cp "$W/nofp/inlined" "$T/bin/one"
cp "$W/inlined" "$T/bin/two"
for program in one two; do
	objcopy --only-keep-debug "$T/bin/$program" "$T/bin/$program.debug"
done
(cd "$T/bin" && dwz -m "$T/bin/common.debug" -r one.debug two.debug)
for program in one two; do
	strip -g "$T/bin/$program"
	(cd "$T/bin" && objcopy --add-gnu-debuglink=$program.debug $program)
	record $program --inline -F 999 -U --only-command -- "$T/bin/$program" 0.4
	chains $program
	equal "$program: nothing is missing" null,null \
		"$(json $program .limits.nameless),$(json $program .limits.alt_files)"
done
record typed --inline --lines -F 999 -U --only-command -o "$T/typed.pb.gz" -- "$T/bin/one" 0.2
"$EDDY" report --format folded "$T/typed.pb.gz" >"$T/typed.read"
ok 'a typed format has them' grep -qF ";main;call_work_[i];$chain " "$T/typed.read"
mv "$T/bin/common.debug" "$T/common.away"
record alone --inline -F 999 -U --only-command -- "$T/bin/one" 0.2
equal 'a further file that is missing is counted once' 1 "$(json alone .limits.alt_files)"
ok 'and there is a note of it' grep -q 'note: 1 file shares debug information.*dwz' "$T/alone.err"
equal 'and what it has is not taken apart' 0 "$(grep -c ';work;.*_\[i\]' "$T/alone.folded")"
accounts alone
finish
