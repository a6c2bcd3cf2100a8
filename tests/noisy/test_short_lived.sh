#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A storm of processes that live for some milliseconds, of many programs that nobody has met, here
# and in a container of its own root and layers: 99 % of their frames are named, though all of them
# have ended by the end, but for first runs, which may end before their program is known; what has
# no name is told by cause.
. tests/tap.sh
. tests/live/live.sh
need_sampling
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$T"' EXIT
B=$T/box
mkdir -p "$B/here" "$B/there" "$B/old" "$T/work" "$T/mnt"
PROGRAMS=12
for ((i = 1; i <= PROGRAMS; i++)); do
	cp "$W/static_prog" "$B/here/here$i"
	cp "$W/static_prog" "$B/there/there$i"
done
cp "$W/many_programs" "$B/"
# shellcheck disable=SC2016 # it is the other shell's
contained='mount -t tmpfs tmpfs "$1/work" && mkdir "$1/work/"{u,w} && mount -t overlay overlay \
	-o "lowerdir=$1/box,upperdir=$1/work/u,workdir=$1/work/w" "$1/mnt" && cd "$1/mnt" &&
	pivot_root . old && exec /many_programs "$2" /there'
places=here
if unshare -m bash -c "$contained" - "$T" 0.01 >/dev/null 2>&1; then
	places+=' there'
else
	skip there 'no container with layers can be made'
fi

# of PLACE: samples with a user stack, their user frames, and those that have a name
of() {
	awk -v place="$1" '
	$0 ~ "^" place "[0-9]+;" {
		n = $NF
		sub(/ [0-9]+$/, "")
		k = split($0, frame, ";")
		for (i = 2; i <= k && frame[i] !~ /_\[k\]$/; i++)
			if (frame[i] != "[truncated]") {
				all += n
				named += n * (frame[i] !~ /^\[/)
			}
		samples += n
	}
	END { print samples + 0, all + 0, named + 0 }' "$T/storm.folded"
}
(sleep 0.3 && exec "$W/many_programs" 4.5 "$B/here") >"$T/here.out" &
if [[ $places == *there* ]]; then
	(sleep 0.3 && exec unshare -m bash -c "$contained" - "$T" 4.5) >"$T/there.out" &
fi
record storm -v -F 1999 -d 5 --root comm
wait
equal 'exit status' 0 "$rc"
accounts storm
for place in $places; do
	read -r samples all named <<<"$(of "$place")"
	nr=$(awk '$1 == "programs" { print $2 }' "$T/$place.out")
	ok "$place: many ran ($nr), $samples samples" test "$nr" -ge $((3 * PROGRAMS))
	ok "$place: 99 % of frames are named, but for $PROGRAMS first runs" \
		most $((99 - (100 * PROGRAMS + nr - 1) / nr)) "$named" "$all"
	echo "# note: $place: $nr ran, $named of $all frames named"
done
ok 'what has no name is told by cause' \
	grep -qE 'addresses without a name: [0-9]+ [a-z]' "$T/storm.err"
finish
