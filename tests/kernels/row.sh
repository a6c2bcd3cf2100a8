#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The program on other kernels than this machine's: the same binary in an emulator, with Debian's
# kernels of three series.  Workloads of known truth are recorded there and judged here.
#   KERNELS='5.10 6.12'   only these
. tests/tap.sh
. tests/live/live.sh
K=${B:-build}/kernels
kernels=${KERNELS:-5.10 6.1 6.12}

why=
for tool in qemu-system-x86_64 busybox cpio jq; do
	command -v $tool >/dev/null || why="no $tool"
done
[[ $(uname -m) == x86_64 ]] || why="not on $(uname -m)"
ldd "$(command -v busybox)" >/dev/null 2>&1 && why='busybox is not static'
if [[ -n $why ]]; then
	for kernel in $kernels; do skip "kernel $kernel" "$why"; done
	finish
fi
# shellcheck disable=SC2086 # a list
why=$(tests/kernels/fetch.sh "$K" $kernels 2>&1) || true

mkdir "$T/files"
cp "$W/cpu_split" "$W/syscalls" "$W/irq_udp_flood" "$EDDY" "$K/verify" tests/kernels/guest.sh "$T/files"
cp "$W/nofp/cpu_split" "$T/files/split_nofp"
cp "$W/nofp/recursion" "$T/files/recursion_nofp"
cp "$(command -v setpriv)" "$T/files"

split=(split_half split_three_tenths split_fifth)
# shares NAME PROGRAM: the functions have their shares, and nothing is between them and the root.
shares() {
	local f k n=0 whole=0 bad=0
	for f in "${split[@]}"; do
		n=$((n + $(samples "$T/$1.folded" "$f")))
		whole=$((whole + $(truth "$T/$1.out" "$f")))
	done
	for f in "${split[@]}"; do
		k=$(samples "$T/$1.folded" main split_caller "$f" "$2")
		awk -v k="$k" -v n="$n" -v t="$(truth "$T/$1.out" "$f")" -v whole="$whole" -v z="$Z" 'BEGIN {
			p = t / whole
			d = z * sqrt(n * p * (1 - p)) + 1.5
			exit !(n >= 60 && k >= n * p - d && k <= n * p + d)
		}' || bad=1
	done
	((bad)) && head -n 40 "$T/$1.err" "$T/$1.folded"
	return $bad
}
recorded() {
	[[ $(cat "$T/$1.rc") == 0 ]] || {
		cat "$T/$1.err"
		return 1
	}
}
complete() {
	jq -c .user_stacks "$T/$1.folded.json"
	jq -e --argjson share "$2" '.user_stacks | .total >= 60 and .complete >= .total * $share' \
		"$T/$1.folded.json"
}
# All 100 levels, and the same above and below them in every sample of the innermost function.
depth() {
	awk '
	/;at_the_bottom[; ]/ {
		n = split($0, frame, ";")
		d = 0
		for (i = 1; i <= n; i++) d += frame[i] ~ /^(self_recurse|mutual_p[io]ng)$/
		count[d] += $NF
		all += $NF
	}
	END { for (d in count) print d, count[d]; exit !(all >= 30 && count[100] >= all * 0.97) }' "$T/deep.folded"
}
through_kernel() {
	awk '
	/;main;read_zeroes;/ { all += $NF }
	/;main;read_zeroes;.*do_syscall_64_\[k\];.*vfs_read_\[k\]/ { n += $NF }
	END { print n + 0, all + 0; exit !(n >= 20 && n > all / 4) }' "$T/syscalls.folded"
}
interrupts() {
	"$EDDY" report --view irq --format tsv "$T/flood.folded" >"$T/irq.tsv" || return 1
	cat "$T/irq.tsv"
	awk -F '\t' '$1 == "softirq" && $3 == "net_rx_action" { n += $5 } END { exit !(n >= 5) }' "$T/irq.tsv"
}
# Either there is no such limit, or it is named.
limit() {
	cat "$T/limit.err"
	case $series in
	5.10) [[ $(cat "$T/limit.rc") == 1 ]] && grep -q 'RLIMIT_MEMLOCK' "$T/limit.err" ;;
	*) [[ $(cat "$T/limit.rc") == 0 ]] ;;
	esac
}
no_end() {
	tail -n 30 "$T/out/console" "$T/out/log"
	return 1
}
verified() {
	awk 'NF != 3 { bad = 1 } { printf "%s%s %d", sep, $1, $2; sep = ", " } END { exit bad || NR < 4 }' \
		"$T/verified"
}

for series in $kernels; do
	if [[ ! -s $K/$series/vmlinuz ]]; then
		skip "kernel $series" "${why##*fetch.sh: }"
		continue
	fi
	rm -rf "${T:?}"/out "$T"/*.{folded,json,out,err,rc,tsv}
	if ! tests/kernels/boot.sh "$K/$series/vmlinuz" "$T/out" "$T"/files/*; then
		ok "$series: boots and comes to its end" no_end
		continue
	fi
	mv "$T"/out/* "$T"
	ok "$series: the programs load: $(verified) instructions verified" verified
	equal "$series: doctor finds nothing wrong" 0 "$(cat "$T/doctor.rc")"
	captures='split deep fp syscalls flood switches'
	[[ -e $T/limit.folded ]] || captures+=' small'
	for name in $captures; do
		ok "$series $name: records" recorded $name
		ok "$series $name: accounts for every sample" identity $name
	done
	ok "$series split: shares by .eh_frame" shares split split_nofp
	ok "$series split: stacks are complete" complete split 0.97
	ok "$series deep: 100 calls deep" depth
	ok "$series fp: shares by frame pointer" shares fp cpu_split
	ok "$series syscalls: from main into the kernel" through_kernel
	ok "$series flood: receiving stands under its softirq" interrupts
	ok "$series limit: locked memory that does not suffice is named" limit
	echo "# note: $(cat "$T/kernel"): up after $(cat "$T/booted") s, ended after $(cat "$T/ended") s;" \
		"verified $(verified)"
done
finish
