#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make install: what it puts where, and the service unit as systemd's own tools see it.
. tests/tap.sh

install_to() {
	local to=$1
	shift
	make -s B="${B:-build}" install DESTDIR="$to" "$@" >"$T/make.log" 2>&1
}

ok 'make install' install_to "$T/a"
equal 'what is installed' './etc/eddy.conf ./usr/local/bin/eddy ./usr/local/lib/systemd/system/eddy.service ./usr/local/share/man/man8/eddy.8' \
	"$(cd "$T/a" && find . -type f | LC_ALL=C sort | paste -sd' ')"
echo 'keep-files 7' >"$T/a/etc/eddy.conf"
ok 'once more, elsewhere' install_to "$T/a" PREFIX=/opt/eddy SYSCONFDIR=/etc
equal 'limits that are there stay' 'keep-files 7' "$(cat "$T/a/etc/eddy.conf")"
unit=$T/a/opt/eddy/lib/systemd/system/eddy.service
ok 'the unit names the installed program' grep -q '^ExecStart=/opt/eddy/bin/eddy snapshot ' "$unit"
ok 'and nothing is left to fill in' test "$(grep -c '@[A-Z]*@' "$unit")" = 0

# The limits that are installed are limits that eddy takes: it gets past them to the folder.
"$EDDY" snapshot --dir /dev/null/x --every 10s --config dist/eddy.conf 2>"$T/err"
ok 'eddy.conf is read' grep -q '^eddy: /dev/null/x' "$T/err"

if command -v systemd-analyze >/dev/null; then
	mkdir "$T/unit"
	sed "s,/opt/eddy/bin/eddy,$EDDY,; /^Documentation=/d" "$unit" >"$T/unit/eddy.service"
	equal 'systemd finds nothing wrong with the unit' '' \
		"$(systemd-analyze verify "$T/unit/eddy.service" 2>&1 | grep -F eddy.service)"
	# 0 is locked up, 10 is root: with the six capabilities that sampling needs it was 2.0.
	ok 'least privilege' awk '/Overall exposure level/ && match($0, /[0-9]+[.][0-9]+/) {
			level = substr($0, RSTART, RLENGTH)
		}
		END { exit level == "" || level + 0 > 2.4 }' \
		<(systemd-analyze security --offline=yes --no-pager "$T/unit/eddy.service" 2>&1)
else
	skip 'the unit, by systemd' 'no systemd-analyze here'
fi
finish
