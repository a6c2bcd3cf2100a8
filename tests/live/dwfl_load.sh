#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The programs that dwfl_check compares, all at once and over and over until it is killed: C, C++,
# Rust, Python, Perl, node, compilers, signal handlers, vdso, static.  What is not here is left out.
# "dwfl_load.sh names" prints "GROUP COMM..." of what will run instead.
W=${B:-build}/workloads chains=${B:-build}/workloads/chains
cd "$(dirname "$0")/../.." || exit 1

# group NAME FILE COMM...: 0 and, with "names", printed when the file is there
group() {
	[[ -x $(command -v "$2") ]] || return 1
	[[ $names ]] && echo "$1 ${*:3}"
	return 0
}
loop() {
	[[ $names ]] && return
	while :; do "$@" >/dev/null 2>&1 </dev/null || sleep 0.2; done &
}
rotate() { # PROGRAM...: 50 ms of each in turn
	local program
	for program; do "$program" 0.05; done
}
# The rest of the chains, but for those that replace libraries faster than mappings can be read, and
# for Go, for which libdwfl has nothing.
strange() {
	rotate "$chains"/c_{jit,jit_nofp,jit_fake,jit_push,nocfi,coroutine,storm,deep_fp,deep_stfp}
	"$chains/c_plugin" 0.05 "$chains/libplugin.so"
	CHAIN_EARLY=1 "$chains/c_plugin" 0.05 "$chains/libbig.so"
	[[ ! -x $chains/c_deep_clang ]] || "$chains/c_deep_clang" 0.05
}
names=${1:-}

group C "$chains/c_deep" c_deep c_sort c_drap c_plt && loop rotate "$chains"/c_{deep,sort,drap,plt,thread,syscall,vfork}
group static "$chains/c_deep_static" c_deep_static && group signal "$chains/c_signal" c_signal c_sigalt &&
	group vdso "$chains/c_vdso" c_vdso && loop rotate "$chains"/c_{signal,deep_static,vdso,sigalt,deep_stpie,deep_cet}
group strange "$chains/c_jit" c_jit c_nocfi c_coroutine c_storm c_plugin && loop strange
group C++ "$chains/c_throw" c_throw cxx_names && loop rotate "$chains/c_throw" "$W/nofp/cxx_names" "$W/cxx_names"
group Rust "$W/rust_names" rust_names && loop rotate "$W/rust_names"
group gcc gcc cc1 && loop gcc -O2 -c -o /dev/null -Iuser -Iinclude -D_GNU_SOURCE user/unwind/eh_frame.c
group clang clang clang && loop clang -O2 -c -o /dev/null -Iuser -Iinclude -D_GNU_SOURCE user/unwind/eh_frame.c
group Python /usr/bin/python3 python3 && loop /usr/bin/python3 -c 'import json, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
for i in range(60):
    fib(18)
    for j in range(50): json.loads(json.dumps({"a": list(range(200)), "b": {"c": "x" * 50}}))
    sorted(range(20000), key=lambda x: -x); re.findall("(a|b)*c", "ab" * 200)'
group Perl perl perl && loop perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) } f(20); my %h;
	for (1 .. 300000) { my $s = "k$_ abc"; $s =~ s/(\d+)/<$1>/; $h{substr $s, 0, 3}++ if $s =~ /^k.*c$/ } sort { $a cmp $b } map { "$_" } 1 .. 100000'
group node node node && loop node -e 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
for (let i = 0; i < 60; i++) { fib(27); const o = []; for (let j = 0; j < 20000; j++) o.push({ j, s: "x" + j }); JSON.parse(JSON.stringify(o)).sort((a, b) => b.j - a.j); }'
[[ $names ]] || wait
