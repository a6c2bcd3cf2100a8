#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No output says where something is in memory: not the kernel, its modules and BPF programs, and not
# the mappings of who is sampled.
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/live/live.sh
. tests/live/live.sh
need_sampling
check=${B:-build}/live/address_check

# Somebody who runs in the kernel, in a BPF program, in memory of his own, in libc and in the vdso.
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$T"' EXIT
mkdir "$T/bin"
cp "$W/bpf_busy" "$W/jit_memory" "$W/syscalls" "$W/chains/c_vdso" "$T/bin"
stdbuf -oL "$T/bin/bpf_busy" 1000 known >"$T/program" 2>"$T/program.err" &
pids+=($!)
"$T/bin/jit_memory" 1000 private >/dev/null &
pids+=($!)
"$T/bin/syscalls" 1000 >/dev/null &
pids+=($!)
"$T/bin/c_vdso" 1000 >/dev/null &
pids+=($!)
has_program() { grep -q '^program known 0x' "$T/program" || [[ -s $T/program.err ]]; }
ok 'the workloads run' until_true 20 has_program

# ranges: "START END NAME" of what is not to be told
number() { awk -v f="$1" '$3 == f && NF == 3 { print $1; exit }' /proc/kallsyms; }
text=$(number _text) etext=$(number _etext)
link=ffffffff81000000
[[ $(uname -m) == aarch64 ]] && link=ffff800080000000
is_random=
[[ $text == "$link" ]] || is_random=1
ranges() {
	local pid start=$text behind
	if [[ -n $is_random ]]; then
		# What is told instead may be the address of something else.
		behind=$(printf %x $((0x$link + 0x$etext - 0x$text)))
		if ! [[ $start < $link || $start > $behind ]]; then start=$behind; fi
		[[ $start < $etext ]] && echo "$start $etext kernel"
	fi
	sed -nE 's/^([^ ]+) ([0-9]+) .* 0x([0-9a-f]+)( .*)?$/\1 \2 \3/p' /proc/modules 2>/dev/null |
		while read -r name bytes at; do
			((0x$at)) && printf '%s %x module %s\n' "$at" $((0x$at + bytes)) "$name"
		done
	sed -n 's/^program known 0x//p' "$T/program" | while read -r at; do
		printf '%s %x BPF program\n' "$at" $((0x$at + 8000))
	done
	# Nobody chose where a program without randomisation is.
	for pid in "${pids[@]}"; do
		sed -nE 's/^([0-9a-f]{9,})-([0-9a-f]+) [^ ]* [^ ]+ [^ ]+ [^ ]+ *(.*)/\1 \2 mapping \3/p' \
			"/proc/$pid/maps"
	done
}
ranges >"$T/ranges"
known() { grep -q " $1" "$T/ranges"; }
ok 'mappings are known' known 'mapping \[vdso\]'
if [[ -z $is_random ]]; then
	skip 'the kernel' 'it is where it was linked: booted without KASLR'
else
	ok 'the kernel is known' known kernel
fi
if grep -q . /proc/modules 2>/dev/null; then
	ok 'modules are known' known module
else
	skip 'modules' 'there is none here'
fi
if [[ -s $T/program.err ]]; then
	skip 'a BPF program' "$(head -n 1 "$T/program.err")"
else
	ok 'a BPF program is known' known BPF
fi

# The check finds what is there, in each way that it looks.
some=$(awk '/vdso/ { print $1; exit }' "$T/ranges")
finds() { ! "$check" "$T/ranges"; }
for how in "$(printf 'x 0x%s' "$some")" "$(printf 'x %d y' "0x$some")" "$(printf -- '-0x%x' $((-0x$some)))"; do
	ok "the check finds $how" finds <<<"$how"
done
bytes() { # of the number 0x$1, the lowest first, N bits each
	local value=$((0x$1)) bits=$2 n=$3 i byte
	for ((i = 0; i < n; i++)); do
		byte=$((value >> bits * i & (1 << bits) - 1))
		((bits == 7 && i < n - 1)) && byte=$((byte | 128))
		# shellcheck disable=SC2059
		printf "\\x$(printf %x $byte)"
	done
}
bytes "$some" 8 8 >"$T/word"
{ printf '\x20' && bytes "$some" 7 7; } >"$T/varint"
ok 'the check finds a word' finds <"$T/word"
ok 'the check finds a number of protobuf' finds <"$T/varint"

# decoded FILE: what is in it, with what is packed in it
decoded() {
	zcat -f "$1"
	if [[ $1 == *.html ]]; then
		grep -oE '[A-Za-z0-9+/]{400,}={0,2}' "$1" | while read -r packed; do
			base64 -d <<<"$packed" 2>/dev/null | zcat -f 2>/dev/null
		done
	fi
}
silent() { decoded "$1" | "$check" "$T/ranges"; }
all_silent() {
	local file nr=0
	for file in "$@"; do
		silent "$file" || {
			echo "$file"
			return 1
		}
		nr=$((nr + 1))
	done
	((nr > 0))
}

record all -F 499 -d 2 --timeline -v --root thread -o "$T/all.pb.gz" -o "$T/all.perf" \
	-o "$T/all.html" -o "$T/all.svg" -o "$T/all.callgrind" -o "$T/all.dot" \
	-o "$T/all.speedscope.json" -o "$T/all.folded.gz"
find "$T" -maxdepth 1 -size 0 -delete # of what was printed
equal 'status' 0 "$rc"
for name in bpf_busy jit_memory syscalls c_vdso; do
	ok "$name was sampled" grep -q "^$name-" "$T/all.folded"
done
nr=0
for file in "$T"/all.*; do
	nr=$((nr + 1))
	ok "none in ${file##*/}" silent "$file"
done
ok 'files of all formats' test $nr -ge 11

# Functions that are called alike are told apart, but not by where they are.
record lines -F 499 -d 1 --inline --lines -o "$T/lines.callgrind" -o "$T/lines.pb.gz" -o "$T/lines.perf"
find "$T" -maxdepth 1 -size 0 -delete
ok 'none with --lines and --inline' all_silent "$T"/lines.*
for view in flat graph tree modules irq syscalls; do
	"$EDDY" report --view $view "$T/all.pb.gz" >"$T/view.$view" 2>/dev/null
	"$EDDY" report --view $view --format tsv "$T/all.pb.gz" >"$T/view.$view.tsv" 2>/dev/null
done
find "$T" -maxdepth 1 -name 'view.*' -size 0 -delete
ok 'none in views' all_silent "$T"/view.*
ok 'there are views' test "$(find "$T" -maxdepth 1 -name 'view.*' | wc -l)" -ge 8

mkdir "$T/snapshots"
timeout -s INT 4 "$EDDY" snapshot --dir "$T/snapshots" --every 1s -F 199 -v >"$T/snapshot.out" 2>"$T/snapshot.err"
find "$T/snapshots" -type f -size +0 >"$T/list"
mapfile -t files <"$T/list"
ok 'none in snapshots, and what is beside them' all_silent "${files[@]}"
ok 'none in what is said' all_silent "$T/all.err" "$T/snapshot.err"
"$EDDY" doctor >"$T/doctor"
ok 'none in what doctor says' all_silent "$T/doctor"

# Code of the kernel is found all the same.
hottest() { # the function of the kernel with most samples that matches
	"$EDDY" report --format tsv "$T/all.pb.gz" | re=$1 awk -F'\t' '
		$7 ~ /_\[k\]$/ && $7 ~ ENVIRON["re"] && $2 > most { most = $2; name = $7 }
		END { print name }'
}
# But for the code itself: what it works with are addresses.
beside_code() { cut --complement -f 4 "$1" | "$check" "$T/ranges"; }
has_code() { awk -F'\t' 'NR > 1 && $1 && $4 != "" && $4 != "(bad)" { n += $1 } END { exit !n }' "$1"; }
name=$(hottest '^[^b]')
"$EDDY" annotate --format tsv "$name" "$T/all.pb.gz" >"$T/annotated"
ok "code of $name" has_code "$T/annotated"
ok 'none beside that' beside_code "$T/annotated"
if known BPF; then
	name=$(hottest '^bpf_prog_.*_known')
	ok 'the BPF program has samples' test -n "$name"
	"$EDDY" annotate --format tsv "$name" "$T/all.pb.gz" >"$T/annotated"
	ok "code of $name" has_code "$T/annotated"
	ok 'nor beside that' beside_code "$T/annotated"
	if perf --version >/dev/null 2>&1; then
		perf script -i "$T/all.perf" >"$T/script" 2>/dev/null
		ok 'perf has it by its name' grep -q " (\[${name%_\[k\]}\])" "$T/script"
	fi
fi
finish
