#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debug files of stripped programs: beside them by .gnu_debuglink, and in the root of a container,
# where nobody else has them; those that are somebody else's, or say so, name nothing.
. tests/tap.sh
. tests/live/live.sh
need_sampling
B=$T/box
trap 'kill $(jobs -p) 2>/dev/null; umount -l "$T/fuse" 2>/dev/null; rm -rf "$T"' EXIT
umask 022
chmod 755 "$T"
mkdir -p "$B/opt" "$B/old" "$B/usr/lib/debug/opt" "$T/fuse" "$T/mnt"
objcopy --only-keep-debug "$W/static_prog" "$T/it.debug"

# stripped NAME DEBUG: a twin at $T/NAME without symbols and build ID, which names DEBUG
stripped() {
	mkdir -p "$(dirname "$T/$1")/.debug"
	strip -s -R .note.gnu.build-id -o "$T/$1" "$W/static_prog"
	objcopy --add-gnu-debuglink="$2" "$T/$1"
}
stripped beside/beside "$T/it.debug"
cp "$T/it.debug" "$T/beside/.debug/"
stripped foreign/foreign "$T/it.debug"
cp "$T/it.debug" "$T/foreign/.debug/"
chown 65534:65534 "$T/foreign/.debug/it.debug"
cp "$T/it.debug" "$T/changed.debug"
stripped changed/changed "$T/changed.debug"
printf x >>"$T/changed.debug"
cp "$T/changed.debug" "$T/changed/"
stripped box/opt/chrooted "$T/it.debug"
cp "$B/opt/chrooted" "$B/opt/overlaid"
cp "$T/it.debug" "$B/usr/lib/debug/opt/"
programs='beside foreign changed chrooted'

# A file system in user space that says its files are root's.
stripped fused/fused "$T/it.debug"
"$W/stall_fs" "$T/fuse" "$T/it.debug" open >/dev/null 2>&1 &
if until_true 5 test -e "$T/fuse/program"; then
	ln -s "$T/fuse/program" "$T/fused/.debug/it.debug"
	programs+=' fused'
else
	skip fuse 'no file system in user space can be mounted'
fi
# A container: a root of its own over layers, which nobody else has mounted.
mkdir "$T/work"
# shellcheck disable=SC2016 # it is the other shell's
contained='mount -t tmpfs tmpfs "$1/work" && mkdir "$1/work/"{u,w} && mount -t overlay overlay \
	-o "lowerdir=$1/box,upperdir=$1/work/u,workdir=$1/work/w" "$1/mnt" && cd "$1/mnt" &&
	pivot_root . old && exec /opt/overlaid "$2"'
if unshare -m bash -c "$contained" - "$T" 0.01 >/dev/null 2>&1; then
	programs+=' overlaid'
else
	skip overlay 'no container with layers can be made'
fi

run() {
	for program in $programs; do
		case $program in
		chrooted) chroot "$B" /opt/chrooted "$1" ;;
		overlaid) unshare -m bash -c "$contained" - "$T" "$1" ;;
		*) exec "$T/$program/$program" "$1" ;;
		esac >/dev/null &
		pids+=($!)
	done
}
for mode in eh fp; do
	pids=()
	run 1
	record $mode --unwind $mode -F 999 -d 3 --root comm
	wait "${pids[@]}"
	equal "$mode: exit status" 0 "$rc"
	accounts $mode
	nr_refused=0
	for program in $programs; do
		all=$(samples "$T/$mode.folded" "$program")
		named=$(samples "$T/$mode.folded" "$program" static_work)
		case $program in
		foreign | changed | fused)
			ok "$mode: $program: was sampled" test "$all" -gt 100
			equal "$mode: $program: is not named" 0 "$named"
			((nr_refused++))
			;;
		*) ok "$mode: $program: is named" most 98 "$named" "$all" ;;
		esac
	done
	ok "$mode: those that are not believed are counted" \
		test "$(json $mode '.limits.debug_files')" -ge "$nr_refused"
	ok "$mode: and there is a note of them" grep -q 'note: .*debug files were not used' "$T/$mode.err"
done
finish
