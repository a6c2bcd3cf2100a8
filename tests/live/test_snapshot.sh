#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy snapshot: windows, signals, what becomes of it when the disk or the directory does not play
# along.  Each time every sample must be in exactly one file, and the files must say so.
# Beside the others: windows go by.
# shellcheck disable=SC2317 # functions are called by ok and until_true
. tests/tap.sh
. tests/live/live.sh
. tests/live/snapshots.sh
need_sampling

# snapshot NAME ARG...: in the background, to $T/NAME, messages in $T/NAME.err; its process in $pid.
snapshot() {
	local name=$1
	shift
	timeout -k 5 120 "$EDDY" snapshot --dir "$T/$name" --host h --every 1s "$@" \
		>"$T/$name.out" 2>"$T/$name.err" &
	pid=$!
	pids+=("$pid")
}

# The process under timeout(1): the one that the lock names.
eddy_pid() {
	cat "$T/$1/h/.eddy-snapshot.lock" 2>/dev/null
}

nr_files() {
	find "$T/$1/h" -name '*.folded*' ! -name '*.json' 2>/dev/null | wc -l
}
has_files() {
	(($(nr_files "$1") >= $2))
}
grew() {
	has_files "$1" $(($2 + 1))
}

# stop NAME SIGNAL: ends it in order; its exit status in $rc.
stop() {
	kill -"$2" "$(eddy_pid "$1")"
	wait "$pid"
	rc=$?
}

snapshots() {
	by_start "$T/$1/h"
}
only_whole_files() {
	local f
	for f in "$T/$1/h"/* "$T/$1/h"/.[!.]*; do
		case ${f##*/} in
		.eddy-snapshot.lock) ;;
		*.folded | *.folded.gz) [[ -e $f.json ]] || { echo "$f has no json"; return 1; } ;;
		*.json) [[ -e ${f%.json} ]] || { echo "$f has no snapshot"; return 1; } ;;
		*) echo "$f"; return 1 ;;
		esac
	done
}

checked() {
	ok "$1: every file accounts for its samples" files_account $(snapshots "$1")
	ok "$1: the files have all samples, once each" sums "$T/$1.err" $(snapshots "$1")
	ok "$1: nothing but whole files" only_whole_files "$1"
}

# Something to sample, all the time.
pids=()
"$W/spin" 80 >/dev/null &
pids+=($!)
mounted=
cleanup() {
	kill "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	if [[ $mounted ]]; then umount -l "$T/disk"; fi
	rm -rf "$T"
}
trap cleanup EXIT

# ---- windows and their names -------------------------------------------------------------------

snapshot plain --no-gzip -d 4.5s
wait "$pid"
equal 'it ends when its time is over' 0 $?
checked plain
ok 'windows are contiguous' contiguous $(snapshots plain)
ok 'several windows' has_files plain 3
equal 'nothing on standard output' '' "$(cat "$T/plain.out")"
# shellcheck disable=SC2016
ok 'names tile the time' awk '
	{
		at = mktime(substr($1, 1, 4) " " substr($1, 5, 2) " " substr($1, 7, 2) " " \
			substr($1, 10, 2) " " substr($1, 12, 2) " " substr($1, 14, 2))
		sub(/.*Z-/, "")
		if (NR > 1 && at != end) { print at, end; bad = 1 }
		end = at + int($0)
	}
	END { exit bad }' <(find "$T/plain/h" -name '*.folded' -printf '%f\n' | sort)
# One that comes late to its end says so: by a quarter of a second, or more.
ok 'windows end on the second, or say that they are late' jq -s -e 'sort_by(.start) | .[:-1] |
	length >= 2 and all(.[]; (.end[20:23] | tonumber) <= 255 or (.notes | any(test("s late")))
	)' "$T"/plain/h/*.json
ok 'the json has what the window cost' jq -s -e 'all(.[]; .cost.rss_bytes > 0 and
	.cost.max_rss_bytes >= .cost.rss_bytes and .cost.bytes_written >= 0 and .cost.cpu_seconds >= 0) and
	(.[1].cost.bytes_written > 0)' "$T"/plain/h/*.json
ok 'what was written can be reported' "$EDDY" report -o "$T/all.folded" "$T"/plain/h/*.folded
equal 'the report has all samples' \
	"$(cat "$T"/plain/h/*.json | jq -s 'map(.samples.kept + .samples.lost) | add')" \
	"$(samples "$T/all.folded")"

# ---- signals -----------------------------------------------------------------------------------

echo 'keep-files 1000' >"$T/limits"
timeout -k 5 120 "$EDDY" snapshot --dir "$T/signals" --host h --every 1h --config "$T/limits" \
	>"$T/signals.out" 2>"$T/signals.err" &
pid=$!
pids+=("$pid")
until_true 20 test -s "$T/signals/h/.eddy-snapshot.lock"
eddy=$(eddy_pid signals)
sleep 1.5
for i in 1 2 3; do
	kill -USR1 "$eddy"
	ok "SIGUSR1 writes a window now ($i)" until_true 20 has_files signals "$i"
done
ok 'windows cut by hand are contiguous' contiguous $(snapshots signals)
"$EDDY" snapshot --dir "$T/signals" --host h --every 1s -d 1s >/dev/null 2>"$T/second.err"
equal 'a second eddy in one folder ends with 1' 1 $?
ok 'and says who has it' grep -q "^eddy: $T/signals/h: another eddy writes here, process $eddy " "$T/second.err"
echo 'keep-files x' >"$T/limits"
kill -HUP "$eddy"
ok 'SIGHUP: a wrong limit is said' until_true 20 grep -q "^eddy: $T/limits:1: .*stay as they were" \
	"$T/signals.err"
echo 'keep-files 2' >"$T/limits"
kill -HUP "$eddy"
sleep 0.3
kill -USR1 "$eddy"
two_files() { (($(nr_files signals) == 2)); }
ok 'SIGHUP: the new limit holds' until_true 20 two_files
sleep 0.5
stop signals TERM
equal 'SIGTERM ends it in order' 0 "$rc"
equal 'the last window was written, the oldest went' 2 "$(nr_files signals)"
ok 'signals: every file accounts for its samples' files_account $(snapshots signals)
ok 'signals: nothing but whole files' only_whole_files signals

# ---- stopped, killed ---------------------------------------------------------------------------

snapshot stopped
until_true 20 has_files stopped 1
eddy=$(eddy_pid stopped)
kill -STOP "$eddy"
sleep 3.3
kill -CONT "$eddy"
n=$(nr_files stopped)
until_true 20 has_files stopped $((n + 2))
stop stopped INT
equal 'SIGINT ends it in order, though it was stopped' 0 "$rc"
checked stopped
ok 'stopped for three windows: contiguous' contiguous $(snapshots stopped)
ok 'one long window, which says that it is late' jq -s -e '
	map(select(.notes | any(test("late")))) | length >= 1' "$T"/stopped/h/*.json

for i in 1 2 3; do
	snapshot killed
	until_true 20 grew killed "$(nr_files killed)"
	sleep "0.$i$i"
	kill -KILL "$(eddy_pid killed)"
	wait "$pid" 2>/dev/null
	ok "killed $i: every file accounts for its samples" files_account $(snapshots killed)
done
: >"$T/killed/h/.eddy-snapshot.tmp"
: >"$T/killed/h/20200101T000000Z-1.folded.json"
: >"$T/killed/h/mine.txt"
snapshot killed --keep-files 3 -d 2.2s
wait "$pid"
equal 'a folder of a killed eddy is taken over' 0 $?
ok 'leftovers are gone' test ! -e "$T/killed/h/.eddy-snapshot.tmp" -a \
	! -e "$T/killed/h/20200101T000000Z-1.folded.json"
equal '--keep-files holds' 3 "$(nr_files killed)"
ok 'what is not ours stays' rm "$T/killed/h/mine.txt"
ok 'killed: nothing but whole files' only_whole_files killed

# ---- a directory that goes and comes -------------------------------------------------------------

snapshot gone
until_true 20 has_files gone 1
mv "$T/gone/h" "$T/gone/elsewhere"
ok 'a folder that vanished is made again' until_true 20 has_files gone 2
mv "$T/gone" "$T/gone.away" # now DIR itself
ok 'so is DIR' until_true 20 has_files gone 1
rm -rf "$T/gone"
: >"$T/gone" # a file in its place
ok 'a file in its place is said' until_true 20 grep -q 'kept in memory' "$T/gone.err"
sleep 2
rm "$T/gone"
ok 'and when it is over' until_true 30 grep -q 'written again' "$T/gone.err"
mkdir -p "$T/rest"
n=$(nr_files gone)
until_true 20 has_files gone $((n + 1))
stop gone TERM
equal 'gone: ends in order' 0 "$rc"
ok 'gone: every file accounts for its samples' files_account $(snapshots gone)
ok 'gone: windows that waited are contiguous' contiguous $(snapshots gone)
ok 'gone: what waited says so' jq -s -e 'any(.[]; .notes | any(test("kept in memory")))' "$T"/gone/h/*.json
equal 'gone: said once' '1 1' "$(grep -c 'kept in memory' "$T/gone.err") $(grep -c 'written again' "$T/gone.err")"

# ---- a full disk, a read-only one --------------------------------------------------------------

mkdir -p "$T/disk"
if mount -t tmpfs -o size=2m tmpfs "$T/disk" 2>/dev/null; then
	mounted=1
	snapshot disk --max-memory 4M
	until_true 20 has_files disk 1
	cp "$T/disk/h/"*.json "$T/rest/" 2>/dev/null
	dd if=/dev/zero of="$T/disk/fill" bs=64k 2>/dev/null
	ok 'a full disk is said' until_true 20 grep -q 'No space left.*kept in memory' "$T/disk.err"
	sleep 2.5
	rm "$T/disk/fill"
	ok 'full disk: and when it is over' until_true 30 grep -q 'written again' "$T/disk.err"
	mount -o remount,ro "$T/disk"
	ok 'a read-only folder is said' until_true 20 grep -q 'Read-only.*kept in memory' "$T/disk.err"
	sleep 1.5
	mount -o remount,rw "$T/disk"
	twice() { (($(grep -c 'written again' "$T/disk.err") == 2)); }
	ok 'read-only: and when it is over' until_true 30 twice
	stop disk TERM
	equal 'disk: ends in order' 0 "$rc"
	checked disk
	ok 'disk: contiguous' contiguous $(snapshots disk)
	ok 'disk: the json says what kept it' jq -s -e '
		any(.[]; .notes | any(test("No space left"))) and
		any(.[]; .notes | any(test("Read-only")))' "$T"/disk/h/*.json
	equal 'disk: each said once' 2 "$(grep -c 'kept in memory' "$T/disk.err")"

	# A disk that is full to the end: what is lost is said, and the exit status tells.
	dd if=/dev/zero of="$T/disk/fill" bs=4k 2>/dev/null
	n=$(nr_files disk)
	snapshot disk -d 2s
	wait "$pid"
	equal 'a disk that stays full: exit status 1' 1 $?
	ok 'and what could not be written is counted' \
		grep -qE '^eddy: [0-9]+ windows with [0-9]+ samples could not be written: .*No space' "$T/disk.err"
	equal 'and no part of it is there' "$n" "$(nr_files disk)"
	ok 'full: nothing but whole files' only_whole_files disk
else
	skip 'a full disk' 'no tmpfs can be mounted'
fi

# ---- usage, a service manager ------------------------------------------------------------------

"$EDDY" snapshot --every 1s >/dev/null 2>"$T/usage.err"
equal 'without --dir: usage' "2 eddy: snapshot: --dir:" "$? $(grep -o '^eddy: snapshot: --dir:' "$T/usage.err")"
"$EDDY" snapshot --dir "$T/x" --every 10ms >/dev/null 2>"$T/usage.err"
equal 'too short a window: usage' "2 eddy: snapshot: --every:" "$? $(grep -o '^eddy: snapshot: --every:' "$T/usage.err")"
: >"$T/file"
"$EDDY" snapshot --dir "$T/file" --every 1s >/dev/null 2>"$T/usage.err"
equal 'a file for DIR: exit status 1' 1 $?
equal 'and one line about it' 1 "$(grep -c "^eddy: $T/file/h.*: " <(sed "s,$T/file/[^:]*,$T/file/h," "$T/usage.err"))"

if command -v perl >/dev/null && perl -MIO::Socket::UNIX -e 1 2>/dev/null; then
	timeout 30 perl -MIO::Socket::UNIX -e '
		$| = 1;
		my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die;
		while (defined $s->recv(my $m, 512)) { print "$m\n"; last if $m =~ /^STOPPING=1/ }
	' "$T/notify" >"$T/notified" &
	pids+=($!)
	until_true 20 test -S "$T/notify"
	NOTIFY_SOCKET=$T/notify WATCHDOG_USEC=1000000 timeout -k 5 60 "$EDDY" snapshot -q --dir "$T/service" \
		--every 1s -d 2.5s 2>"$T/service.err"
	equal 'as a service' 0 $?
	until_true 10 grep -q '^STOPPING=1' "$T/notified"
	equal 'ready first, stopping last' 'READY=1 STOPPING=1' \
		"$(sed -n '1p' "$T/notified") $(grep -v '^STATUS' "$T/notified" | tail -1)"
	ok 'signs of life' awk '/^WATCHDOG=1/ { n++ } END { exit !(n >= 3) }' "$T/notified"
	ok 'and what it does' grep -qE '^STATUS=[0-9]+ windows, [0-9]+ samples, [0-9]+ lost$' "$T/notified"
	# Of what else runs a name may be longer than names are kept, or a file not answered.
	equal '-q is quiet' '' "$(grep -v '^eddy: in this window ' "$T/service.err")"
else
	skip 'a service manager' 'no perl to listen with'
fi
finish
