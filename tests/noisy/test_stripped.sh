#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program and its stripped twin: as many functions, tree rows, distinct stacks and cycles, and
# each function of the stripped one begins where one of the other does, by nm.
. tests/tap.sh
. tests/live/live.sh
need_sampling

mkdir -p "$T/whole" "$T/stripped"

# Function starts to names, as nm has them, in the folded text of a stripped program.
translate() {
	awk -v program="$1" -v nm="$2" '
	BEGIN {
		while ((getline line < nm) > 0) {
			addr = line
			sub(/ .*/, "", addr)
			sub(/^0*/, "", addr)
			sub(/^[^ ]* [^ ]* /, "", line)
			gsub(/;/, ":", line)
			sub(/::h[0-9a-f]+$/, "", line)
			if (!(addr in names))
				names[addr] = line
		}
		head = "[" program "+0x"
	}
	{
		count = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frame, ";")
		out = ""
		for (i = 1; i <= n; i++) {
			f = frame[i]
			if (substr(f, 1, length(head)) == head) {
				addr = substr(f, length(head) + 1)
				sub(/\]$/, "", addr)
				if (addr in names)
					f = names[addr]
				else
					f = "NO-FUNCTION-BEGINS-AT-" addr
			}
			out = out (i > 1 ? ";" : "") f
		}
		print out, count
	}' "$3"
}

# Stacks of at least one sample in 200: rarer ones are in one capture and not in both, by chance.
frequent() {
	awk '{ n += $NF; line[NR] = $0; count[NR] = $NF }
	     END { for (i = 1; i <= NR; i++) if (count[i] * 200 >= n) print line[i] }' "$1" | sort
}

# counts NAME FILE: functions, rows of the tree, distinct stacks, cycles
counts() {
	local view
	for view in flat tree cycles; do
		"$EDDY" report --view $view --format tsv "$2" >"$T/$1.$view"
	done
	echo $(($(wc -l <"$T/$1.flat") - 1)) $(($(wc -l <"$T/$1.tree") - 1)) \
		"$(wc -l <"$2")" $(($(wc -l <"$T/$1.cycles") - 1))
}
within_two_percent() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		n = split(a, x, " ")
		split(b, y, " ")
		for (i = 1; i <= n; i++)
			if ((x[i] > y[i] ? x[i] - y[i] : y[i] - x[i]) > x[i] / 50) bad = 1
		print a " / " b
		exit bad
	}'
}

# twins PROGRAM ARG...: stripped by "strip ${how[@]}"
how=(-s)
twins() {
	local program=$1 name whole stripped
	name=$(basename "$program")
	shift
	if [[ ! -x $W/$program ]]; then
		skip "$program" 'not built here'
		return
	fi
	cp "$W/$program" "$T/whole/$name"
	strip "${how[@]}" -o "$T/stripped/$name" "$T/whole/$name"
	nm -C --defined-only "$T/whole/$name" | grep -i ' [tw] ' | sort >"$T/$name.nm"
	record "$name.whole" -F 999 -U --only-command -- "$T/whole/$name" "$@"
	record "$name.stripped" -F 999 -U --only-command -- "$T/stripped/$name" "$@"
	translate "$name" "$T/$name.nm" "$T/$name.stripped.folded" >"$T/$name.named"
	ok "$program: every function of the stripped one is one" \
		awk '/NO-FUNCTION/ { print; bad = 1 } END { exit bad || !NR }' "$T/$name.named"
	ok "$program: the functions of its own are without a name but the roots" \
		grep -q "\\[$name+0x" "$T/$name.stripped.folded"
	frequent "$T/$name.whole.folded" >"$T/$name.a"
	frequent "$T/$name.stripped.folded" >"$T/$name.b"
	whole=$(counts "$name.whole" "$T/$name.a")
	stripped=$(counts "$name.stripped" "$T/$name.b")
	ok "$program: functions, rows, stacks, cycles: $whole, stripped $stripped" \
		within_two_percent "$whole" "$stripped"
	equal "$program: the same stacks" "$(sed 's/ [0-9]*$//' "$T/$name.a")" \
		"$(frequent "$T/$name.named" | sed 's/ [0-9]*$//')"
}

twins nofp/threads 2
twins nofp/cxx_names 2
twins nofp/static_prog 2
twins rust_names 2
how=(-K main) # a symbol table that lacks the others: entries are read when one is missed
twins nofp/recursion 2
how=(-s)
twins nofp/recursion 2

# Depth of recursion, which addresses that are functions of their own hide.
depth() {
	awk -F'\t' 'NR > 1 && $4 > max { max = $4 } END { print max + 0 }' "$T/recursion.$1.flat"
}
equal 'recursion: as deep' "$(depth whole)" "$(depth stripped)"
ok 'recursion: of 20' at_least "$(depth stripped)" 20
finish
