#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# eddy doctor where nothing may be sampled: it says NO, and why, and fails.
. tests/tap.sh
trap 'rm -rf "$T"' EXIT
cp "$EDDY" "$T/eddy"
chmod 755 "$T" "$T/eddy"
as_nobody=()
if [[ $(id -u) == 0 ]]; then
	as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all)
fi
if ! "${as_nobody[@]}" true 2>/dev/null; then
	skip 'doctor without privileges' 'no other user can be had'
	finish
fi
"${as_nobody[@]}" "$T/eddy" doctor >"$T/out" 2>"$T/err"
equal 'it fails, and says so on standard output' '1 ' "$? $(<"$T/err")"
equal 'every line begins with a mark' '' "$(grep -vE '^(ok|--|NO)  [^ ]' "$T/out")"
equal 'it names the kernel' "ok  Linux $(uname -r)," "$(head -n 1 "$T/out" | grep -o '^ok  Linux [^ ]*,')"
for cap in 'CAP_BPF: programs cannot be loaded' 'CAP_PERFMON: other tasks cannot be sampled'; do
	ok "it misses $cap" grep -qxF "NO  $cap" "$T/out"
done
for cap in SYSLOG SYS_PTRACE DAC_READ_SEARCH CHECKPOINT_RESTORE; do
	ok "it says what is lost without CAP_$cap" grep -qE "^--  CAP_$cap: .{20}" "$T/out"
done
ok 'NO: sampling, and what to do' grep -qE \
	'^NO  sampling: .*(run as root, or grant CAP_PERFMON and CAP_BPF|no system call)' "$T/out"
equal 'sampling is the last line' NO "$(tail -n 1 "$T/out" | cut -c1-2)"
if [[ $(id -u) == 0 ]]; then # with all rights, but not one descriptor
	(ulimit -n 8 && exec "$EDDY" doctor >"$T/few" 2>&1)
	equal 'NO where sampling fails for another reason' '1 NO  sampling:' "$? $(tail -n 1 "$T/few" | cut -c1-13)"
fi
"$EDDY" doctor now >/dev/null 2>"$T/err"
equal 'it takes no arguments' "2 eddy: doctor: 'now': it takes no arguments" \
	"$? $(head -n 1 "$T/err" | cut -d'(' -f1 | sed 's/ $//')"
finish
