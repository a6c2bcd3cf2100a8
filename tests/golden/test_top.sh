#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy top over files: the tables, and that their numbers are those of report on the same samples.
source tests/tap.sh

printf '%s\n' 'main;a;b;a;b;c 10' 'main;a;b;c 5' 'main;fact;fact;fact;mul 7' 'main;fact;fact 3' \
	'main;leaf 5' 'main;asm_sysvec_apic_timer_interrupt_[k];timer_[k] 2' >"$T/known.folded"
top() { (cd "$T" && "$EDDY" top --batch "$@"); }

for view in functions tree calls cycles irq processes flame modules; do
	golden "$view" top/$view.txt < <(top --view $view known.folded)
done
golden "callers and callees of a function" top/calls_of.txt \
	< <(top --view calls --of b known.folded)
printf '%s\n' 'make-10/10;m 3' 'make-10/11;m 4' 'make-20/20;m 9' 'sh-5/5;m 8' '[lost:map-full] 1' \
	>"$T/threads.folded"
golden "threads" top/threads.txt < <(top --view threads threads.folded)
golden "processes and their threads" top/tasks.txt < <(top --view processes threads.folded)
equal "no threads" 1 "$(top --view threads known.folded | grep -c 'not told apart')"
golden "forty columns" top/narrow.txt < <(top --width 40 known.folded)
equal "--limit says what is left out" "+ 8 more" "$(top --limit 2 known.folded | grep '^+')"

# "self inclusive% depth name" of every function, from the table and from report.
of_top() {
	top --width 400 "$@" | awk '/^self %/ { at = index($0, "function"); is_row = 1; next }
	!NF { is_row = 0 }
	is_row {
		name = substr($0, at)
		suffix = name ~ /^\[k\]/ ? "_[k]" : name ~ /^\[j\]/ ? "_[j]" : ""
		sub(/^\[.\] /, "", name)
		gsub(/~/, " ")
		print $3, $2, $4, name suffix
	}' | sort
}
of_report() {
	(cd "$T" && "$EDDY" report --format tsv "$@") | awk -F'\t' 'NR == 1 { next }
	{ self[$7] = $2; incl[$7] = $1; depth[$7] = $4; total += $2 }
	END { for (f in self) printf "%d %.2f %d %s\n", self[f], 100 * incl[f] / total, depth[f], f }' |
		sort
}
cp tests/golden/irq/x86_6_18_tcp.folded tests/golden/irq/x86_6_18_rps.folded "$T"
for passes in '' '--irq keep' '--irq drop' '--irq charge --softirq split' '--collapse full' \
	'--focus *tcp*' '--root none'; do
	for file in known x86_6_18_tcp x86_6_18_rps; do
		# shellcheck disable=SC2086 # words
		equal "the numbers of report: $file $passes" "$(of_report $passes $file.folded)" \
			"$(of_top $passes $file.folded)"
	done
done

# A directory of snapshots: its windows one by one, or added up as report does.
host=$T/dir/h
mkdir -p "$host"
at=(20261120T100000Z-10 20261120T100010Z-10 20261120T100020Z-10)
for i in 0 1 2; do
	name=$host/${at[i]}.folded
	sed "s/^/comm;/; s/ \([0-9]*\)$/ \1$i/" "$T/known.folded" >"$name"
	cat >"$name.json" <<-END
	{"version": 1, "event": "cpu-clock", "unit": "samples", "cpus": 2,
	"start": "2026-11-20T10:00:${i}0.000Z", "end": "2026-11-20T10:00:$((i + 1))0.500Z",
	"samples": {"due": 2079, "delivered": 2000, "idle": $((1680 - 6 * i)), "filtered": 0,
	"kept": $((320 + 6 * i)), "lost": 0},
	"cost": {"bpf_ns_per_sample": 1000, "cpu_seconds": 0.105}}
	END
done
golden "snapshots, one by one" top/snapshots.txt < <(top --limit 2 dir)
equal "-n ends it" 2 "$(top -n 2 dir | grep -c '^functions')"
equal "added up they are what report shows" "$(of_report dir | grep -v ' comm$')" \
	"$(top --window all dir | awk '/window 3 of 3/ { on = 1 } on' >"$T/last"
	top() { cat "$T/last"; }; of_top)"
equal "a window of twenty seconds" 'of 2.0 CPUs x 21.0 s' \
	"$(top --window 20s -n 2 dir | grep -o 'of 2.0.*' | tail -1)"

printf 'm;\xff\x1b[2J\xe6\xbc\xa2\xe5\xad\x97\x1b]0;x\x07 3\n' >"$T/hostile.folded"
equal "hostile names move nothing" 0 "$(top hostile.folded | grep -c $'[\x01-\x08\x0b-\x1f]')"
equal "a wide name is cut by columns" 40 "$(top --width 40 hostile.folded | wc -L)"

printf 'a;b 1\nx\n' >"$T/bad.folded"
fails "a bad file" 1 'eddy: *bad.folded:2: no count*' top --batch "$T/bad.folded"
fails "CAPTURE with a file" 2 '*no option of CAPTURE*' top -F 999 "$T/known.folded"
fails "--every with a file" 2 '*no option of CAPTURE*' top --every 2s "$T/known.folded"
fails "--since without a file" 2 '*there is none*' top --since -1h
fails "--of elsewhere" 2 '*--of: of --view calls alone*' top --of main "$T/known.folded"
fails "no such function" 1 "*--of: 'nobody'*" top --batch --view calls --of nobody "$T/known.folded"
fails "no such view" 2 '*functions, tree, calls, cycles, irq, processes, flame, modules, threads*' top --view flat x
fails "no such window" 2 "*'all' or a time*" top --window never "$T/known.folded"
finish
