#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What eddy writes as root where a hostile user may make names: links, FIFOs, locks that are held.
# (tests/noisy/test_outputs.sh has the races for a file's name.)
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

printf 'main;f 3\n' >"$T/in.folded"
echo precious >"$T/precious"
chmod 600 "$T/precious"
precious() { stat -c '%u %a' "$T/precious" && cat "$T/precious"; }
# refused NAME PATTERN ARG...: exit status 1 within ten seconds, in one line that matches
refused() {
	local name=$1 pattern=$2
	shift 2
	timeout -k 5 10 "$EDDY" "$@" >"$T/refused.out" 2>"$T/refused.err"
	equal "$name: exit status" 1 $?
	ok "$name: $(tail -n 1 "$T/refused.err")" grep -qE "^eddy: .*($pattern)" "$T/refused.err"
}

# ---- FIFOs and links for files ----------------------------------------------------------------

attacker mkfifo -m 666 fifo.folded
attacker ln -s ../precious link.folded
refused 'merge into a FIFO' FIFO merge -o "$A/fifo.folded" "$T/in.folded"
refused 'report into a FIFO' FIFO report --format folded -o "$A/fifo.folded" "$T/in.folded"
refused 'record into a FIFO' FIFO record -d 0.1 -o "$A/fifo.folded"
"$EDDY" merge -o "$A/link.folded" "$T/in.folded" 2>/dev/null
equal 'merge: the link in a folder of others is replaced' "0 600 regular file" "$(stat -c '%u %a %F' "$A/link.folded")"
equal 'merge: what it led to stays' $'0 600\nprecious' "$(precious)"

# ---- root's folder inside another's, which is moved away meanwhile -----------------------------

# moved NAME COMMAND...: the command's output belongs into $A/in, which goes after half a second
moved() {
	local name=$1
	shift
	rm -rf "$A/in" "$A/away"
	mkdir "$A/in"
	attacker_starts sh -c 'sleep 0.7; mv in away; mkdir -p in/h'
	timeout 20 "$EDDY" "$@" 2>"$T/moved.err"
	equal "$name: exit status" 0 $?
	equal "$name: nothing in the attacker's folder" '' "$(find "$A/in" -type f)"
}
moved 'record: a folder that is replaced' record -I -d 1.5 -o "$A/in/x.folded"
ok 'record: its file is in its own' grep -q . "$A/away/x.folded"
ok 'record: and the json' grep -q . "$A/away/x.folded.json"
ok 'record: it is said' grep -q 'another user has moved its directory' "$T/moved.err"
moved 'snapshot: a folder that is replaced' snapshot --dir "$A/in" --host h --every 1s -d 2.5
ok 'snapshot: its files are in its own' test "$(find "$A/away/h" -name '*.folded.gz' | wc -l)" -ge 3
ok 'snapshot: and tell of it' grep -q 'another user has moved the directory away' "$A"/away/h/*.json
rm -rf "$A/in" "$A/away"

# ---- the folder of snapshots ------------------------------------------------------------------

mkdir "$A/snaps"
chmod 777 "$A/snaps"
attacker ln -s ../.. snaps/h
refused 'snapshot: a link as the folder of the host' 'is a link' snapshot --dir "$A/snaps" --host h --every 1 -d 1
attacker mkdir -m 777 snaps/i
attacker mkfifo -m 666 snaps/i/.eddy-snapshot.lock
refused 'snapshot: a FIFO as lock' 'not a file of its own' snapshot --dir "$A/snaps" --host i --every 1 -d 1
attacker mkdir -m 777 snaps/j
attacker ln -s "$T/precious" snaps/j/.eddy-snapshot.lock
refused 'snapshot: a link as lock' 'not a file of its own' snapshot --dir "$A/snaps" --host j --every 1 -d 1
equal 'snapshot: what it led to stays' $'0 600\nprecious' "$(precious)"

# A folder that others may read: nobody but root can hold its lock.
mkdir -m 755 "$T/snaps"
chmod 755 "$T/snaps"
"$EDDY" snapshot --dir "$T/snaps" --host h --every 1 -d 1.2 2>"$T/first.err"
equal 'snapshot: a folder that others may read' 0 $?
attacker_starts flock -s "$T/snaps/h/.eddy-snapshot.lock" sleep 30
attacker_starts flock -x "$T/snaps/h/.eddy-snapshot.lock" sleep 30
sleep 0.3
"$EDDY" snapshot --dir "$T/snaps" --host h --every 1 -d 1 2>"$T/second.err"
equal 'snapshot: others who try to lock it do not stop it' 0 $?
ok 'snapshot: no file of others' test -z "$(find "$T/snaps" ! -uid 0)"
finish
