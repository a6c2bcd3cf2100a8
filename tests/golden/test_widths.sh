#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 80 and 40 columns: no line of any text for people is wider, whatever functions, processes, hosts
# and files are called; and where the locale is not UTF-8 nothing but ASCII is added to names.
# shellcheck source=tests/tap.sh
. tests/tap.sh

long=std::vector::_M_realloc_insert_of_a_name_that_goes_on_and_on_for_more_than_eighty_columns_
cd "$T" || exit 1
irq='asm_sysvec_apic_timer_interrupt_[k];sysvec_apic_timer_interrupt_[k];irq_exit_rcu_[k]'
printf '%s\n' "cc1;main;$long;malloc 60" 'cc1;main;parse;expr;term;expr;term;leaf 25' \
	'sort;main;sort 9' "sort;main;read_[k];__x64_sys_read_[k];$irq;handle_softirqs_[k];rcu_core_[k] 7" \
	"a_process_with_a_name_that_is_too_long_for_a_table;main;$long;$long;leaf 12" \
	'[softirq];rcu_core_[k] 4' 'sort;[truncated];leaf 1' '[lost:ring-full] 1' >x.folded
sed 's/ 60$/ 30/; s/ 25$/ 50/' x.folded >y.folded
about='"start": "2026-11-20T10:00:00.000Z", "end": "2026-11-20T10:00:10.000Z", "root": "comm"'
echo "{$about, \"event\": \"cpu-clock\", \"freq_hz\": 99, \"cpus\": 2, \"samples\": {\"due\": 1000," \
	'"delivered": 900, "idle": 10, "filtered": 0, "kept": 119, "lost": 1}}' |
	tee x.folded.json >y.folded.json
for host in web-1 a-host-with-a-rather-long-name; do
	mkdir -p "snap/$host"
	for i in 0 1 2 3 4 5; do
		cp x.folded "snap/$host/20261120T1000${i}0Z-10.folded"
		cp x.folded.json "snap/$host/20261120T1000${i}0Z-10.folded.json"
	done
done

# What eddy prints on a terminal of so many columns, the locale being $locale.
on_terminal() { # COLUMNS ARG...
	local columns=$1
	shift
	script -qec "stty cols $columns; LC_ALL=$locale '$EDDY' ${*@Q}" /dev/null </dev/null 2>&1 |
		tr -d '\r'
}
fits() { # ARG...
	local wide='' odd=''
	for locale in C.UTF-8 C; do
		for columns in 80 40; do
			on_terminal $columns "$@" >out
			[[ -s out && $(wc -L <out) -le $columns ]] || wide+=" $columns:$(wc -L <out)"
			[[ $locale == C.UTF-8 ]] || ! grep -qP '[^\x00-\x7f]' out || odd+=" $columns"
		done
	done
	equal "$*" '' "${wide:+too wide$wide}${odd:+ more than ASCII$odd}"
}
export TERM=xterm NO_COLOR=1
for view in flat arcs graph cycles irq modules syscalls tree; do
	fits report --view $view x.folded
done
fits report -v x.folded
fits report --view irq --effect x.folded
fits report --view callers --of 'l*' x.folded
fits report --view callees --of main x.folded
fits report --view windows snap
fits report --view windows --host web-1 snap
fits report snap
for way in '--per due' '--per cpu' '--per share' '--per cpu --view stacks' '--view stacks'; do
	read -ra args <<<"$way"
	fits diff "${args[@]}" x.folded y.folded
done
fits diff --before 10:00..10:00:30 --after 10:00:30.. snap
for view in functions tree calls cycles irq processes flame modules threads; do
	fits top --batch --view $view x.folded
done
fits top --batch snap
fits # nothing: what commands there are
fits nonsense
fits --version
fits report --an-option-of-a-length-that-is-quite-remarkable-and-that-nobody-has-heard-of
fits report /tmp/a_directory/that_is_not_there/and_has_a_name/that_goes_on_and_on/x.folded
fits merge -o m.folded x.folded y.folded nowhere.folded
for command in '' record top snapshot report annotate diff merge export completion doctor; do
	equal "help in a file: ${command:-eddy}" '' \
		"$("$EDDY" $command --help | awk 'length > 80')"
done

# 40 columns are enough for what matters.
cd - >/dev/null || exit 1
locale=C.UTF-8
report() { (cd "$T" && "$EDDY" report --width 40 "$@" 2>&1); }
golden '40 columns' widths_40.txt < <(
	for view in graph arcs modules; do
		report --view $view x.folded
		echo
	done
	report --view windows --host web-1 --limit 2 snap
	echo
	cd "$T" && "$EDDY" diff --width 40 x.folded y.folded
)
golden 'differences without UTF-8' widths_ascii.txt \
	< <(cd "$T" && LC_ALL=C "$EDDY" diff --width 80 --view stacks x.folded y.folded)
finish
