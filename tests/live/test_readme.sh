#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every recipe of README.md ("Five uses"), as it stands there: the blocks' lines and what stands in
# the text (`eddy ...`), each on a terminal of 80 columns, which no line exceeds; it says something.
# Beside the others: captures as long as the recipes say.
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/live/live.sh
. tests/live/live.sh
need_sampling

mapfile -t recipes < <(sed -n '/^## Five uses/,/^## What it does not do/p' README.md |
	awk '/^```/ { inside = !inside; next } inside')
mapfile -t inline < <(sed -n '/^## Five uses/,/^## What it does not do/p' README.md |
	awk '/^```/ { inside = !inside; next } !inside' | paste -sd' ' |
	grep -oE '`[^`]*eddy (record|report|top|doctor)[^`]*`|`-o x[.][^`]*`' | tr -d '`')
ok "and in the text: ${#inline[@]}" test "${#inline[@]}" -ge 10
ok "there are recipes: ${#recipes[@]}" test "${#recipes[@]}" -ge 9

# What they name: a sudo, an eddy, a program, two files, two directories of snapshots.
mkdir -p "$T/bin" "$T/home" "$T/srv" "$T/lib"
ln -s "$(realpath "$EDDY")" "$T/bin/eddy"
printf '#!/bin/sh\nexec "$@"\n' >"$T/bin/sudo"
printf '#!/bin/sh\nexec "%s" 0.5\n' "$(realpath "$W/recursion")" >"$T/home/my-program"
chmod +x "$T/bin/sudo" "$T/home/my-program"
printf 'app;main;parse 60\napp;main;emit 40\n' >"$T/home/before.folded"
printf 'app;main;parse 20\napp;main;emit 40\n' >"$T/home/after.folded"
for start in 112000 113000 122000 123000; do
	mkdir -p "$T/srv/snap/web-1"
	file=$T/srv/snap/web-1/20261121T${start}Z-10.folded
	echo "app;main;work_$((start / 10000)) 50" >"$file"
	echo '{"samples": {"due": 100}}' >"$file.json"
done

# recipe SECONDS LINE: in a namespace where /srv and /var/lib are these directories; told to stop
# after so long.
recipe() {
	# shellcheck disable=SC2016
	LIMIT=$1 LINE=$2 TERM=dumb unshare -m bash -c 'mount --bind "$1/srv" /srv &&
		mount --bind "$1/lib" /var/lib && cd "$1/home" && PATH=$1/bin:$PATH script -qec \
		"stty cols 80 rows 24; timeout --foreground -s INT $LIMIT bash -c \"\$LINE\"" /dev/null' \
		- "$T" </dev/null | tr -d '\r' >"$T/out"
	return "${PIPESTATUS[0]}"
}
for line in "${recipes[@]}"; do
	limit=120
	[[ $line != *snapshot* ]] || limit=3
	recipe $limit "$line"
	rc=$?
	case $line in
	*snapshot*)
		ok "$line" test "$rc" = 124 -o "$rc" = 0
		ok 'it wrote files' grep -q 'files in /var/lib/eddy' "$T/out" ;;
	*'-- ./my-program')
		equal "$line" 0 "$rc"
		ok 'the program is in the file' grep -q '^recursion;' "$T/home/my.folded" ;;
	*'record -d 10')
		equal "$line" 0 "$rc"
		ok 'functions, and whose they are' grep -q 'hottest path$' "$T/out"
		ok 'on one screen' test "$(wc -l <"$T/out")" -le 24 ;;
	*record*) equal "$line" 0 "$rc" ;;
	*alloc*) # the program may have called nothing of the kind while it was sampled
		ok "$line" grep -qE 'callers of |no stack contains such' "$T/out" "$T/out" ;;
	*/srv/snap)
		equal "$line" 0 "$rc"
		ok 'it compares the hours' grep -q 'work_12' "$T/out" ;;
	*)
		equal "$line" 0 "$rc"
		ok 'it says something' test -s "$T/out" ;;
	esac
	ok 'no line is longer than the screen' test "$(wc -L <"$T/out")" -le 80
done

# What ends by a key is told to end; a picture is one of a capture, which perf's user makes too.
printf '#!/bin/sh\ncat "%s"\n' "$T/script.txt" >"$T/bin/perf"
chmod +x "$T/bin/perf"
printf 'work 7 1.5: 1 cycles: \n\t12 f+0x1 (/bin/m)\n\t13 main+0x1 (/bin/m)\n\n' >"$T/script.txt"
for line in "${inline[@]}"; do
	limit=60
	case $line in
	-o*) line="sudo eddy record -d 0.5 $line" ;;
	'sudo eddy top') limit=2 ;;
	'eddy top my.folded') line="$line --batch" ;;
	esac
	recipe $limit "$line"
	rc=$?
	ok "$line" test "$rc" = 0 -o "$limit$rc" = 2124
	ok 'it says something' test -s "$T/out"
	[[ $line == *top ]] || ok 'on 80 columns' test "$(wc -L <"$T/out")" -le 80
done
finish
