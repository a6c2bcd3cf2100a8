#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Root records and merges where somebody else exchanges the output with a link to root's file.
. tests/tap.sh
. tests/live/live.sh
need_sampling

umask 022
chmod 755 "$T"
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
cp "$W/exchange" "$T/exchange"
printf 'main;f 3\n' >"$T/in.folded"

# attacked MODE TRIES COMMAND...: runs it again and again in such a directory; $F/precious is
# root's.
attacked() {
	local mode=$1 tries=$2 pid i
	shift 2
	F=$T/shared$mode$RANDOM
	mkdir "$F"
	echo precious >"$F.precious"
	chmod 600 "$F.precious"
	chmod "$mode" "$F"
	touch "$F/eddy.folded"
	ln -s "$F.precious" "$F/bait"
	chown -h 65534:65534 "$F/eddy.folded" "$F/bait"
	chmod 4777 "$F/eddy.folded"
	"${nobody[@]}" sh -c 'cd "$1" && exec "$2" eddy.folded bait 60' - "$F" "$T/exchange" &
	pid=$!
	for ((i = 0; i < tries; i++)); do
		(cd "$F" && "$@") >/dev/null 2>"$T/attacked.err" || echo "status $?: $(tail -n 1 "$T/attacked.err")"
		[[ $(stat -c '%u %a' "$F.precious") == '0 600' && $(cat "$F.precious") == precious ]] ||
			echo "after $i: $(stat -c '%u %a' "$F.precious") $(head -c 100 "$F.precious")"
		[[ -f $F/eddy.folded.json ]] && stat -c 'json: %u %a' "$F/eddy.folded.json" | grep -v '^json: 0 600$'
		[[ $i -lt $((tries - 1)) ]] && rm -f "$F/eddy.folded"
		sleep 0.01
	done
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
	rm -f "$F/eddy.folded"
	ln -s "$F.precious" "$F/eddy.folded"
	(cd "$F" && "$@") >/dev/null 2>&1
	stat -c 'at last: %u %a' "$F/eddy.folded"
	stat -c 'root: %u %a' "$F.precious"
}
for mode in 0777 1777; do
	equal "merge -o, folder $mode: root's file stays root's" $'at last: 0 600\nroot: 0 600' \
		"$(attacked $mode 100 "$EDDY" merge -o eddy.folded "$T/in.folded")"
	equal "record, folder $mode: root's file stays root's" $'at last: 0 600\nroot: 0 600' \
		"$(attacked $mode 12 "$EDDY" record -I -d 0.1)"
done
finish
