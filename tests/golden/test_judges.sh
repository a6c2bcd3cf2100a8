#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The judges of make check-kernels over stacks made by hand, by every awk that is there: each has its
# own idea of escapes, and emulated kernels are too slow to be judged by all of them.
# shellcheck disable=SC2317 # functions are called by ok
. tests/kernels/row.sh

top='c_plt;_start;__libc_start_main_impl;[libc.so.6+0x271c9];main'
echo "$top;plt_caller;leaf 100" >"$T/right.folded"
echo 'c_plt;_start;__libc_start_main_impl;l;main;plt_caller 100' >"$T/letter.folded"
echo "$top;lost_caller 100" >"$T/lost.folded"
echo 'times 1 1' >"$T/syscalls.out"
printf '%s 60\n' 'syscalls;_start;main;read_zeroes' \
	'syscalls;_start;main;read_zeroes;entry_[k];do_syscall_64_[k];vfs_read_[k]' >"$T/syscalls.folded"

# by COMMAND...: awk is this from here on; silent says whether it had something to say
by() {
	mkdir -p "$T/bin"
	printf '#!/bin/sh\nexec %s "$@" 2>>%s\n' "$*" "$T/said" >"$T/bin/awk"
	chmod +x "$T/bin/awk"
	: >"$T/said"
}
refuses() { ! "$@"; }
silent() {
	cat "$T/said"
	[[ ! -s $T/said ]]
}
PATH=$T/bin:$PATH
for awk in mawk gawk busybox; do
	if ! command -v $awk >/dev/null; then
		skip "judged by $awk" "no $awk: tests/deps.sh awks kernels"
		continue
	fi
	by "$(command -v $awk)$([[ $awk == busybox ]] && echo ' awk')"
	ok "$awk: a chain" chain right 97 ';plt_caller(;.*)?'
	ok "$awk: a letter is no library" refuses chain letter 97 ';plt_caller(;.*)?'
	ok "$awk: another function is another chain" refuses chain lost 97 ';plt_caller(;.*)?'
	ok "$awk: from main into the kernel" through_kernel
	ok "$awk has nothing to say" silent
done
finish
