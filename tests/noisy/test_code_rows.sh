#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Code without unwind tables: hand-written assembly, programs of musl's C library, static, dynamic
# and stripped.  Their stacks must be whole and be the known chains, frame by frame the same as those
# of a twin that has tables; and samples that needed the code are counted.
. tests/tap.sh
. tests/live/live.sh
need_sampling
chains=$W/chains
[[ -x $chains/c_asm ]] || {
	skip code_rows 'these workloads are built for x86-64 only'
	finish
}
programs=(c_asm c_asm_cfi)
cp "$chains"/c_asm{,_cfi} "$T"
if [[ -x $chains/c_musl ]]; then
	programs+=(c_musl c_musl_cfi c_musl_dyn c_musl_s c_musl_ds)
	cp "$chains"/c_musl{,_cfi,_dyn} "$T"
	strip -o "$T/c_musl_s" "$T/c_musl"
	strip -o "$T/c_musl_ds" "$T/c_musl_dyn"
else
	skip 'programs of musl' 'no musl-gcc here'
fi

record all -v -F 999 --irq keep --only-command -- sh -c 'cd "$1"; shift
	for p; do ./$p 0.6 & done; wait' - "$T" "${programs[@]}"
equal 'exit status' 0 "$rc"
accounts all

# stacks COMM: "COUNT FRAME;FRAME..." of the user frames of a process's samples
stacks() {
	awk -v comm="$1;" 'index($0, comm) == 1 {
		n = $NF
		s = substr($0, length(comm) + 1, length($0) - length(comm) - length(n) - 1)
		sub(/(^|;)[^;]*_\[k\].*/, "", s)
		if (s != "")
			print n, s
	}' "$T/all.folded"
}
# hits COMM REGEX: how many of its samples are exactly one of those chains, and how many there are
hits() { stacks "$1" | re=$2 awk '{ n = $1; sub(/^[^ ]* /, ""); all += n; if ($0 ~ ENVIRON["re"]) hit += n }
	END { print hit + 0, all + 0 }'; }
# chain COMM REGEX: 99 % are those chains, and no other is said to be whole, but for chance
chain() {
	local hit all whole
	read -r hit all < <(hits "$1" "^($2)\$")
	read -r whole all < <(hits "$1" '^([^[]|\[[^t])')
	ok "$1: $hit of $all stacks are the chains" most 99 "$hit" "$all"
	ok "$1: $whole are said to be whole" most 99 $((all - whole + hit)) "$all"
	stacks "$1" | re="^($2)\$" awk '{ n = $1; sub(/^[^ ]* /, ""); if ($0 !~ ENVIRON["re"]) print n, $0 }' |
		sort | uniq -c | sort -rn | head -n 6 | cut -c1-300 | sed 's/^/# note: /'
}
# differing A B: chains of at least one sample in 50 of the one which the other has not got at all
chains() { stacks "$1" | sed 's/^[^ ]* //' | sort -u; }
common() {
	stacks "$1" | awk '{ n = $1; sub(/^[^ ]* /, ""); sum[$0] += n; all += n }
		END { for (s in sum) if (sum[s] * 50 >= all) print s }' | sort
}
differing() {
	comm -23 <(common "$1") <(chains "$2")
	comm -23 <(common "$2") <(chains "$1")
}
times() { local i; for ((i = 0; i < $2; i++)); do printf %s "$1"; done; }

libc='\[lib(c|pthread)[^;]*\]'
start="_start;(__libc_start_main[^;]*|$libc);((__libc_start_call_main|$libc);)?main"
asm='asm_saving;asm_aligned;asm_by_slot;asm_pushing;asm_jumping;leaf_of_asm;chain_leaf'
for name in c_asm c_asm_cfi; do
	chain $name "$start;($asm|leaf_caller(;asm_leaf)?)"
done
equal 'c_asm: the stacks of its twin with tables' '' "$(differing c_asm c_asm_cfi)"

dig20=$(times 'dig;' 20)
if [[ -x $chains/c_musl ]]; then
	# Frames of the C library: named in a static program, addresses in a stripped one.
	any='[^;]*'
	start='_start(;[^;]*libc_start[^;]*)?'
	for name in c_musl c_musl_cfi; do
		chain $name "$start;main;(${dig20}chain_leaf|sorter;$any;(trinkle;)?(trinkle|sift|cycle);compare;chain_leaf|walker;(walk;)*visit;chain_leaf|raiser;raise;$any;__restore_rt;handler;chain_leaf)|__clone;start;thread_body;chain_leaf"
	done
	equal 'c_musl: the stacks of its twin with tables' '' "$(differing c_musl c_musl_cfi)"
	chain c_musl_dyn "_start;$any;main;(${dig20}chain_leaf|sorter;$any;($any;)?$any;compare;chain_leaf|walker;($any;)*visit;chain_leaf|raiser;raise;$any;$any;handler;chain_leaf)|$any;$any;thread_body;chain_leaf"
	# Stripped: as many frames; depths of at least one sample in 25.
	shapes() {
		stacks "$1" | awk -F';' '{ count = $1; sub(/ .*/, "", count); sum[NF] += count; all += count }
			END { for (f in sum) if (sum[f] * 25 >= all) print f }' | sort -n | xargs
	}
	for name in c_musl_s c_musl_ds; do
		plain=c_musl
		[[ $name == *ds ]] && plain=c_musl_dyn
		read -r whole all < <(hits $name '^([^[]|\[[^t])')
		ok "$name: $whole of $all stacks are whole" most 99 "$whole" "$all"
		equal "$name: as deep as $plain" "$(shapes $plain)" "$(shapes $name)"
	done
	read -r hit all < <(hits c_musl_s "$(times '(\[[^;]*\]);' 20)")
	ok "c_musl_s: $hit of $all are 20 deep and more" most 10 "$hit" "$all"
fi

ok 'samples through code are counted' jq -e '.user_stacks | .code_steps > .total * 0.3 and .code_steps <= .total' \
	"$T/all.folded.json"
ok 'and said' grep -qE '; [0-9.]+ % of the user stacks through code without unwind tables' "$T/all.err"
record twin -F 999 --irq keep --only-command -- "$T/c_asm_cfi" 0.3
ok 'the twin with tables needs no code' jq -e '.user_stacks | .total > 100 and .code_steps < .total * 0.02' "$T/twin.folded.json"
finish
