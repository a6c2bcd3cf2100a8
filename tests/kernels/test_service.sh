#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dist/eddy.service under a systemd: this machine's, as the first process of an emulated machine
# with Debian's kernel 6.1 (fetch.sh, boot.sh), whose root holds systemd, busybox and eddy only.
# guest_service.sh does there what is judged here.
# shellcheck disable=SC2317 # functions are called by ok
. tests/kernels/row.sh
. tests/live/snapshots.sh
umask 022
row=service
lib=/lib/systemd

why=$(missing x86_64)
[[ -n $why || (-x $lib/systemd && -n $(command -v systemd-analyze)) ]] || why='no systemd'
if [[ -z $why ]]; then
	mkdir -p build/kernels
	why=$(flock build/kernels/.lock tests/kernels/fetch.sh build/kernels 6.1 2>&1) && why=
fi
if [[ -n $why ]]; then
	skip 'the unit under systemd' "${why##*fetch.sh: }"
	finish
fi

# ---- its root ----------------------------------------------------------------------------------

R=$T/root
mkdir -p "$R"/usr/{bin,sbin,lib,lib64}
for name in bin sbin lib lib64; do ln -s usr/$name "$R/$name"; done
mkdir -p "$R"/{etc,run,home,var/lib,var/log,root} \
	"$R"/etc/systemd/system/multi-user.target.wants "$R$lib"/system/{sysinit,sockets}.target.wants
program() {
	local file
	install -D -m 755 "$1" "$R/${2:-$1}"
	for file in $(ldd "$1" | grep -o '/[^ ]*'); do
		[[ -e $R/$file ]] || install -D -m 755 "$file" "$R/$file"
	done
}
for name in systemd systemd-executor systemd-journald systemd-shutdown; do
	if [[ -e $lib/$name ]]; then program $lib/$name; fi
done
for name in systemctl journalctl systemd-analyze; do program "$(command -v $name)" /usr/bin/$name; done
for name in {basic,sysinit,shutdown,umount,final,local-fs,local-fs-pre,swap,paths,slices,sockets,timers,multi-user}.target \
	systemd-journald{.service,.socket,-dev-log.socket}; do
	cp "$lib/system/$name" "$R$lib/system/"
done
ln -s ../systemd-journald.service "$R$lib/system/sysinit.target.wants/"
ln -s ../systemd-journald{,-dev-log}.socket "$R$lib/system/sockets.target.wants/"
ln -s $lib/systemd "$R/sbin/init"
printf '%s:x:%s\n' root 0:0::/root:/bin/sh other 1000:1000::/home/other:/bin/sh nobody 65534:65534::/:/bin/sh \
	>"$R/etc/passwd"
printf '%s:x:%s:\n' root 0 other 1000 nogroup 65534 >"$R/etc/group"
ln -s ../run "$R/var/run"
echo guest >"$R/etc/hostname"
echo 0123456789abcdef0123456789abcdef >"$R/etc/machine-id"
printf '[Manager]\nShowStatus=no\n' >"$R/etc/systemd/system.conf"
printf '[Journal]\nStorage=volatile\n' >"$R/etc/systemd/journald.conf"
cat >"$R/etc/systemd/system/guest.service" <<'U'
[Service]
ExecStart=/bin/sh -c 'exec /guest >/dev/console 2>&1'
KillMode=process
U
ln -s multi-user.target "$R$lib/system/default.target"
ln -s ../guest.service "$R/etc/systemd/system/multi-user.target.wants/"

unit=${B:-build}/eddy.service
program "$EDDY" "$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")"
install -m 644 "$unit" "$R$lib/system/eddy.service"
install -D -m 644 dist/eddy.conf "$R/$(sed -n 's/^ExecStart=.*--config //p' "$unit")"

mkdir "$T/files"
cp "$W"/{syscalls,pid_reuse,confine} "$T/files"
cp tests/kernels/guest_service.sh "$T/files/guest.sh"
BOOT_ROOT=$R boot 4 'the service' x86_64 build/kernels/6.1/vmlinuz "$T/out" "$T"/files/*
cd "$T/out" || exit 1

# ---- what was seen -----------------------------------------------------------------------------

# whole NAME [killed]: the directory held whole files only, each of which adds up to what its json
# says
whole() {
	local f
	for f in "$1".files/* "$1".files/.[!.]*; do
		case ${f##*/} in
		.eddy-snapshot.lock | *.json | *.folded.gz) continue ;;
		.eddy-snapshot.tmp) [[ ${2:-} == killed ]] && continue ;;
		esac
		echo "$f"
		return 1
	done
	files_account $(by_start "$1.files")
}
said() {
	grep -q "$1" journal.eddy || {
		cat journal.eddy
		return 1
	}
}
sum() {
	zcat "$1".files/*.folded.gz | re=$2 awk '$0 ~ ENVIRON["re"] { n += $NF } END { print n + 0 }'
}
caps=$(((1 << 40) | (1 << 39) | (1 << 38) | (1 << 34) | (1 << 19) | (1 << 2)))

equal 'systemd-analyze verify: nothing to say' '0 ' "$(cat verified.rc) $(grep -F eddy.service verified)"
ok 'in the unit Landlock keeps parsers from files' grep -q 'files: none by Landlock (ABI [1-9]' doctor.unit
ok 'Debian keeps perf events from CAP_PERFMON: what to do is in the journal' \
	grep -q "^eddy: sampling is not permitted: kernel.perf_event_paranoid is 3.*'sysctl kernel.perf_event_paranoid=2'" refused
equal 'CAP_SYS_ADMIN, added by another file, is enough' "0 $(printf '%016x' $((caps | 1 << 21)))" \
	"$(cat admin.rc) $(awk '{ print $2 }' admin.caps)"
equal 'with the sysctl it starts, and is ready' '0 active' "$(cat start.rc start.active | xargs)"
equal 'six capabilities, no new privileges, a filter of system calls' \
	"$(printf '%016x %016x 1 2' $caps $caps)" \
	"$(awk '/^(CapEff|CapBnd|NoNewPrivs|Seccomp):/ { print $2 }' start.status | xargs)"
ok 'a user of its own' awk '/^Uid:/ { exit !($2 >= 61184 && $2 <= 65519) }' start.status
ok 'as it is: whole files, each accounts for its samples' whole stop
ok 'as it is: windows are contiguous' contiguous $(by_start stop.files)
# How much of the emulator's time is its is not known; of its stacks down to _start nearly all are.
whole=$(sum stop '^private_program;(.*;)?_start;')
mine=$(sum stop '^private_program;.*;main;read_zeroes[; ]')
kernel=$(sum stop '^private_program;.*;main;read_zeroes;.*vfs_read_\[k\]')
ok "names of a program that only its owner may read: $mine of $whole" \
	test "$mine" -ge 10 -a "$((mine * 10))" -ge "$((whole * 9))"
ok "and of the kernel: $kernel" test "$((kernel * 5))" -ge "$mine"
ok 'every kernel frame has its name' jq -s -e 'map(.frames) |
	(map(.kernel_named) | add) >= 0.99 * (map(.kernel) | add) and (map(.kernel) | add) > 50' stop.files/*.json
ok 'names of a map in /tmp' test "$(sum stop ';first_life_\[j\]')" -ge 3
# How many wait for a table in vain is the emulator's speed, as in row.sh.
echo "# note: user stacks: $(jq -s -c 'map(.user_stacks) |
	{ total: map(.total) | add, complete: map(.complete) | add, broken: map(.broken | to_entries) | add |
	group_by(.key) | map({ key: .[0].key, value: map(.value) | add }) | from_entries }' stop.files/*.json)"
ok 'user stacks are complete' jq -s -e 'map(.user_stacks) | (map(.broken.pending // 0) | add) as $waited |
	(map(.total - (.broken.exec // 0)) | add) as $all |
	$waited <= $all / 2 and (map(.complete) | add) >= 0.9 * ($all - $waited)' stop.files/*.json
ok 'what a sample costs is known' jq -s -e \
	'all(.samples.delivered == 0 or .cost.bpf_ns_per_sample > 0)' stop.files/*.json
ok 'only its user and group may read the files' awk '$1 ~ /^-/ && $NF ~ /folded/ { n++; if ($1 !~ /^-rw-r-----/) bad = 1 }
	END { exit bad || !n }' listing

ok 'signs of life reach the watchdog' awk '{ exit !($1 > 0 && $2 > $1) }' beats
ok 'what it does is in its status' grep -qE '^[0-9]+ windows, [0-9]+ samples, [0-9]+ lost$' status
equal 'reload' '0' "$(cat reload.rc)"
ok 'reload: a wrong limit is said' said 'stay as they were'
equal 'reload: the new limit holds' 2 "$(find reload.files -name '*.gz' | wc -l)"
ok 'reload: by the same process' awk '{ exit !($1 == $2 && $1 > 0) }' reload.pids
ok 'kill -9: started again' awk '{ exit !($1 != $2 && $2 > 0) }' kill.pids
ok 'kill -9: whole files' whole kill killed
ok 'one that hangs is killed by the watchdog and started again' awk '{ exit !($1 != $2 && $2 > 0) }' hang.pids
ok 'by the watchdog' grep -q 'eddy.service: Watchdog timeout' journal
equal 'started again no more often than that' 2 "$(cat restarts)"
ok 'in the end: whole files, each accounts for its samples' whole end
equal 'what was stopped ended well, and only what was refused, killed or hung did not' '0 0 exit-code signal watchdog' \
	"$(cat stop.rc end.rc | xargs) $(sed -n "s/^eddy.service: Failed with result '\(.*\)'.*/\1/p" journal.eddy | xargs)"
echo "# note: $(head -n 1 version | cut -d ' ' -f 1,2) on $(cat kernel), $(tail -n 1 steps | cut -d ' ' -f 1) s of its time"
((boots == 1)) || echo "# note: came to its end only when booted for the $boots. time"
finish
