#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy top on what runs: known shares, every sample accounted for, and an end in order.
# Beside the others: screens come once a second.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# ---- a fixed split, and what is known of the samples ------------------------------------------

"$W/cpu_split" 60 >"$T/split.out" &
load=$!
timeout -k 5 60 "$EDDY" top --batch -n 3 -F 999 --width 200 >"$T/tables"
equal "exit status" 0 $?
equal "so many tables as were asked for" 3 "$(grep -c '^functions$' "$T/tables")"
accounted_tables() {
	awk '/taken/ {
		for (i = 1; i <= NF; i++) n[$i] = $(i + 1)
		if (n["taken"] != n["idle"] + n["kept"] + n["lost"] || n["taken"] == 0 || n["lost"] > 0)
			exit bad = 1
		kept = n["kept"]
	}
	/^100 % =/ { shown = $4 }
	/^functions/ && shown != kept_of_it() { exit bad = 1 }
	function kept_of_it() { return kept }
	END { exit bad || !kept }' "$1"
}
ok "every sample of every table is accounted for" accounted_tables "$T/tables"
self_of() { awk -v name="$1" '$NF == name { n += $3 } END { print n + 0 }' "$T/tables"; }
whole=$(($(self_of split_half) + $(self_of split_three_tenths) + $(self_of split_fifth)))
within "split_half" "$(self_of split_half)" $whole 0.5
within "split_three_tenths" "$(self_of split_three_tenths)" $whole 0.3
within "split_fifth" "$(self_of split_fifth)" $whole 0.2

# A comm's processes stand below it, and its thread is known; other views have comms alone.
timeout -k 5 60 "$EDDY" top --batch -n 2 -F 499 --view processes >"$T/processes"
ok "the processes of a comm" awk -v pid=$load '$3 == "cpu_split" { comm = $2 }
	$3 == "cpu_split-" pid { known = comm && $2 <= comm } END { exit !known }' "$T/processes"
timeout -k 5 60 "$EDDY" top --batch -n 1 -F 499 --view threads >"$T/threads"
ok "its thread" grep -q "cpu_split-$load/$load\$" "$T/threads"
no_pids() { ! grep -q "cpu_split-$load" "$T/tables"; }
ok "no PID where functions are" no_pids

# ---- the same seconds as perf sees them, of one process: others come and go ---------------------

# "name, share, samples" of each function's own samples: of plain tables, of perf's report.
of_tables() {
	awk '/^100 % =/ { total = $4 } /^self %/ { at = index($0, "function"); is_row = 1; next }
	!NF { is_row = 0 }
	is_row { n[substr($0, at)] += $3 }
	END { for (name in n) print name "\t" n[name] / total "\t" total }' "$1"
}
of_perf() {
	perf report -i "$1" --stdio --no-children -F sample,sym 2>/dev/null |
		awk '!/^#/ && NF { k = $1; sub(/^ *[0-9]+ +/, ""); sub(/ +$/, ""); n[$0] += k; total += k }
		END { for (name in n) print name "\t" n[name] / total "\t" total }'
}
# Of the ten hottest those that perf has a name for differ by no more than chance, and a hundredth.
agree() {
	awk -F'\t' -v z="$Z" 'NR == FNR { p[$1] = $2; m = $3; next }
	$1 in p {
		known++
		both = ($2 * $3 + p[$1] * m) / ($3 + m)
		d = $2 - p[$1]
		if (d * d > (z * sqrt(both * (1 - both) * (1 / $3 + 1 / m)) + 0.01) ^ 2) {
			print "# " $1 ": " $2 " here, " p[$1] " by perf"
			bad = 1
		}
	}
	END { exit bad || known < 3 }' "$T/of_perf" <(sort -t$'\t' -k2,2gr "$T/of_top" | head -10)
}
if command -v perf >/dev/null; then
	timeout -k 5 60 "$EDDY" top --batch -n 2 --every 3s -F 997 -p $load --width 300 >"$T/two" &
	eddy=$!
	until_true 30 grep -q '^self' "$T/two"
	perf record -q -p $load -F 997 -e cpu-clock -o "$T/perf.data" -- sleep 3 >"$T/perf.out" 2>&1
	wait $eddy
	awk '/^eddy top/ { table++ } table == 2' "$T/two" >"$T/second"
	of_tables "$T/second" >"$T/of_top"
	of_perf "$T/perf.data" >"$T/of_perf"
	ok "the hottest ten are those of perf record" agree
else
	skip "the hottest ten are those of perf record" 'no perf: tests/deps.sh bench'
fi

# ---- the end ------------------------------------------------------------------------------------

"$EDDY" top --batch -F 99 >"$T/ended" &
eddy=$!
until_true 20 grep -q split_half "$T/ended"
kill -TERM $eddy
wait $eddy
equal "SIGTERM ends it in order" 0 $?

# ---- on a terminal ------------------------------------------------------------------------------

. tests/tmux.sh
if ! command -v tmux >/dev/null; then
	skip "the screen" 'no tmux: tests/deps.sh test'
	kill $load
	finish
	exit
fi
# The screen's program is the only child of the terminal's shell.
its_pid() { pgrep -P "$(tmux_ display-message -p '#{pane_pid}')"; }
is_whole() { tr '\n' ' ' <"$1" | grep -qE '(^| )icanon .* echo '; }
end="s=\$?; stty -a >$T/after; echo status \$s"

screen_start 100 20 "'$EDDY' top -F 999 --every 10m; $end"
ok "the first numbers do not wait for an interval" shows '[.] split_half'
keys q
ok "nor does the end" shows 'status 0'

screen_start 100 20 "'$EDDY' top -F 999; $end"
ok "the screen shows what runs" shows '[.] split_half'
keys / s p l i t _ h a l f Enter a
ok "a shows it by instruction, from then on" shows 'split_half in '
ok "with its code" shows ' instruction'
keys Escape
ok "Esc leads back" shows '? help'
keys C-s
sleep 4
keys C-q
is_long() { screen | grep -qE 'CPUs x ([4-9]|[1-9][0-9]+)\.'; }
ok "it goes on when the terminal does" until_true 20 is_long
ok "and nothing was lost while it was stopped" shows 'lost 0'
keys C-z
kill -CONT "$(its_pid)"
ok "it is there after Ctrl-Z and SIGCONT" shows '[.] split_half'
kill -TERM "$(its_pid)"
ok "SIGTERM ends it in order" shows 'status 0'
ok "and the terminal is as it was" is_whole "$T/after"
screen_start 100 20 "'$EDDY' top; $end"
ok "again" shows '[.] split_half'
rm -f "$T/after"
kill -SEGV "$(its_pid)"
ok "one that crashes" shows 'status 139'
ok "leaves the terminal as it was" is_whole "$T/after"
# What it began ends with it, and nothing of it stays in the kernel.
screen_start 100 20 "'$EDDY' top; $end"
ok "once more" shows '[.] split_half'
eddy=$(its_pid)
pgrep -P "$eddy" >"$T/children"
cat /proc/"$eddy"/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print $2 }' | sort -un >"$T/programs"
ok "it has programs in the kernel" test -s "$T/programs"
kill -KILL "$eddy"
ok "one that is killed" shows 'status 137'
no_children() {
	local pid
	while read -r pid; do
		! grep -qsE '^State:[[:space:]]+[^Z]' "/proc/$pid/status" || return 1
	done <"$T/children"
}
no_programs() {
	local id
	while read -r id; do
		! bpftool prog show id "$id" >/dev/null 2>&1 || return 1
	done <"$T/programs"
}
ok "leaves no process behind" until_true 10 no_children
ok "nor a program in the kernel" until_true 10 no_programs
kill $load
finish
