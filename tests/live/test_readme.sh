#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every recipe of README.md ("Five uses"), as it stands there: each line is run, says something, and
# says it on a screen of 80 columns.
# Beside the others: captures as long as the recipes say.
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/live/live.sh
. tests/live/live.sh
need_sampling

mapfile -t recipes < <(sed -n '/^## Five uses/,/^## What it does not do/p' README.md |
	awk '/^```/ { inside = !inside; next } inside')
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
	unshare -m bash -c 'mount --bind "$1/srv" /srv && mount --bind "$1/lib" /var/lib &&
		cd "$1/home" && PATH=$1/bin:$PATH timeout -s INT "$2" bash -c "$3"' - "$T" "$1" "$2" \
		>"$T/out" 2>"$T/err" </dev/null
}
for line in "${recipes[@]}"; do
	limit=120
	[[ $line != *snapshot* ]] || limit=3
	recipe $limit "$line"
	rc=$?
	case $line in
	*snapshot*)
		ok "$line" test "$rc" = 124 -o "$rc" = 0
		ok 'it wrote files' grep -q 'files in /var/lib/eddy' "$T/err" ;;
	*'-- ./my-program')
		equal "$line" 0 "$rc"
		ok 'the program is in the file' grep -q '^recursion;' "$T/home/my.folded" ;;
	*'record -d 10')
		equal "$line" 0 "$rc"
		ok 'functions, and whose they are' grep -q 'hottest path$' "$T/out"
		ok 'on one screen' test "$(wc -l <"$T/out")" -le 21 ;;
	*record*) equal "$line" 0 "$rc" ;;
	*alloc*) # the program may have called nothing of the kind while it was sampled
		ok "$line" grep -qE 'callers of |no stack contains such' "$T/out" "$T/err" ;;
	*/srv/snap)
		equal "$line" 0 "$rc"
		ok 'it compares the hours' grep -q 'work_12' "$T/out" ;;
	*)
		equal "$line" 0 "$rc"
		ok 'it says something' test -s "$T/out" ;;
	esac
done
finish
