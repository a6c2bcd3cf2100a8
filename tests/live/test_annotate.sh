#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy annotate of what was sampled here: a hot instruction whose address is known, code as objdump
# reads it, the kernel's code, and every sample of a function in one row.
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/live/live.sh
. tests/live/live.sh
need_sampling

# own NAME FUNCTION: its samples by the folded file; a process of that name has none of its own.
own() {
	"$EDDY" report --format tsv "$T/$1.folded" |
		awk -F'\t' -v f="$2" '$7 == f { n += $2 } END { print n }'
}
sum() { awk -F'\t' 'NR > 1 { n += $1 } END { print n + 0 }' "$1"; }

mkdir "$T/bin"
cp "$W/divide" "$T/bin/divide"
record user -F 999 --only-command -o "$T/user.pb.gz" -- "$T/bin/divide" 0.5
equal 'status' 0 "$rc"
"$EDDY" annotate --format tsv divide "$T/user.pb.gz" >"$T/rows" 2>"$T/err"
equal 'nothing to say' '' "$(<"$T/err")"
equal 'every sample is in one row' "$(own user divide)" "$(sum "$T/rows")"

# Addresses, lengths and order of all instructions are objdump's.
start=$(nm -S "$T/bin/divide" | awk '$4 == "divide" { print $1, $2 }')
objdump -d --no-show-raw-insn --start-address="0x${start% *}" \
	--stop-address=$((0x${start% *} + 0x${start#* })) "$T/bin/divide" |
	sed -n 's/^ *\([0-9a-f]*\):\t\([a-z]*\).*/0x\1 \2/p' >"$T/objdump"
equal 'instructions are where objdump has them' "$(cut -d' ' -f1 "$T/objdump")" \
	"$(tail -n +2 "$T/rows" | cut -f2)"
here=$(nm "$T/bin/divide" | sed -n 's/^0*\([0-9a-f]*\) . divide_here$/0x\1/p')
ok "the division at $here is one" grep -qP "^\d+\t$here\t.*\t[su]?div" "$T/rows"
hot=$(grep -A 1 "^$here " "$T/objdump" | cut -d' ' -f1)
ok 'most samples are there, or at the next one' most 50 \
	"$(grep -wF "$hot" "$T/rows" | awk -F'\t' '{ n += $1 } END { print n + 0 }')" "$(sum "$T/rows")"
ok 'with its line' grep -qP "\t$here\t.*/divide\.c\t\d+\t" "$T/rows"
ok 'and what jumps lead to' grep -qP '\tj[a-z]+ .*\t0x|\tb\.[a-z]+ .*\t0x' "$T/rows"
ok 'jumps are drawn' grep -q "'-.*" < <("$EDDY" annotate divide "$T/user.pb.gz")

# The file is moved on: its code is no longer that which was sampled.
strip --strip-debug -R .note.gnu.build-id "$T/bin/divide"
ok 'another file in its place is not shown' grep -q 'no code:.*build id differs' \
	< <("$EDDY" annotate divide "$T/user.pb.gz")
equal 'but every sample is' "$(own user divide)" \
	"$(sum <("$EDDY" annotate --format tsv divide "$T/user.pb.gz"))"

# Stripped: by unwind entries; its frame is [divide+0xSTART].
cp "$W/nofp/divide" "$T/bin/stripped"
strip "$T/bin/stripped"
record stripped -F 999 --only-command -o "$T/stripped.pb.gz" -- "$T/bin/stripped" 0.2
start=$(printf '[stripped+0x%x]' "0x$(nm "$W/nofp/divide" | awk '$3 == "divide" { print $1 }')")
"$EDDY" annotate --format tsv "$start" "$T/stripped.pb.gz" >"$T/rows" 2>"$T/err"
ok "stripped: $start has its division" grep -qP '^[1-9]\d*\t0x.*\t(div|udiv|add|imul)' "$T/rows"
equal 'stripped: every sample is in one row' "$(own stripped "$start")" "$(sum "$T/rows")"

# The kernel, as it runs.
record kernel -F 999 --only-command -o "$T/kernel.pb.gz" -- \
	dd if=/dev/zero of=/dev/null bs=1 count=400000
name=$("$EDDY" report --format tsv "$T/kernel.folded" |
	awk -F'\t' '$7 ~ /_\[k\]$/ && $2 > most { most = $2; name = $7 } END { print name }')
"$EDDY" annotate --format tsv "$name" "$T/kernel.pb.gz" >"$T/rows" 2>"$T/err"
equal "kernel: every sample of $name is in one row" "$(own kernel "$name")" "$(sum "$T/rows")"
equal 'kernel: each at an instruction' '' \
	"$(awk -F'\t' 'NR > 1 && $1 && ($4 == "" || $4 == "(bad)")' "$T/rows")"
# Where it was linked, which is where kallsyms has it only when the kernel was not moved.
symbol() { awk -v f="$1" '$3 == f && NF == 3 { print $1; exit }' /proc/kallsyms; }
link=ffffffff81000000
[[ $(uname -m) == aarch64 ]] && link=ffff800080000000
ok 'kernel: its first instruction is where it was linked' grep -qF "$(printf '0x%x\t0x0\t' \
	$((0x$(symbol "${name%_\[k\]}") - 0x$(symbol _text) + 0x$link)))" "$T/rows"
# What comes behind sti or popf is late, and nothing else is.
ok 'kernel: late is what stands behind sti, popf or msr' awk -F'\t' 'NR > 1 {
	late = before ~ /^(sti|popf|msr daif|msr icc)/ || older ~ /^sti/
	if (($8 == "late") != late) bad++
	older = before; before = $4
} END { exit bad > 0 }' "$T/rows"
finish
