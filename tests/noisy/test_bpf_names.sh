#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# BPF programs that are loaded and taken out while a capture runs, each where another one stood, have
# their own names, each in its own windows.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# named FILE NAME: samples of the workload in the program of that name; *: in any program.
named() {
	zcat -f "$1" | grep "^bpf_busy;" | grep -E ";bpf_prog_[0-9a-f]+_$2_\[k\]( |;)" | samples -
}

"$W/bpf_busy" 6 before >"$T/before.out" 2>"$T/before.err" &
if ! until_true 5 grep -q program "$T/before.out"; then
	skip 'BPF programs' "$(cat "$T/before.err")"
	finish
fi
record one -v -F 499 -- "$W/bpf_busy" 0.5 aaaa bbbb cccc dddd
equal 'record: exit status' 0 "$rc"
accounts one
total=$(named "$T/one.folded" '(aaaa|bbbb|cccc|dddd)')
echo "# note: $(tr '\n' ' ' <"$T/one.out") before: $(named "$T/one.folded" before) samples"
for name in aaaa bbbb cccc dddd; do
	within "record: $name" "$(named "$T/one.folded" $name)" "$total" 0.25
done
ok 'what was there before the start keeps its name' at_least "$(named "$T/one.folded" before)" 50
equal 'record: no other program has samples of them' 0 \
	"$(grep '^bpf_busy;' "$T/one.folded" | grep -E ';bpf_prog_[0-9a-f]{16}_' |
		grep -vE '_(aaaa|bbbb|cccc|dddd|before)_\[k\]' | samples -)"
wait

# Windows: one program, then another one at the same place.
timeout -k 5 -s INT 60 "$EDDY" snapshot --dir "$T/snapshots" --host h --every 1s -F 499 \
	>"$T/snapshot.out" 2>"$T/snapshot.err" &
pid=$!
until_true 5 test -e "$T/snapshots/h/.eddy-snapshot.lock"
sleep 1.5
"$W/bpf_busy" 1.5 early >"$T/early.out"
"$W/bpf_busy" 1.5 later >"$T/later.out"
sleep 1.5
kill -INT "$pid"
wait
echo "# note: $(cat "$T/early.out" "$T/later.out" | tr '\n' ' ')"
nr=0 nr_early=0 nr_later=0 last_early=0 first_later=99
for file in "$T"/snapshots/h/*.folded.gz; do
	nr=$((nr + 1))
	early=$(named "$file" early) later=$(named "$file" later)
	((early && (last_early = nr)))
	((later && first_later == 99 && (first_later = nr)))
	nr_early=$((nr_early + early)) nr_later=$((nr_later + later))
	order+="$early/$later "
	accounted "$file" window || bad+=" $file"
done
equal 'every window accounts for its samples' '' "${bad:-}"
echo "# note: early/later, window by window: ${order:-}"
ok "early has $nr_early samples" at_least "$nr_early" 100
ok "later has $nr_later samples" at_least "$nr_later" 100
ok 'none of early comes in a window after one of later' test "$last_early" -le "$first_later"
finish
