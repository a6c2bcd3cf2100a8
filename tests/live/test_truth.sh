#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is known about the workloads must come out of the capture: shares of functions within
# sampling error, recursion as deep as it was, and names of every kind of file.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# run NAME WORKLOAD ARG...: samples the workload alone at 999 Hz; its truth is in $T/NAME.out.
run() {
	local name=$1 program=$2
	shift 2
	record "$name" -F 999 --only-command -- "$W/$program" "$@"
	equal "$name: exit status" 0 "$rc"
	accounts "$name"
}
# share NAME FUNCTION WHOLE_TRUTH WHOLE_SAMPLES
share() {
	local k t
	k=$(samples "$T/$1.folded" "$2")
	t=$(truth "$T/$1.out" "$2")
	within "$1 $2" "$k" "$4" "$(divide "$t" "$3")"
}
sum() {
	local f total=0
	for f in "$@"; do total=$((total + f)); done
	echo $total
}

# mostly NAME PERCENT N: of all samples of the capture, so many are the N
mostly() {
	local all
	all=$(samples "$T/$1.folded")
	ok "$1: $3 of $all samples, $2 % of them" most "$2" "$3" "$all"
}
# named NAME PERCENT FRAME...: the frames stand together in so many of the samples
named() {
	local name=$1 percent=$2
	shift 2
	mostly "$name" "$percent" "$(samples "$T/$name.folded" "$@")"
}

# ---- a fixed split ---------------------------------------------------------------------------

run split cpu_split 3
functions=(split_half split_three_tenths split_fifth)
whole=$(sum $(for f in "${functions[@]}"; do truth "$T/split.out" $f; done))
n=$(sum $(for f in "${functions[@]}"; do samples "$T/split.folded" $f; done))
for f in "${functions[@]}"; do share split $f "$whole" "$n"; done
ok "split: samples of $((whole / 1000000)) ms at 999 Hz" most 97 "$n" $((whole / 1001001))
ok 'split: under split_caller, main and the process name' most 99 \
	"$(samples "$T/split.folded" split_caller main cpu_split)" "$n"

# ---- threads ---------------------------------------------------------------------------------

run threads threads 3
functions=(thread_forty thread_thirty thread_twenty thread_ten)
whole=$(sum $(for f in "${functions[@]}"; do truth "$T/threads.out" $f; done))
n=$(sum $(for f in "${functions[@]}"; do samples "$T/threads.folded" $f; done))
for f in "${functions[@]}"; do share threads $f "$whole" "$n"; done
equal 'threads: under their own names' "$(samples "$T/threads.folded" thread_forty)" \
	"$(samples "$T/threads.folded" thread_forty worker-40)"

# ---- recursion -------------------------------------------------------------------------------

run recursion recursion 2 20
whole=$(sum "$(truth "$T/recursion.out" self_recurse)" "$(truth "$T/recursion.out" mutual_ping)")
n=$(samples "$T/recursion.folded" at_the_bottom)
share recursion self_recurse "$whole" "$n"
share recursion mutual_ping "$whole" "$n"
# depth FRAME: how often it stands in the stacks that end in at_the_bottom
depth() {
	awk -v f="$1" '/;at_the_bottom[; ]/ && index($0, ";" f ";") {
		n = split($0, frame, ";")
		d = 0
		for (i = 1; i <= n; i++) d += frame[i] == f
		count[d] += 1
	} END { for (d in count) printf "%s ", d }' "$T/recursion.folded"
}
equal 'recursion: 20 times under itself' '20 ' "$(depth self_recurse)"
equal 'recursion: 10 times in turn' '10 10 ' "$(depth mutual_ping)$(depth mutual_pong)"
run deep recursion 1 100
named deep 30 self_recurse main
run deeper recursion 1 1000
named deeper 30 '[truncated]'

# ---- names -----------------------------------------------------------------------------------

run shared shared_lib 1
named shared 90 main shared_caller shared_exported shared_hidden
run static static_prog 1
named static 90 main static_work
if [[ -x $W/cxx_names ]]; then
	run cxx cxx_names 1
	n=$(grep -E 'outer::inner::Matrix<double, ?3>::operator\(\)\(.*;outer::inner::Matrix<double, ?3>::multiply\(' \
		"$T/cxx.folded" | awk '{ n += $NF } END { print n + 0 }')
	mostly cxx 90 "$n" # with demangled names
	record mangled -F 999 --no-demangle --only-command -- "$W/cxx_names" 0.3
	ok 'C++: --no-demangle' grep -q ';_ZN5outer5inner6MatrixIdLi3EE8multiplyEm' "$T/mangled.folded"
else
	skip 'C++ names' 'no g++'
fi
if [[ -x $W/rust_names ]]; then
	run rust rust_names 1
	n=$(grep -E 'rust_names::generic_shell.*;.*rust_names::Digger.*work_hard' "$T/rust.folded" |
		awk '{ n += $NF } END { print n + 0 }')
	mostly rust 50 "$n" # with demangled names
	ok 'Rust: no hash at the end' awk '/::h[0-9a-f]{16}[; ]/ { print; exit 1 }' "$T/rust.folded"
else
	skip 'Rust names' 'no rustc'
fi

# ---- the kernel ------------------------------------------------------------------------------

run syscalls syscalls 1
# The kernel's own account of the same process counts ticks: good for a few parts in a hundred. Where
# entry and exit are charged differs by mitigation, so the share itself is the machine's.
want=$(awk '$1 == "times" { print $3 / ($2 + $3) }' "$T/syscalls.out")
got=$(awk '/;read_zeroes;.*_\[k\]/ { n += $NF } { all += $NF } END { print (all >= 100 ? n / all : -1) }' \
	"$T/syscalls.folded")
ok "syscalls: $got of the time is the kernel's under the function that asked; by getrusage $want" \
	awk -v a="$want" -v b="$got" 'BEGIN { exit !(b > 0.5 && a - b < 0.15 && b - a < 0.15) }'
ok 'syscalls: through the system call entry' grep -qE 'read_zeroes;.*(do_syscall_64|el0_svc).*_\[k\];.*vfs_read_\[k\]' \
	"$T/syscalls.folded"
ok 'syscalls: kernel frames have names' jq -e '.frames | .kernel > 0 and .kernel_named >= .kernel * 0.99' \
	"$T/syscalls.folded.json"

# ---- processes that live 5 ms ----------------------------------------------------------------

record storm -F 999 --only-command -- "$W/process_storm" 2
equal 'storm: exit status' 0 "$rc"
accounts storm
equal 'storm: nothing is lost' 0 "$(json storm .samples.lost)"
n=$(samples "$T/storm.folded" storm_child_work)
children=$(awk '$1 == "children" { print $2 }' "$T/storm.out")
ok "storm: $n samples of $children processes of 5 ms have their function's name" at_least "$n" $((children * 4))
ok 'storm: user frames are named' jq -e '.frames | .user > 0 and .user_named >= .user * 0.85' "$T/storm.folded.json"
finish
