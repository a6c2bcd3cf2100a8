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

finish
