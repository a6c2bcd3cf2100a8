#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whose an output is, what it replaces and what it follows, for every command that writes files.
source tests/tap.sh

umask 022
printf 'main;f 3\nmain;g 4\n' >"$T/in.folded"
echo '{ "samples": { "due": 7 } }' >"$T/in.folded.json"
mode=644
[[ $(id -u) == 0 ]] && mode=600

# The command line of COMMAND that writes to FILE; write runs it.
line() {
	case $1 in
	report | merge) run=("$1" --format folded -o "$2" "$T/in.folded") ;;
	diff) run=(diff --format tsv -o "$2" "$T/in.folded" "$T/in.folded") ;;
	export) run=(export --clickhouse --table stacks -o "$2" "$T/in.folded") ;;
	esac
}
write() {
	line "$@"
	"$EDDY" "${run[@]}"
}
about() { stat -c '%u %a %F' "$1"; }
mine="$(id -u) $mode regular file"

for command in report merge diff export; do
	F=$T/$command
	mkdir "$F"
	ok "$command: a new file" write $command "$F/new"
	equal "$command: a new file's owner and mode" "$mine" "$(about "$F/new")"
	echo old >"$F/own" && chmod 4640 "$F/own"
	ok "$command: a file of one's own" write $command "$F/own"
	equal "$command: keeps its mode, but no set-id bit" "$(id -u) 640 regular file" "$(about "$F/own")"
	echo old >"$F/target" && ln -s target "$F/link"
	ok "$command: a link" write $command "$F/link"
	equal "$command: is followed in a folder of one's own" "symbolic link $(cat "$F/new")" \
		"$(stat -c %F "$F/link") $(cat "$F/target")"

	mkdir -m 0777 "$F/shared" && chmod 0777 "$F/shared"
	echo secret >"$F/secret" && chmod 600 "$F/secret"
	ln -s ../secret "$F/shared/link"
	ln -s ../nowhere "$F/shared/dangling"
	ln -s .. "$F/shared/way"
	for name in link dangling; do
		ok "$command: a link ($name) in a folder that others may write to" write $command "$F/shared/$name"
		equal "$command: is replaced ($name)" "$mine" "$(about "$F/shared/$name")"
	done
	equal "$command: its target is left alone" "secret 600" "$(cat "$F/secret") $(stat -c %a "$F/secret")"
	ok "$command: nothing came where it led" test ! -e "$F/nowhere"
	line $command "$F/shared/way/new2"
	fails "$command: a folder's link there" 1 '*a directory that others may write to: not followed' "${run[@]}"
	ok "$command: nothing came there" test ! -e "$F/new2"
	mkfifo "$F/fifo"
	line $command "$F/fifo"
	timeout 300 "$EDDY" "${run[@]}" 2>"$F/why"
	equal "$command: a FIFO: status, at once" 1 $?
	ok "$command: a FIFO: why" grep -q 'a FIFO is not written to' "$F/why"
	equal "$command: /dev/stdout is what it is" "$(write $command -)" "$(write $command /dev/stdout)"
	{ echo before; write $command /dev/stdout; echo after; } >"$F/out"
	equal "$command: /dev/stdout of a file" "$(echo before; write $command -; echo after)" "$(cat "$F/out")"
	ok "$command: /dev/null" write $command /dev/null
	equal "$command: nothing is left behind" '' "$(find "$F" -name '.eddy-*')"
	if [[ $(id -u) == 0 ]]; then
		for shared in 0700 0777 1777; do
			chmod $shared "$F/shared"
			echo theirs >"$F/shared/theirs"
			chown 65534:65534 "$F/shared/theirs"
			chmod 4777 "$F/shared/theirs"
			ok "$command: another user's file, folder $shared" write $command "$F/shared/theirs"
			equal "$command: is root's now, folder $shared" "$mine" "$(about "$F/shared/theirs")"
		done
	else
		skip "$command: another user's file" "not root"
	fi
done
ok "no .json beside devices" test ! -e /dev/null.json -a ! -e /dev/stdout.json
equal "the .json too: owner and mode" "$mine" "$(about "$T/merge/new.json")"
ok "the .json too: a link is not followed" test ! -L "$T/merge/shared/link.json"
# What is said of a file that has been replaced goes; where its name leads does not.
cp "$T/in.folded.json" "$T/report/new.json"
ok "report: a .json of ours" write report "$T/report/new"
ok "report: is removed" test ! -e "$T/report/new.json"
cp "$T/in.folded.json" "$T/kept.json"
chmod 0777 "$T/report/shared"
ln -s ../../kept.json "$T/report/shared/link.json"
ok "report: a link in its place" write report "$T/report/shared/link"
ok "report: what it led to stays" test -s "$T/kept.json"

# Descriptors that are closed: no file gets their numbers, and who needs them says so.
mkfifo "$T/slow"
"$EDDY" report - <"$T/slow" >"$T/slow.out" 2>&- &
exec 9>"$T/slow"
for _ in $(seq 3000); do
	held=$(readlink "/proc/$!/fd/2")
	[[ $held == /dev/null ]] && break
	sleep 0.02
done
exec 9>&-
wait $!
equal 'standard error closed: held' /dev/null "$held"
"$EDDY" merge -o "$T/closed.folded" "$T/in.folded" 0<&- 1>&- 2>&-
equal 'all closed: exit status' 0 $?
equal 'all closed: the file is whole' "$(cat "$T/in.folded")" "$(cat "$T/closed.folded")"
"$EDDY" report --format folded "$T/in.folded" >&- 2>"$T/closed.err"
equal 'standard output closed: exit status' 1 $?
ok 'standard output closed: said' grep -q '^eddy: standard output: ' "$T/closed.err"
"$EDDY" report - <&- >/dev/null 2>"$T/closed.err"
equal 'standard input closed: exit status' 1 $?

finish
