#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy report's call trees on small inputs: every format, the two analyses of one function, what is
# left out and said so, and what happens to wrong usage and bad input.
# shellcheck source=tests/tap.sh
. tests/tap.sh

report() { "$EDDY" report "$@"; }
tree() { report --view tree "$@"; }

printf '%s\n' 'main;r 1' 'main;r;s 1' 'main;r;r 1' 'main;r;r;s 1' 'main;r;r;r 1' 'main;r;r;r;s 1' \
	>"$T/e1.folded"
echo 'main;a;b;c;b;a;d;c 1' >"$T/e5.folded"
printf '%s\n' 'm;x;f;g 4' 'm;y;f;h 2' 'm;y;f;f;g 3' 'm;z 9' >"$T/method.folded"

# ---- the worked examples, first seen first ---------------------------------------------------
for degree in none direct conservative full; do
	golden "E1, $degree, text" calltree_e1_$degree.txt \
		< <(tree --sort first --collapse $degree "$T/e1.folded")
	golden "E1, $degree, tsv" calltree_e1_$degree.tsv \
		< <(tree --sort first --collapse $degree --format tsv "$T/e1.folded")
done
golden "E5, full, text" calltree_e5_full.txt < <(tree --sort first --collapse full "$T/e5.folded")
golden "E5, full, tsv" calltree_e5_full.tsv \
	< <(tree --sort first --collapse full --format tsv "$T/e5.folded")
equal "conservative is what trees do unasked" "$(tree --collapse conservative "$T/e1.folded")" \
	"$(tree "$T/e1.folded")"
golden "the hottest first, stubs last" calltree_e1_hottest.txt < <(tree "$T/e1.folded")
golden "percent of all" calltree_e1_percent.txt < <(tree --percent total "$T/e1.folded")
golden "percent of the parent" calltree_e1_parent.txt < <(tree --percent parent "$T/e1.folded")
golden "folded" calltree_e1.folded < <(tree --format folded "$T/e1.folded")
golden "dot" calltree_e1.dot < <(tree --format dot "$T/e1.folded")
echo 'operator&&;f(&amp):"\N" 1' >"$T/names.folded"
# drawn OPTION...: the names in a picture of it
drawn() {
	report "$@" --format dot "$T/names.folded" | dot -Tsvg |
		sed -n '/samples\|self\| %/d; s/^<text[^>]*>\(.*\)<\/text>$/\1/p' |
		sed 's/&quot;/"/g; s/&amp;/\&/g'
}
if command -v dot >/dev/null; then
	ok "graphviz draws it" dot -Tsvg -o "$T/e1.svg" tests/golden/expected/calltree_e1.dot
	equal "and shows names as they are" "$(printf '%s\n' 'operator&&' 'f(&amp):"\N"')" \
		"$(drawn --view tree)"
	equal "of a call graph too" "$(drawn --view tree | sort)" "$(drawn | sort)"
else
	skip "graphviz draws it" "no dot"
fi

# ---- chains ----------------------------------------------------------------------------------

printf '%s\n' 'cc;_start;__libc_start_main;main;parse;lex 5' 'cc;_start;__libc_start_main;main;emit;write_[k] 4' \
	'cc;_start;__libc_start_main;main;emit;write_[k];copy_[k] 2' 'sh;_start;loop;step 3' >"$T/chains.folded"
printf '%s\n' 'cc;lex 5' 'cc;parse;x 9' 'cc;emit 6' 'cc;write 7' >"$T/sorted.folded"
golden "chains are joined" calltree_chains.txt < <(tree --root comm "$T/chains.folded")
golden "-v opens them" calltree_chains_open.txt < <(tree --root comm -v "$T/chains.folded")
golden "40 columns, no UTF-8" calltree_chains_40.txt \
	< <(LC_ALL=C tree --root comm --width 40 "$T/chains.folded")
ok "no line is longer" test "$(wc -L <tests/golden/expected/calltree_chains_40.txt)" -le 40
equal "--sort self" 'write emit lex parse' \
	"$(tree --sort self -v --root none "$T/sorted.folded" | awk '$NF ~ /^(write|emit|lex|parse)$/ { printf "%s%s", s, $NF; s = " " }')"

# ---- one function ----------------------------------------------------------------------------
for degree in none full; do
	golden "callees, $degree" calltree_callees_$degree.tsv \
		< <(report --view callees --of f --collapse $degree --format tsv "$T/method.folded")
done
golden "callers, total" calltree_callers.tsv \
	< <(report --view callers --of f --format tsv "$T/method.folded")
golden "callers, self" calltree_callers_self.tsv \
	< <(report --view callers --of g --time self --format tsv "$T/method.folded")
golden "callees, text" calltree_callees.txt < <(report --view callees --of f "$T/method.folded")
"$EDDY" report --view callees --of f --collapse full -o "$T/callees.folded.gz" "$T/method.folded"
equal "callees, folded and packed" $'f;g 7\nf;h 2' "$(zcat "$T/callees.folded.gz")"
out=$("$EDDY" report --view callees --of f -o "$T/callees.callgrind" "$T/method.folded" 2>&1)
equal "a format that would leave out the function: status" 2 $?
ok "it is refused: $out" test "$out" != "${out/of one function: it has text/}"
ok "and nothing is written" test ! -e "$T/callees.callgrind"
equal "callees, folded" $'f;g 7\nf;h 2' \
	"$(report --view callees --of f --collapse full --format folded "$T/method.folded")"
equal "callers, folded" $'f;x;m 4\nf;y;m 5' \
	"$(report --view callers --of f --format folded "$T/method.folded")"
equal "--of takes a glob" "$(report --view callees --of f --format tsv "$T/e1.folded" 2>&1 >/dev/null)" \
	"eddy: --of: 'f' no stack contains such a function"
# Each sample once, though two of them stand in a stack: m;x;f;g 4 and m;y;f;f;g 3 hold both.
equal "a glob of several is their sum" $'# samples 9 call_sites 2\n9 0 7 1 node 2 1 [fg]\n2 0 2 2 node 0 1 h' \
	"$(report --view callees --of '[fg]' --collapse full --format tsv "$T/method.folded" 2>"$T/sum.err" |
		sed 1b\;2d | tr '\t' ' ' | sed '$!b' | grep -v stub)"
equal "and which they are is said" 'eddy: [fg] is the sum of 2 functions: f, g' "$(cat "$T/sum.err")"
ok "to people too" grep -qx '\[fg\] is the sum of 2 functions: f, g' \
	<(report --view callees --of '[fg]' "$T/method.folded")
printf 'main;vfs_read_[k] 2\nmain;vfs_write_[k] 1\n' >"$T/kernel.folded"
equal "an unknown function offers near ones" \
	"$(report --view callers --of vfs_raed "$T/kernel.folded" 2>&1)" \
	"eddy: --of: 'vfs_raed' no stack contains such a function; similar: vfs_read_[k]"
equal "a glob that names one" "$(report --view callers --of 'vfs_r*' "$T/kernel.folded")" \
	"$(report --view callers --of 'vfs_read_[k]' "$T/kernel.folded")"

# ---- what a person sees ----------------------------------------------------------------------
for i in {1..30}; do echo "main;hot;leaf$i $((i * i))"; done >"$T/many.folded"
echo 'main;vfs_read_[k];a_name_that_is_quite_a_bit_longer_than_any_column_that_is_left_for_it_[k] 5000' \
	>>"$T/many.folded"
golden "rows under a threshold are one line" calltree_min_percent.txt \
	< <(tree --min-percent 4 "$T/many.folded")
golden "no deeper than asked" calltree_depth.txt < <(tree --depth 2 "$T/many.folded")
golden "no more rows than asked" calltree_limit.txt < <(tree --limit 4 "$T/many.folded")
golden "in 60 columns" calltree_width.txt < <(tree --width 60 --min-percent 4 "$T/many.folded")
equal "no line is wider" "" "$(tree --width 60 "$T/many.folded" | grep -vE '^.{0,60}$')"
equal "tsv has all rows" 35 "$(tree --format tsv "$T/many.folded" | wc -l)"
equal "tsv, --limit" 5 "$(tree --format tsv --limit 4 "$T/many.folded" | wc -l)"
equal "no escape sequences in a pipe" "" "$(tree "$T/e1.folded" | tr -d '\n' | grep $'\033')"
equal "names cannot steer a terminal" 1 \
	"$(printf 'a;\033[2Jb\377 1\n' | tree | grep -cF '\x1b[2Jb\xff')"
if command -v script >/dev/null; then
	on_terminal() { script -qec "stty cols 60; $*" /dev/null </dev/null | tr -d '\r'; }
	equal "colour on a terminal" 1 \
		"$(TERM=xterm on_terminal "'$EDDY' report --view tree $T/e1.folded" | grep -c $'\033\\[1m.*main')"
	equal "and none with NO_COLOR" "" \
		"$(TERM=xterm NO_COLOR=1 on_terminal "'$EDDY' report --view tree $T/e1.folded" | grep $'\033')"
	equal "a line fits the terminal" "" \
		"$(TERM=xterm NO_COLOR=1 on_terminal "'$EDDY' report --view tree $T/many.folded" |
			grep -vE '^.{0,60}$')"
else
	skip "colour on a terminal" "no script"
fi

# ---- passes ----------------------------------------------------------------------------------
equal "--collapse goes for files too" $'main;r 3\nmain;r;s 3' \
	"$(report --format folded --collapse full "$T/e1.folded")"
equal "no recursion is folded in files unasked" "$(LC_ALL=C sort "$T/e1.folded")" \
	"$(report --format folded "$T/e1.folded")"
equal "--focus" $'m;x;f;g 4\nm;y;f;f;g 3\nm;y;f;h 2' \
	"$(report --format folded --focus f "$T/method.folded")"
equal "--ignore" 'm;z 9' "$(report --format folded --ignore 'f*' "$T/method.folded")"
equal "--focus and --ignore" $'m;y;f;f;g 3\nm;y;f;h 2' \
	"$(report --format folded --focus y --focus x --ignore x "$T/method.folded")"
equal "--focus that leaves nothing says so" "eddy: --focus and --ignore leave no stack" \
	"$(report --format folded --focus none "$T/method.folded" 2>&1)"
printf '%s\n' 'sh-1/1;f 1' 'sh-1/2;f 2' 'sh-3/3;g 4' '[softirq];h 8' >"$T/threads.folded"
equal "--root process" $'[softirq];h 8\nsh-1;f 3\nsh-3;g 4' \
	"$(report --format folded --root process "$T/threads.folded")"
equal "--root none" $'[softirq];h 8\nf 3\ng 4' \
	"$(report --format folded --root none "$T/threads.folded")"
equal "the mark of a cut stack stays its base" $'comm;[truncated];f;g 2' \
	"$(echo 'comm;[truncated];f;g;f;g;f;g 2' | report --collapse full --format folded)"
equal "and a backtrace ends in it, not in the frame where the stack was cut" \
	'g:0 f:0 [truncated]:0 comm:2' \
	"$(echo 'comm;[truncated];f;g 2' | report --view callers --of g --format tsv |
		awk -F'\t' 'NR > 2 { printf "%s%s:%s", (NR > 3 ? " " : ""), $8, $3 }')"

# ---- depth -----------------------------------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "%sf%d", i ? ";" : "", i; print " 1" }' >"$T/deep"
awk 'BEGIN { for (i = 0; i < 50000; i++) printf "%sf", i ? ";" : ""; print " 1" }' >"$T/self"
for degree in none direct conservative full; do
	ok "100 000 frames, $degree" timeout 300 "$EDDY" report --view tree --collapse $degree \
		--format tsv -o "$T/out.tsv" "$T/deep"
	equal "all of them" 100001 "$(wc -l <"$T/out.tsv")"
	ok "a function under itself 50 000 times, $degree" timeout 300 "$EDDY" report --view tree \
		--collapse $degree -o "$T/out.tsv" "$T/self"
done
equal "deep text" 100003 "$(tree -v "$T/deep" | wc -l)"
equal "deep backtrace" 100003 "$(report --view callers --of f99999 -v "$T/deep" | wc -l)"

# ---- wrong usage and bad input ---------------------------------------------------------------
refused() {
	local name=$1 status=$2 message=$3 out
	shift 3
	out=$(report "$@" 2>"$T/err" </dev/null)
	equal "$name: exit status" "$status" $?
	equal "$name: nothing on standard output" "" "$out"
	equal "$name: says why" "$message" "$(cat "$T/err")"
}
hint="('eddy report --help' lists the options)"
refused "no such view" 2 "$(report --view nothing 2>&1)" --view nothing "$T/e1.folded"
refused "no such format" 2 "$(report --view tree --format nothing 2>&1)" --view tree \
	--format nothing "$T/e1.folded"
refused "no such degree" 2 \
	"eddy: report: --collapse: 'most' is not one of none, direct, conservative, full $hint" \
	--collapse most "$T/e1.folded"
refused "a percent above 100" 2 "eddy: report: --min-percent: '101' is not within 0 and 100 $hint" \
	--view tree --min-percent 101 "$T/e1.folded"
refused "depth 0" 2 "eddy: report: --depth: '0' is not a number above 0 $hint" \
	--view tree --depth 0 "$T/e1.folded"
refused "callees of nothing" 2 \
	"eddy: report: --of: the view 'callees' is about one function, name it $hint" \
	--view callees "$T/e1.folded"
refused "--time without a meaning" 2 \
	"eddy: report: --time: the view 'tree' does not have it $hint" \
	--view tree --time self "$T/e1.folded"
equal "a command that is near" "eddy: no command 'recrod'; did you mean 'record'? ('eddy --help' lists the options)" \
	"$("$EDDY" recrod 2>&1)"
near() { # WANT ARG...: what is offered
	equal "near: ${*:2}" "$1" "$("$EDDY" "${@:2}" 2>&1 >/dev/null | grep -oE "did you mean '[^']*'" | cut -d"'" -f2)"
}
near --version --versoin
near bash completion bsh
near tsv report --format tvs "$T/e1.folded"
near speedscope report --format speedscop -o "$T/x" "$T/e1.folded"
near folded merge --format foldde -o "$T/x" "$T/e1.folded"
near tree report --view tere "$T/e1.folded"
near flame top --view falme "$T/e1.folded"
near samples export --clickhouse --table sampels "$T/e1.folded"
near process report --root procces "$T/e1.folded"
near cpu-clock record -e cpu-clok
near '' record -e nonsense
near '' flamegraph
refused "an option that is near" 2 "eddy: report: --veiw=flat: no such option (or not unique); did you mean '--view'? $hint" --veiw=flat
refused "a value that is near" 2 "eddy: report: --collapse: 'ful' is not one of none, direct, conservative, full; did you mean 'full'? $hint" --collapse ful
refused "an unknown option" 2 "eddy: report: --nothing: no such option (or not unique) $hint" --nothing
refused "a value is missing" 2 "eddy: report: --of: a value is missing $hint" --of
refused "--root finer than the file" 1 \
	"eddy: --root cpu: the stacks do not have it (record with --root cpu)" \
	--view tree --root cpu "$T/threads.folded"
refused "no such file" 1 "$(report "$T/none" 2>&1)" --view tree "$T/e1.folded" "$T/none"
printf 'main;a 1\nmain;;b 1\n' >"$T/bad.folded"
refused "an empty frame" 1 "eddy: $T/bad.folded:2: empty frame" --view tree "$T/bad.folded"
printf 'main;a 9223372036854775807\nmain;b 1\n' >"$T/overflow.folded"
refused "a sum too large" 1 "$(report "$T/overflow.folded" 2>&1)" --view tree "$T/overflow.folded"
equal "and it names file and line" 1 "$(grep -c "overflow.folded:2:" "$T/err")"
echo keep >"$T/out.tsv"
report --view tree -o "$T/out.tsv" "$T/bad.folded" 2>/dev/null
equal "bad input leaves the output file as it was" keep "$(cat "$T/out.tsv")"
equal "an empty input is an empty tree" 1 "$(tree --format tsv /dev/null | wc -l)"

finish
