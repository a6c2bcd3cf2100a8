#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the emulator as a service of its systemd: dist/eddy.service is started, reloaded, stopped
# and killed, and what was seen is left in this directory, to be judged outside (test_service.sh).
# Nothing is awaited for a fixed time: the emulator is as fast as its machine lets it.
say() {
	echo "$(cut -d ' ' -f 1 /proc/uptime) $*" >>steps
	echo "$*" >/dev/console
}
until_true() {
	tries=$(($1 * 5))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.2
	done
}
property() {
	systemctl show -p "$1" --value eddy
}
folder=/var/lib/eddy/guest
nr_files() {
	set -- "$folder"/*.folded.gz
	if [ -e "$1" ]; then echo $#; else echo 0; fi
}
has_files() { [ "$(nr_files)" -ge "$1" ]; }
is_in() { [ "$(property "$1")" = "$2" ]; }
differs() { [ "$(property "$1")" != "$2" ]; }
# another_pid OLD: it runs again, as another process.
another_pid() {
	is_in ActiveState active && differs MainPID "$1" && ! is_in MainPID 0
}
# keep NAME: what stands in the directory now.
keep() {
	mkdir "$1.files"
	cp -a "$folder/." "$1.files/"
}
clean() { rm -rf "${folder:?}"/* "$folder"/.eddy-snapshot.[!l]*; }

uname -r >kernel
systemctl --version >version
# Nothing that is started here waits for disks and networks.
say verify
systemd-analyze verify --man=no eddy.service >verified 2>&1
echo $? >verified.rc

# Of another user, in a directory that only that user may enter.
mkdir -m 700 /home/other
cp /t/syscalls /home/other/private_program
chmod 700 /home/other/private_program
chown -R 1000 /home/other
confine -u 1000 /home/other/private_program 0 >/dev/null &

# ---- the unit as it is --------------------------------------------------------------------------

# Emulated time is slow: the kernel would lower the rate.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

# What the unit allows its parsers, as doctor finds it there.
say doctor
sed -n '/^\[Service\]/,/^\[Install\]/p' "$(systemctl show -P FragmentPath eddy)" |
	sed -E '/^(\[Install|ExecReload|Restart|Watchdog|StateDirectory)/d; s/^Type=.*/Type=oneshot/
		s/^(ExecStart=)([^ ]*).*/\1-\2 doctor/' >/run/systemd/system/eddy-doctor.service
systemctl daemon-reload
systemctl start eddy-doctor
journalctl -q -o cat -u eddy-doctor >doctor.unit

say refused
systemctl start eddy 2>refused.err
echo $? >refused.rc
cat /proc/sys/kernel/perf_event_paranoid >paranoid
journalctl -q -o cat -u eddy >refused
# The other way that the manual names.
mkdir -p /run/systemd/system/eddy.service.d
printf '%s\n' '[Service]' AmbientCapabilities=CAP_SYS_ADMIN CapabilityBoundingSet=CAP_SYS_ADMIN \
	>/run/systemd/system/eddy.service.d/admin.conf
systemctl daemon-reload
systemctl start eddy
echo $? >admin.rc
grep CapEff "/proc/$(property MainPID)/status" >admin.caps
systemctl stop eddy
rm /run/systemd/system/eddy.service.d/admin.conf
systemctl daemon-reload
clean

echo 2 >/proc/sys/kernel/perf_event_paranoid # as it advises
say start
systemctl start eddy
echo $? >start.rc
systemctl is-active eddy >start.active
cat "/proc/$(property MainPID)/status" >start.status
tr '\0' '\n' <"/proc/$(property MainPID)/cmdline" >start.cmdline
until_true 60 has_files 1
pid_reuse 5000 >pid_reuse.out # writes a map of names to /tmp
until_true 60 has_files 2
say stop
systemctl stop eddy
echo $? >stop.rc
keep stop
ls -lan /var/lib /var/lib/private "$folder" >listing

# ---- the same with shorter times -----------------------------------------------------------------

fragment=$(property FragmentPath)
{
	echo '[Service]'
	echo 'WatchdogSec=8'
	echo 'RestartSec=1'
	echo 'ExecStart='
	sed -n '/^ExecStart=/s/--every 10s/--every 1s/p' "$fragment"
} >/run/systemd/system/eddy.service.d/quick.conf
systemctl daemon-reload
clean
systemctl start eddy
pid=$(property MainPID) beat=$(property WatchdogTimestampMonotonic)
say watchdog
until_true 60 differs WatchdogTimestampMonotonic "$beat"
beat=$(property WatchdogTimestampMonotonic)
until_true 60 differs WatchdogTimestampMonotonic "$beat"
echo "$beat $(property WatchdogTimestampMonotonic)" >beats
property StatusText >status

say reload
until_true 60 has_files 3
conf=$(sed -n 's/^ExecStart=.*--config //p' "$fragment")
cp "$conf" conf
echo 'keep-files what' >"$conf"
systemctl reload eddy
echo $? >reload.rc
journal_says() { journalctl -q -u eddy | grep -q "$1"; }
until_true 60 journal_says 'stay as they were'
echo 'keep-files 2' >"$conf"
systemctl reload eddy
two_files() { [ "$(nr_files)" -eq 2 ]; }
until_true 60 two_files
keep reload
echo "$pid $(property MainPID)" >reload.pids
cp conf "$conf"
systemctl reload eddy

say kill
until_true 60 has_files 4
kill -KILL "$pid"
until_true 60 another_pid "$pid"
keep kill
echo "$pid $(property MainPID)" >kill.pids
pid=$(property MainPID)
n=$(nr_files)
until_true 60 has_files $((n + 1))

say hang
kill -STOP "$pid"
until_true 120 another_pid "$pid"
keep hang
echo "$pid $(property MainPID)" >hang.pids
n=$(nr_files)
until_true 60 has_files $((n + 1))

say end
property NRestarts >restarts
systemctl stop eddy
echo $? >end.rc
keep end
journalctl -q -o short-monotonic >journal
journalctl -q -o cat -u eddy >journal.eddy
say "that is all"
