#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The views of the call graph on the fixture whose answers are known, for programs and for people.
source tests/tap.sh

printf '%s\n' 'main;a;b;a;b;c 10' 'main;a;b;c 5' 'main;fact;fact;fact;mul 7' 'main;fact;fact 3' \
	'main;leaf 5' 'main;irq_handler_[k];timer_[k] 2' >"$T/known.folded"
report() { "$EDDY" report --view "$@"; }

for view in flat arcs graph cycles; do
	golden "$view, tsv" callgraph_$view.tsv < <(report $view --format tsv "$T/known.folded")
	golden "$view, text" callgraph_$view.txt < <(report $view "$T/known.folded")
done

tac "$T/known.folded" >"$T/turned.folded"
for view in flat arcs graph cycles; do
	equal "$view does not depend on the order of stacks" \
		"$(report $view --format tsv "$T/known.folded")" \
		"$(report $view --format tsv "$T/turned.folded")"
done

equal "flat is the default view" "$(report flat --format tsv "$T/known.folded")" \
	"$("$EDDY" report --format tsv "$T/known.folded")"
equal "--limit" "$(printf 'inclusive\tframes\testimate\tcaller\tcallee\n15\t25\t15.00\ta\tb')" \
	"$(report arcs --format tsv --limit 1 "$T/known.folded")"
equal "--min-percent" 5 "$(report flat --format tsv --min-percent 40 "$T/known.folded" | wc -l)"
equal "--gprof-blank leaves the column empty" "" \
	"$(report graph --format tsv --gprof-blank "$T/known.folded" | sed 1d | cut -f8 | tr -d '\n')"
equal "nothing in, nothing but the head out" "inclusive	self	frames	depth	estimate	cycle	name" \
	"$(report flat --format tsv /dev/null)"

# Zero-weight stacks close no cycle; names keep their bytes but for what would break a row.
printf 'm;a;b 3\nm;b;a 0\n' >"$T/zero.folded"
equal "no cycle from stacks of weight 0" "cycle	members	touched	reentered	observed	functions" \
	"$(report cycles --format tsv "$T/zero.folded")"
printf 'a\tb;\xff\x1b[1m 3\n' >"$T/hostile.folded"
equal "hostile names are one field" '3\t3\t3\t1\t3.00\t\t\\xff\\x1b[1m' \
	"$(report flat --format tsv "$T/hostile.folded" | grep '^3.3' | sed 's/\\/\\\\/g; s/\t/\\t/g')"

# A cycle that only an interrupt closes: a phantom, and the option that cuts there is named.
printf '%s\n' 'task;schedule_[k];x_[k] 50' \
	'task;x_[k];asm_sysvec_apic_timer_interrupt_[k];schedule_[k] 1' >"$T/irq.folded"
golden "a phantom closed by an interrupt" callgraph_phantom.txt \
	< <(report cycles --irq keep "$T/irq.folded")
ok "the hint stands in the graph too" \
	grep -q '^hint: .*asm_sysvec_apic_timer_interrupt_\[k\] is in it: --irq split cuts there$' \
	<(report graph --irq keep "$T/irq.folded")

# A cycle of hundreds is not printed as a wall.
awk 'BEGIN { for (i = 0; i < 400; i++) printf "m;f%d;f%d 1\n", i, (i + 1) % 400
	print "m;f7;f8 5000" }' >"$T/wall.folded"
for view in cycles graph; do
	ok "400 members are shown as a few and a count ($view)" \
		grep -qE '\+ 39[0-9] more (functions|members)' <(report $view "$T/wall.folded")
	ok "in less than 60 lines ($view)" test "$(report $view "$T/wall.folded" | wc -l)" -lt 60
	ok "or all of it ($view)" \
		test "$(report $view --min-percent 0 "$T/wall.folded" | wc -l)" -gt 400
done
equal "for programs all of it" 400 \
	"$(report cycles --format tsv "$T/wall.folded" | sed 1d | cut -f6 | tr ';' '\n' | wc -l)"

# ---- processes and functions of one name ---------------------------------------------------------

# mkdir calls mkdir(): nothing that comes back, and no sample of the process is one of the function.
printf '%s\n' 'mkdir;_start;main;mkdir;do_mkdirat_[k] 5' 'mkdir;_start;main;f 1' \
	'ls;_start;main;f 5' >"$T/mkdir.folded"
printf '{"samples": {"due": 100}, "root": "comm"}' >"$T/mkdir.folded.json"
equal 'a process is no function of its cycles' 'no cycle in the call graph of 11 samples' \
	"$(report cycles "$T/mkdir.folded")"
equal 'nor of flat, for programs' $'0\t5\n0\t6' \
	"$(report flat --format tsv "$T/mkdir.folded" | awk -F'\t' -v OFS='\t' '$NF == "mkdir" { print $2, $1 }' | sort)"
ok 'nor of who calls a function' grep -q '^callers of mkdir: 5 samples' \
	<(report callers --of mkdir "$T/mkdir.folded")
equal 'recursion is none of it' 'mkdir;_start;main;mkdir;do_mkdirat_[k] 5' \
	"$(report tree --collapse full --format folded "$T/mkdir.folded" | grep do_mkdirat)"
equal 'nor of differences' 2 \
	"$("$EDDY" diff --format tsv --min-percent 0 "$T/mkdir.folded" "$T/mkdir.folded" | cut -f 14 | grep -cx mkdir)"
equal 'of files that say nothing, --root says it' 'no cycle in the call graph of 11 samples' \
	"$(rm "$T/mkdir.folded.json"; report cycles --root comm "$T/mkdir.folded")"
ok 'and without it the first frame is a function' grep -q '^cycle 1: 3 functions' \
	<(report cycles "$T/mkdir.folded")

# ---- flat, for people ------------------------------------------------------------------------

# Whose stacks these are says the .json beside the file, or --root.
printf '%s\n' 'cc;main;a_rather_long_name_of_a_function;malloc 60' 'cc;main;parse 25' 'sort;main;sort 9' \
	'[softirq];rcu_core_[k] 4' 'sort;[truncated];leaf 1' '[lost:ring-full] 1' >"$T/whose.folded"
golden "flat: processes are no functions" callgraph_whose.txt < <(report flat --root comm "$T/whose.folded")
for columns in 80 40; do
	golden "flat: $columns columns" callgraph_whose_$columns.txt \
		< <(report flat --root comm --width $columns "$T/whose.folded")
	ok "flat: no line is longer than $columns" \
		test "$(wc -L <tests/golden/expected/callgraph_whose_$columns.txt)" -le $columns
done
printf '{"samples": {"due": 100}}' >"$T/whose.folded.json"
equal "flat: the .json says that there are processes" "$(report flat --root comm "$T/whose.folded")" \
	"$(report flat "$T/whose.folded")"
printf '{"samples": {"due": 100}, "root": "none"}' >"$T/whose.folded.json"
ok "flat: or that there are none" grep -qE '^ +0.00 +85.00 .* cc$' <(report flat "$T/whose.folded")
equal "flat: marks are none, whoever says what" 0 \
	"$(report flat --min-percent 0 "$T/whose.folded" | sed '/hottest path/,$d' | grep -cE 'softirq|truncated|lost')"
rm "$T/whose.folded.json"
equal "flat: --sort inclusive" 'main malloc' \
	"$(report flat --root comm --sort inclusive "$T/whose.folded" | awk 'NR == 2 || NR == 3 { printf "%s%s", s, $NF; s = " " }')"
equal "flat: --sort self, for programs" malloc \
	"$(report flat --sort self --format tsv "$T/whose.folded" | awk 'NR == 2 { print $NF }')"
ok "flat: -v has all columns" grep -q 'frames  depth .* est .* err  cycle  function$' \
	<(report flat -v --root comm "$T/whose.folded")
equal "flat: … only in UTF-8" 'a_rather_long_name_of..' \
	"$(LC_ALL=C report flat --root comm --width 39 "$T/whose.folded" | grep -o 'a_rather.*')"
fails() {
	local out
	out=$("$EDDY" "${@:3}" 2>&1 >/dev/null)
	equal "$1: status" 2 $?
	ok "$1: $out" test "$out" != "${out/"$2"/}"
}
fails "flat knows no first" "--sort: 'first' is for trees" report --sort first "$T/whose.folded"
fails "arcs have no self" "--sort: the view 'arcs' does not have it" report --view arcs --sort self "$T/whose.folded"

# Text for people has no process and no mark among functions; what a process begins with has no
# caller.  Programs get all of it.
printf '%s\n' 'cc;_start;main;malloc 6' 'sh;_start;main;fork 3' '[softirq];net_rx 2' \
	>"$T/callers.folded"
for columns in 80 50; do
	golden "graph: processes call nothing, width $columns" callgraph_no_process_$columns.txt \
		< <(report graph --root comm --width $columns "$T/callers.folded")
done
equal "arcs: processes call nothing" '_start > main, main > malloc, main > fork' \
	"$(report arcs --root comm "$T/callers.folded" |
		grep -o '[a-z_]* > [a-z_]*$' | sed 1d | paste -sd, | sed 's/,/, /g')"
equal "arcs: programs get them all" 6 \
	"$(report arcs --root comm --format tsv "$T/callers.folded" | sed 1d | wc -l)"
equal "graph: programs get them all" 1 \
	"$(report graph --root comm --format tsv "$T/callers.folded" | grep -c 'primary.*sh	')"

finish
