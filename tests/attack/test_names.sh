#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A user's process whose threads, functions and compiled code are called like forms of eddy's own: no
# sample of it becomes an interrupt's, a loss or the kernel's, now or when the file is read.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

gives "$P/forger"
attacker_starts ./forger 3
sleep 0.2
record forged -F 999 -d 1.6
attack_ends
rm -f /tmp/perf-$!.map
equal 'a capture of forged names: exit status' 0 "$rc"
accounts forged
f=$T/forged.folded

# Of each name in the file at least the tenth part of what it should have.
for frame in '\x5bhardirq]' '\x5blost:ring]' 'x_\x5bk]' '! 1 2.5: c: x' '\xe2\x80\xaegnp' '\x1b[31m\x07' \
	'asm_sysvec_forged_\x5bk]' '\x5blost:map-full]' '\xe2\x80\xaelaid'; do
	n=$(samples "$f" "$frame")
	ok "as $frame: $n samples" test "$n" -ge 10
done
[[ $(uname -m) != x86_64 ]] || {
	n=$(samples "$f" '\x5bsoftirq]_[j]')
	ok "as \\x5bsoftirq]_[j]: $n samples" test "$n" -ge 10
}
# Whatever stands under a mark is the kernel's, and no name of the attacker's.
ok 'no mark over functions of a user' awk '
	/^\[/ {
		n = split(substr($0, 1, length($0) - length($NF) - 1), frame, ";")
		for (i = 2; i <= n; i++)
			if (frame[i] !~ /_\[k\]$/) { print; bad = 1 }
		if (frame[1] ~ /^\[lost/ && n > 1) { print; bad = 1 }
	}
	END { exit bad }' "$f"
ok 'no kernel function of that name' test "$(samples "$f" 'asm_sysvec_forged_[k]')" = 0
ok 'losses are those of the account' test "$(awk '/^\[lost:/ { n += $NF } END { print n + 0 }' "$f")" \
	= "$(json forged .samples.lost)"

# Read back: the same text, the same classes, nothing for a terminal to obey.
"$EDDY" merge -o "$T/again.folded" "$f" 2>"$T/merge.err"
ok 'read and written again it is the same' cmp "$f" "$T/again.folded"
"$EDDY" report --view irq --format tsv "$f" >"$T/irq.tsv" 2>"$T/report.err"
equal 'the view of interrupts: exit status' 0 $?
ok 'the view of interrupts: none of them is forged' awk -F '\t' '
	$1 ~ /^(hardirq|softirq|nmi)/ && ($2 ~ /forged|5b/ || $3 ~ /forged|5b/) { print; bad = 1 }
	END { exit bad }' "$T/irq.tsv"
for view in flat tree irq; do
	"$EDDY" report --view $view "$f" >"$T/view.txt" 2>/dev/null
	ok "view $view: nothing that turns the direction of text" \
		env LC_ALL=C awk '/\342\200[\216\217\250-\256]|[\001-\010\013-\037\177]/ { print; bad = 1 } END { exit bad }' "$T/view.txt"
done
# No file has them either, whatever its format.  What is packed, or has numbers as bytes, is looked
# through for what the names begin with.
controls() {
	env LC_ALL=C awk '/\342\200[\216\217\250-\256]|[\001-\010\013-\037\177]/ { print; bad = 1 } END { exit bad }' "$1"
}
forms() {
	! zcat -f "$1" | LC_ALL=C grep -a -c -F -e $'\e[31m' -e $'\xe2\x80\xae'
}
for suffix in folded html svg dot callgrind json tsv pb.gz; do
	"$EDDY" report -o "$T/out.$suffix" "$f" 2>"$T/report.err"
	equal "a file .$suffix: exit status" 0 $?
	case $suffix in
	pb.gz) ok "a file .$suffix: no name as it was" forms "$T/out.$suffix" ;;
	*) ok "a file .$suffix: nothing for a terminal to obey" controls "$T/out.$suffix" ;;
	esac
done
ok 'the .json beside it: nothing for a terminal to obey' controls "$f.json"

# A cgroup and a program's file that are called so; eddy top shows them while they run.
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
bad=$'evil\e[31m\xe2\x80\xaegnp'
attacker cp forger "$bad"
if [[ $mount ]] && mkdir "$mount/$bad$$" 2>/dev/null; then
	attacker_starts "./$bad" 6
	echo $! >"$mount/$bad$$/cgroup.procs"
	record cgroup -F 499 -d 1 --root cgroup,comm
	equal 'a cgroup: exit status' 0 "$rc"
	"$EDDY" top --batch -d 1 -n 1 --root cgroup,comm >"$T/top.out" 2>"$T/top.err"
	equal 'eddy top: exit status' 0 $?
	attack_ends
	rm -f /tmp/perf-$!.map
	until_true 10 rmdir "$mount/$bad$$"
	ok 'a cgroup: it was sampled' grep -q 'evil\\x1b\[31m\\xe2\\x80\\xaegnp' "$T/cgroup.folded"
	for file in cgroup.folded cgroup.folded.json cgroup.err top.out top.err; do
		ok "$file: nothing for a terminal to obey" controls "$T/$file"
	done
else
	skip 'a cgroup of such a name' 'no cgroup v2 that takes it'
fi

# A file that begins with such a line is folded text all the same.
{ grep '^! 1' "$f" && grep -v '^! 1' "$f"; } >"$T/first.folded"
equal 'a name like a header of perf script' "$(samples "$f")" \
	"$("$EDDY" report --irq keep --format folded "$T/first.folded" 2>&1 | samples -)"
finish
