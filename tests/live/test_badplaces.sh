#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input and bad places: each a clear message or a counted cause, and nothing left behind.
. tests/tap.sh
. tests/live/live.sh
need_sampling

# rejected NAME WORD COMMAND...: exit status 1 (or 2), one line "eddy: ..." that holds the word.
rejected() {
	local name=$1 word=$2
	shift 2
	timeout -k 5 60 "$@" >"$T/rejected.out" 2>"$T/rejected.err"
	rc=$?
	ok "$name: exit status $rc" test $rc = 1 -o $rc = 2
	equal "$name: one line" 1 "$(wc -l <"$T/rejected.err")"
	ok "$name: says $word" grep -qiE "^eddy: .*($word)" "$T/rejected.err"
	equal "$name: nothing on standard output" '' "$(head -c 200 "$T/rejected.out")"
}

# ---- privileges ------------------------------------------------------------------------------

chmod 755 "$T"
mkdir -m 777 "$T/open"
cp "$EDDY" "$T/eddy"
cp "$W/spin" "$T/spin"
chmod 755 "$T/eddy" "$T/spin"
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
rejected 'not root' 'root|CAP_|permission|privilege' "${nobody[@]}" "$T/eddy" record -d 0.2 -o "$T/open/x.folded"
equal 'not root: no file' '' "$(ls -A "$T/open")"
rejected 'root without CAP_BPF and CAP_SYS_ADMIN' 'CAP_|permission|privilege' \
	setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin "$T/eddy" record -d 0.2 -o "$T/open/x.folded"
rejected 'root without CAP_PERFMON and CAP_SYS_ADMIN' 'CAP_|permission|privilege|paranoid' \
	setpriv --bounding-set=-perfmon,-sys_admin --inh-caps=-perfmon,-sys_admin "$T/eddy" record -d 0.2 -o "$T/open/x.folded"
rejected 'no system call bpf' 'CONFIG_BPF_SYSCALL' "$W/confine" -r bpf "$T/eddy" record -d 0.2 -o "$T/open/x.folded"
rejected 'no system call perf_event_open' 'CONFIG_PERF_EVENTS' \
	"$W/confine" -r perf_event_open "$T/eddy" record -d 0.2 -o "$T/open/x.folded"
if unshare -m mount -t tmpfs none /sys/kernel/btf 2>/dev/null; then
	# shellcheck disable=SC2016
	rejected 'no BTF' 'CONFIG_DEBUG_INFO_BTF' unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' - \
		"$T/eddy" record -d 0.2 -o "$T/open/x.folded"
else
	skip 'no BTF' 'cannot mount over /sys/kernel/btf'
fi
# -v: what libbpf and the verifier said stands above the line that tells why, safe for a terminal.
"$W/confine" -d bpf,sys_admin "$T/eddy" record -v -d 0.2 -o "$T/open/x.folded" >"$T/log.out" 2>"$T/log"
equal 'the log with -v: exit status' 1 $?
ok 'the log with -v: libbpf, then eddy' awk '/^libbpf: / { n++ } { last = $0 } END { exit !(n && last ~ /^eddy: /) }' "$T/log"
equal 'without capabilities: no file' '' "$(ls -A "$T/open")"
mkdir "$T/able"
chmod 777 "$T/able"
if timeout 60 "$W/confine" -m 8388608 -d sys_resource "$T/eddy" record -o "$T/able/x.folded" -- "$W/spin" 0.2 2>"$T/able.err"; then
	ok 'no CAP_SYS_RESOURCE, 8 MiB of locked memory: works' grep -q spin_here "$T/able/x.folded"
else # before Linux 5.11 maps count as locked memory
	ok 'no CAP_SYS_RESOURCE, 8 MiB of locked memory: says so' grep -q '^eddy: .*RLIMIT_MEMLOCK' "$T/able.err"
fi
if timeout 60 "$W/confine" -u 65534 -k bpf,perfmon,syslog,sys_ptrace,dac_read_search "$T/eddy" record \
	-o "$T/able/y.folded" -- "$T/spin" 0.2 2>"$T/able.err"; then
	ok 'no root, with capabilities: works' grep -q spin_here "$T/able/y.folded"
	ok 'no root, with capabilities: what a sample costs is known' jq -e '.cost.bpf_ns_per_sample > 0' "$T/able/y.folded.json"
else
	ok 'no root, with capabilities: says why not' grep -qE '^eddy: .*(perf_event_paranoid|RLIMIT_MEMLOCK)' "$T/able.err"
fi
ok 'doctor as root' "$EDDY" doctor
"${nobody[@]}" "$T/eddy" doctor >"$T/doctor" 2>&1
ok 'doctor without privileges says what is missing' grep -qiE 'root|CAP_|permission|privilege' "$T/doctor"

# ---- what was asked for does not exist -------------------------------------------------------

rejected 'unknown event' 'no-such-event' "$EDDY" record -e no-such-event -d 0.2 -o "$T/open/x.folded"
rejected 'unknown tracepoint' 'nosuch' "$EDDY" record -e nosuch:tracepoint -d 0.2 -o "$T/open/x.folded"
rejected 'no such process' '999999999|4194999' "$EDDY" record -p 4194999 -d 0.2 -o "$T/open/x.folded"
rejected 'no such cgroup' 'no/such/group' "$EDDY" record -G /no/such/group -d 0.2 -o "$T/open/x.folded"
rejected 'no such CPU' '4095' "$EDDY" record -C 4095 -d 0.2 -o "$T/open/x.folded"
equal 'what does not exist leaves no file' '' "$(ls -A "$T/open")"

# ---- outputs ---------------------------------------------------------------------------------

rejected 'no such folder' "$T/missing/x.folded" "$EDDY" record -o "$T/missing/x.folded" -- touch "$T/begun"
ok 'no such folder: said before the command runs, not after' test ! -e "$T/begun"
mkdir "$T/folder.folded"
rejected 'the output is a folder' 'folder.folded' "$EDDY" record -d 0.2 -o "$T/folder.folded"
rejected 'unknown suffix' 'nonsense' "$EDDY" record -d 0.2 -o "$T/open/x.nonsense"
equal 'unwritable outputs leave no file' '' "$(ls -A "$T/open")"

mkdir "$T/small"
if mount -t tmpfs -o size=64k tmpfs "$T/small" 2>/dev/null; then
	trap 'umount -l "$T/small"; rm -rf "$T"' EXIT
	echo kept >"$T/small/old.folded"
	head -c 60000 /dev/zero >"$T/small/filler"
	timeout 60 "$EDDY" record -e page-faults -c 1 -o "$T/small/old.folded" --only-command -- \
		"$W/many_stacks" faults 3000 >/dev/null 2>"$T/full.err"
	equal 'full disk: exit status' 1 $?
	ok 'full disk: said' grep -qiE '^eddy: .*(space|full)' "$T/full.err"
	equal 'full disk: the old file is whole and nothing else is left' $'filler\nold.folded kept' \
		"$(ls -A "$T/small") $(cat "$T/small/old.folded")"
	# By frame pointers, so that no sample comes before its unwind table.
	timeout 60 "$EDDY" record --unwind fp -e page-faults -c 1 -o "$T/small/old.folded" -o "$T/full.folded" \
		--only-command -- "$W/many_stacks" faults 3000 200 >/dev/null 2>"$T/full.err"
	equal 'full disk: another output is not lost' 3000 "$(samples "$T/full.folded" stack_bottom)"
	umount -l "$T/small"
	trap 'rm -rf "$T"' EXIT
else
	skip 'full disk' 'cannot mount a tmpfs'
fi
# With something to write: an idle machine has no stacks, and nothing is always written.
"$EDDY" record -F 999 -o - -- "$W/spin" 0.4 >/dev/full 2>"$T/devfull.err"
equal 'standard output full: exit status' 1 $?

# ---- names -----------------------------------------------------------------------------------

record evil -F 999 --only-command -- "$W/evil_name" 0.6
accounts evil
ok 'evil names: no control character in the file' \
	awk '/[\001-\010\013-\037\177]/ { bad = 1 } END { exit bad }' "$T/evil.folded"
ok 'evil names: none in the messages' awk '/[\001-\010\013-\037\177]/ { bad = 1 } END { exit bad }' "$T/evil.err"
n=$(samples "$T/evil.folded")
ok 'evil names: the process' most 90 "$(samples "$T/evil.folded" 'ev:il\x0a\x1b[31m 5')" "$n"
# Each has a third of the time.
ok 'evil names: semicolon and space' most 20 "$(samples "$T/evil.folded" 'evil:semi colon')" "$n"
ok 'evil names: newline' most 20 "$(samples "$T/evil.folded" 'evil\x0anewline 7')" "$n"
ok 'evil names: escape' most 20 "$(samples "$T/evil.folded" 'evil\x1b[31m\x01escape')" "$n"

# ---- files that change, processes that end ---------------------------------------------------

# silent FILE: what eddy said is its summary, and notes
silent() {
	! grep '^eddy:' "$1" | grep -vE '^eddy: [0-9]+ samples? in '
}
# chains FILE REGEX: samples whose user frames under main are such, and all of two and more
chains() {
	re="^($2)\$" awk '
	/^vanish;.*;main;[^;]*;/ {
		n = $NF
		sub(/ [0-9]+$/, "")
		sub(/.*;main;/, "")
		sub(/(^|;)[^;]*_\[k\].*$/, "")
		if (!/;/) next
		all += n
		if ($0 ~ ENVIRON["re"]) hit += n
	} END { print hit + 0, all + 0 }' "$1"
}
for how in deleted replaced truncated garbled exit; do
	record $how -F 999 --only-command -- "$W/vanish" $how "$W/libshared_work.so" 0.5
	equal "$how: exit status" 0 "$rc"
	accounts $how
	ok "$how: no message but the summary" silent "$T/$how.err"
	# Two functions of the library under main, by their names or by their place in that file.
	ok "$how: no other file's symbols" most 80 \
		$(chains "$T/$how.folded" '(shared_exported;shared_hidden|\[eddy-vanish[^;]*;\[eddy-vanish[^;]*)')
done
for how in deleted replaced exit; do
	ok "$how: by their names" most 80 $(chains "$T/$how.folded" 'shared_exported;shared_hidden')
done
ok 'deleted: named all the same' most 80 "$(samples "$T/deleted.folded" shared_exported)" "$(samples "$T/deleted.folded" vanish)"
# Of the rest is most in starting and ending processes.
ok 'exit: processes of 2 ms are named' most 40 "$(samples "$T/exit.folded" shared_exported)" "$(samples "$T/exit.folded" vanish)"
finish
