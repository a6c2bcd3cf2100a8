#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every command that writes a file, run by root in places that others may write to: what leads to
# root's files there is not followed, what is no file is refused, an exchange meanwhile gains
# nothing, and what is written is root's alone.
. tests/tap.sh
. tests/live/live.sh
. tests/attack/attack.sh
need_attacker

install -m 755 "$W/exchange" "$P/elsewhere" "$A"
"$EDDY" record -I -d 0.3 -o "$T/in.folded" 2>/dev/null
"$EDDY" record -I -d 0.3 -o "$T/in2.folded" 2>/dev/null
for suffix in '' .json; do chmod 644 "$T/in.folded$suffix" "$T/in2.folded$suffix"; done

commands=('merge' 'report dot' 'diff text' 'export' 'record')
# run COMMAND FILE
run() {
	local limit=(timeout -k 5 20)
	case $1 in
	merge) "${limit[@]}" "$EDDY" merge -o "$2" "$T/in.folded" "$T/in2.folded" ;;
	report*) "${limit[@]}" "$EDDY" report --format "${1#* }" -o "$2" "$T/in.folded" ;;
	diff*) "${limit[@]}" "$EDDY" diff --format "${1#* }" -o "$2" "$T/in.folded" "$T/in2.folded" ;;
	export) "${limit[@]}" "$EDDY" export --clickhouse --table stacks -o "$2" "$T/in.folded" ;;
	record) "${limit[@]}" "$EDDY" record -I -F 99 -d 0.1 -o "$2" ;;
	esac >"$T/run.out" 2>"$T/run.err"
}

# Root's files, which nobody may change, and what makes them so again.
precious_is() {
	stat -c '%u %a %h %s' "$T/precious"
	cat "$T/precious"
	ls -A "$T/dir"
}
echo precious >"$T/precious"
chmod 600 "$T/precious"
mkdir -m 700 "$T/dir"
untouched=$(precious_is)

# places: others' own, everybody's with and without the sticky bit, a group's.
make_place() {
	rm -rf "$A/place"
	attacker mkdir -m 755 place
	case $1 in
	own) ;;
	all) chown 0:0 "$A/place" && chmod 777 "$A/place" ;;
	sticky) chown 0:0 "$A/place" && chmod 1777 "$A/place" ;;
	group) chown "0:$A_UID" "$A/place" && chmod 775 "$A/place" ;;
	esac
}

# What stands at the output's name; of these a file may take the place, and those are refused.
replaced='link dangling hard own_file'
refused='fifo device socket directory'
bait() {
	case $1 in
	link) attacker ln -s "$T/precious" "place/$2" ;;
	dangling) attacker ln -s "$T/dir/new" "place/$2" ;;
	hard) ln "$T/precious" "$A/place/$2" ;; # as where links to others' files are allowed
	own_file) attacker sh -c "echo own >'place/$2'; chmod 4777 'place/$2'" ;;
	fifo) attacker mkfifo -m 666 "place/$2" ;;
	device) mknod "$A/place/$2" c 1 3 && chown "$A_UID" "$A/place/$2" ;; # as where one was left
	socket) attacker perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => shift, Listen => 1) or die' "place/$2" ;;
	directory) attacker mkdir "place/$2" ;;
	esac
}
# Idle samples are kept (-I): a capture of nothing replaces no file.
roots_alone() { stat -c '%u %a %h %F' "$1" 2>&1 | sed 's/regular empty file/regular file/'; }

for command in "${commands[@]}"; do
	bad=()
	for place in own all sticky group; do
		for what in $replaced; do
			make_place "$place"
			bait "$what" out.folded
			run "$command" "$A/place/out.folded" || bad+=("$place $what: $(tail -n 1 "$T/run.err")")
			[[ $(roots_alone "$A/place/out.folded") == '0 600 1 regular file' ]] ||
				bad+=("$place $what: $(roots_alone "$A/place/out.folded")")
			rm -f "$A/place/out.folded"
			[[ $(precious_is) == "$untouched" ]] || bad+=("$place $what: $(precious_is)")
		done
		for what in $refused; do
			make_place "$place"
			bait "$what" out.folded
			before=$(roots_alone "$A/place/out.folded")
			run "$command" "$A/place/out.folded"
			rc=$?
			[[ $rc == 1 ]] || bad+=("$place $what: status $rc")
			[[ $(grep -c '^eddy: ' "$T/run.err") == 1 ]] || bad+=("$place $what: $(cat "$T/run.err")")
			[[ $(roots_alone "$A/place/out.folded") == "$before" ]] || bad+=("$place $what: it is another")
			[[ $(ls -A "$A/place") == out.folded ]] || bad+=("$place $what: $(ls -A "$A/place")")
		done
	done
	equal "$command: what stands at its output's name" '' "$(printf '%s\n' "${bad[@]}")"
done

# ---- the .json beside it ----------------------------------------------------------------------

for command in merge record; do
	bad=()
	for what in $replaced $refused; do
		make_place all
		bait "$what" out.folded.json
		run "$command" "$A/place/out.folded"
		rc=$?
		case " $replaced " in
		*" $what "*) expect='0 0 600 1 regular file' ;;
		*) expect="1 $(bait "$what" again && roots_alone "$A/place/again")" ;;
		esac
		[[ "$rc $(roots_alone "$A/place/out.folded.json")" == "$expect" ]] ||
			bad+=("$what: $rc $(roots_alone "$A/place/out.folded.json"), not $expect")
		rm -rf "$A/place/out.folded.json"
		[[ $(precious_is) == "$untouched" ]] || bad+=("$what: $(precious_is)")
	done
	equal "$command: what stands at its .json's name" '' "$(printf '%s\n' "${bad[@]}")"
done

# One that would be removed, as it is about the file that is replaced: only the name is.
make_place all
cp -p "$T/in.folded.json" "$T/kept.json"
attacker ln -s "$T/kept.json" place/out.folded.json
"$EDDY" merge --no-sidecar -o "$A/place/out.folded" "$T/in.folded" 2>/dev/null
ok 'merge --no-sidecar: what the link leads to stays' test -s "$T/kept.json"

# What reads a .json beside a file of others: nothing is waited for, no device is opened.
make_place own
cp "$T/in.folded" "$A/place/x.folded"
for what in fifo terminal; do
	rm -f "$A/place/x.folded.json" "$A/told_$what"
	attacker_starts ./elsewhere "$what" place/x.folded.json "told_$what"
	ok "reading: a $what as .json" until_true 10 test -p "$A/place/x.folded.json" -o -c "$A/place/x.folded.json"
	for reader in 'report' 'merge -o -' 'diff'; do
		args=()
		[[ $reader == diff ]] && args=("$T/in.folded")
		# shellcheck disable=SC2086 # words
		timeout -k 5 20 "$EDDY" $reader "${args[@]}" "$A/place/x.folded" >"$T/read.out" 2>"$T/read.err"
		rc=$?
		ok "reading: $reader beside a $what ends ($rc)" test "$rc" -le 1
	done
	ok "reading: the $what was not opened" test ! -e "$A/told_$what"
done
attack_ends

# And a directory of snapshots in which others put something.
"$EDDY" snapshot --dir "$T/history" --host h --every 1 -d 2.2 2>"$T/history.err"
for what in fifo terminal; do
	rm -rf "$A/history" "$A/told_$what"
	attacker mkdir -p history/h
	cp "$T"/history/h/*.folded* "$A/history/h/"
	first=$(cd "$A/history/h" && echo *.folded.gz) && first=${first%% *}
	rm "$A/history/h/$first"
	attacker_starts ./elsewhere "$what" "history/$what" "told_$what"
	ok "history: a $what" until_true 10 test -p "$A/history/$what" -o -c "$A/history/$what"
	attacker ln -s "../$what" "history/h/$first"
	for reader in 'report' 'merge -o -' 'export --clickhouse'; do
		# shellcheck disable=SC2086 # words
		timeout -k 5 20 "$EDDY" $reader "$A/history" >"$T/read.out" 2>"$T/read.err"
		equal "history: $reader with a $what" 1 $?
		ok "history: $reader with a $what: $(tail -n 1 "$T/read.err")" grep -q "$first: not a regular file" "$T/read.err"
	done
	ok "history: the $what was not opened" test ! -e "$A/told_$what"
done
attack_ends

# ---- exchanges --------------------------------------------------------------------------------

# exchanged COMMAND PLACE TRIES PATH A B: what goes wrong while A and B are exchanged without end.
exchanged() {
	local command=$1 place=$2 tries=$3 path=$4 i
	for ((i = 0; i < tries; i++)); do
		run "$command" "$A/place/$path"
		[[ $(precious_is) == "$untouched" ]] || { echo "$place $path, try $i: $(precious_is)"; return; }
	done
}
for command in "${commands[@]}"; do
	tries=12 bad=()
	[[ $command == record ]] && tries=4
	for place in own all sticky; do
		make_place "$place"
		attacker sh -c 'cd place && echo own >out.folded && ln -s "$1" bait && mkdir sub && ln -s "$2" bait_sub' \
			- "$T/precious" "$T/dir"
		(as "$A_UID" "$A" sh -c 'cd place && exec ../exchange out.folded bait 60') >/dev/null 2>&1 &
		(as "$A_UID" "$A" sh -c 'cd place && exec ../exchange sub bait_sub 60') >/dev/null 2>&1 &
		for path in out.folded sub/out.folded; do
			why=$(exchanged "$command" "$place" $tries $path)
			[[ $why ]] && bad+=("$why")
		done
		attack_ends
	done
	equal "$command: exchanged while it writes" '' "$(printf '%s\n' "${bad[@]}")"
done

# The dir of a host, and a lock that is somebody else's.
make_place all
attacker sh -c 'cd place && mkdir h && ln -s "$1" bait' - "$T/dir"
(as "$A_UID" "$A" sh -c 'cd place && exec ../exchange h bait 60') >/dev/null 2>&1 &
bad=()
for i in 1 2 3 4; do
	timeout -k 5 20 "$EDDY" snapshot --dir "$A/place" --host h --every 1 -d 0.2 2>"$T/run.err"
	[[ $(precious_is) == "$untouched" ]] || bad+=("try $i: $(precious_is)")
done
attack_ends
equal 'snapshot: exchanged while it begins' '' "$(printf '%s\n' "${bad[@]}")"
make_place own
attacker sh -c 'mkdir place/h && : >place/h/.eddy-snapshot.lock && chmod 666 place/h/.eddy-snapshot.lock'
attacker_starts flock -x place/h/.eddy-snapshot.lock sleep 60
sleep 0.3
timeout -k 5 20 "$EDDY" snapshot --dir "$A/place" --host h --every 1 -d 0.2 2>"$T/run.err"
equal 'snapshot: a lock of others' 1 $?
ok "snapshot: a lock of others: $(tail -n 1 "$T/run.err")" grep -q 'the lock .* is somebody else' "$T/run.err"
finish
