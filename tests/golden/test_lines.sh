#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --lines: stacks whose frames say their lines, by functions and by lines, in views, differences and
# formats, as the tools that read those see them.
# shellcheck source=tests/tap.sh
. tests/tap.sh

cat >"$T/lines.folded" <<'END'
main at /src/main.c:10;work at /src/work.c:5;inner at /src/work.h:2_[i] 4
main at /src/main.c:10;work at /src/work.c:6;inner at /src/work.h:2_[i] 3
main at /src/main.c:12;work at /src/work.c:6 2
main at /src/main.c:12;read_[k];vfs_read at fs/read_write.c:450_[k] 1
END
sed 's, at [^;: ]*:[0-9]*,,g' "$T/lines.folded" >"$T/functions.folded"
flat() { "$EDDY" report --format tsv "$@" | cut -f1-4,7; }

equal 'without --lines it is the same file without lines' "$(flat "$T/functions.folded")" \
	"$(flat "$T/lines.folded")"
equal 'and so are stacks' "$("$EDDY" report --format folded "$T/functions.folded")" \
	"$("$EDDY" report --format folded "$T/lines.folded")"
equal 'with it each line is on its own' "$(tr ' ' '\t' <<'END'
inclusive self frames depth name
7 7 7 1 inner@/src/work.h:2_[i]
7 0 7 1 main@/src/main.c:10
5 2 5 1 work@/src/work.c:6
4 0 4 1 work@/src/work.c:5
3 0 3 1 main@/src/main.c:12
1 0 1 1 read_[k]
1 1 1 1 vfs_read@fs/read_write.c:450_[k]
END
)" "$(flat --lines "$T/lines.folded" | sed 's/ at /@/')"
equal 'for people the file is its last component' 'work at work.c:6' \
	"$("$EDDY" report --lines "$T/lines.folded" | grep -o 'work at .*c:6')"
equal 'in trees, too' 'work at work.c:6' \
	"$("$EDDY" report --lines --view tree -v "$T/lines.folded" | grep -o 'work at .*c:6' | head -n 1)"
equal 'what is written is what was read' "$(LC_ALL=C sort "$T/lines.folded")" \
	"$("$EDDY" report --lines --format folded "$T/lines.folded")"
"$EDDY" merge -o "$T/merged.folded" "$T/lines.folded" "$T/lines.folded"
equal 'merging keeps lines' 'main at /src/main.c:12;work at /src/work.c:6 4' \
	"$(grep '12;work' "$T/merged.folded")"
fails 'one of several lines is to be named' 1 '*matches 2 functions*work at /src/work.c:5*' \
	report --lines --view callers --of work "$T/lines.folded"
ok 'as files have it' "$EDDY" report --lines --view callers --of 'work at /src/work.c:6' "$T/lines.folded"
ok 'as people see it' "$EDDY" report --lines --view callers --of 'work at work.c:6' "$T/lines.folded"
equal 'a function is chosen with all its lines' 9 \
	"$("$EDDY" report --lines --focus work --format folded "$T/lines.folded" | awk '{ n += $NF } END { print n }')"

# A difference is one of functions, also where one side knows lines and the other none.
sed 's/ 2$/ 200/' "$T/functions.folded" >"$T/after.folded"
equal 'differences: by function' "$("$EDDY" diff --format tsv "$T/functions.folded" "$T/after.folded")" \
	"$("$EDDY" diff --format tsv "$T/lines.folded" "$T/after.folded")"
equal 'differences: by line' 'inclusive 5 5,self 2 2,' \
	"$("$EDDY" diff --lines --format tsv "$T/lines.folded" "$T/lines.folded" |
		awk -F'\t' '$14 == "work at /src/work.c:6" { printf "%s %s %s,", $13, $1, $2 }')"

"$EDDY" report --lines -o "$T/l.speedscope.json" -o "$T/l.callgrind" -o "$T/l.pb.gz" -o "$T/l.svg" \
	"$T/lines.folded"
equal 'speedscope: file and line of a frame' 'inner_[i] /src/work.h 2' \
	"$(jq -r '.shared.frames[] | select(.name == "inner_[i]") | "\(.name) \(.file) \(.line)"' \
		"$T/l.speedscope.json")"
equal 'speedscope: a frame without one' null \
	"$(jq -r '.shared.frames[] | select(.name == "read_[k]") | .line' "$T/l.speedscope.json")"
if command -v go >/dev/null; then
	export HOME=$T PPROF_TMPDIR=$T
	top() { go tool pprof -symbolize=none -sample_index=samples -top "$@" "$T/l.pb.gz" 2>/dev/null; }
	equal 'pprof: lines' '2 5 work /src/work.c:6' "$(top -lines | awk '/work.c:6/ { print $1, $4, $6, $7 }')"
	equal 'pprof: functions' '2 9 work' "$(top -functions | awk '$6 == "work" { print $1, $4, $6 }')"
	equal 'pprof: files' '2 9 /src/work.c' "$(top -files | awk '/work.c/ { print $1, $4, $6 }')"
else
	skip 'pprof: lines' 'no go'
fi
if command -v callgrind_annotate >/dev/null; then
	annotate() { callgrind_annotate --auto=no --threshold=100 --show-percs=no "$@" "$T/l.callgrind"; }
	equal 'callgrind: a function is the sum of its lines' '2 /src/work.c:work' \
		"$(annotate | awk '/work.c:work/ { print $1, $2 }')"
	equal 'callgrind: calls of all lines' '9 /src/work.c:work' \
		"$(annotate --inclusive=yes | awk '/work.c:work/ { print $1, $2 }')"
	mkdir "$T/src"
	printf 'one\ntwo\nthree\nfour\nfive\nsix\n' >"$T/src/work.c"
	sed "s,/src/,$T/src/,g" "$T/l.callgrind" >"$T/m.callgrind"
	equal 'callgrind: its source' '2 six' \
		"$(callgrind_annotate --show-percs=no --threshold=100 "$T/m.callgrind" |
			awk '/ six$/ { print $1, $2 }')"
else
	skip 'callgrind: lines' 'no callgrind_annotate'
fi
ok 'pictures say them' grep -q 'work at /src/work.c:6' "$T/l.svg"
finish
