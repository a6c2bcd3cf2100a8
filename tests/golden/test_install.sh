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
equal 'what is installed' './etc/eddy.conf ./usr/local/bin/eddy ./usr/local/lib/systemd/system/eddy.service ./usr/local/share/bash-completion/completions/eddy ./usr/local/share/man/man8/eddy.8 ./usr/local/share/zsh/site-functions/_eddy' \
	"$(cd "$T/a" && find . -type f | LC_ALL=C sort | paste -sd' ')"
echo 'keep-files 7' >"$T/a/etc/eddy.conf"
ok 'once more, elsewhere' install_to "$T/a" PREFIX=/opt/eddy SYSCONFDIR=/etc
equal 'limits that are there stay' 'keep-files 7' "$(cat "$T/a/etc/eddy.conf")"
unit=$T/a/opt/eddy/lib/systemd/system/eddy.service
ok 'the unit names the installed program' grep -q '^ExecStart=/opt/eddy/bin/eddy snapshot ' "$unit"
ok 'and nothing is left to fill in' test "$(grep -c '@[A-Z]*@' "$unit")" = 0

# Who builds the package elsewhere has what the list of packages says is needed to build.
equal 'the package names all that it is built with' '' "$(sed -n 's/^build *|[^|]*| *\([^ |]*\).*/\1/p' tests/deps.sh |
	grep -vxFf <(sed -n '/^Build-Depends:/,/^[A-Z].*Standards/p' dist/debian/control |
		sed 's/^Build-Depends://; s/(.*)//' | tr -d ' ,' | tr '\n' ' ' | xargs -n 1) |
	grep -vxE 'gcc|make|libc6-dev|linux-libc-dev|.*/.*' | paste -sd' ')"

# What a shell completes is what --help lists, command by command.
"$EDDY" completion bash >"$T/completion.bash"
"$EDDY" completion zsh >"$T/_eddy"
complete_as() { # WORD... with the cursor in the last
	bash -c '. "$1"; shift; COMP_WORDS=(eddy "$@") COMP_CWORD=$#; _eddy; echo "${COMPREPLY[*]}"' \
		bash "$T/completion.bash" "$@"
}
equal 'commands are completed' 'record report' "$(complete_as re)"
equal 'options are' '--unwind --user-only' "$(complete_as record --u | tr ' ' '\n' | sort | paste -sd' ')"
equal 'values are' 'tree' "$(complete_as report --view t)"
equal 'behind a = too' 'keep' "$(complete_as record --irq = k)"
equal 'events are' 'cpu-clock cpu-migrations cpu-cycles' "$(complete_as record -e cpu-)"
equal 'formats are' 'svg speedscope' "$(complete_as record --format s | tr ' ' '\n' | sort -r | paste -sd' ')"
equal 'the last of a list' 'unit,process unit,program' "$(complete_as report --root unit,pro)"
equal 'files are left to the shell' '' "$(complete_as report --of m)$(complete_as report fil)"
for command in record top snapshot report diff merge export; do
	missing=$("$EDDY" "$command" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u |
		grep -vxFf <(complete_as "$command" -- | tr ' ' '\n'))
	equal "$command: all that --help names is completed" '' "$missing"
	equal "$command: for zsh too" '' "$(complete_as "$command" -- | tr ' ' '\n' |
		grep -vxFf <(sed -n "/^	$command) _arg/,/;;/p" "$T/_eddy" | grep -oE -- '--[a-z-]+'))"
done
if command -v zsh >/dev/null; then
	ok 'zsh reads it' zsh -n "$T/_eddy"
else
	skip 'zsh reads it' 'no zsh here'
fi
ok '--version: version, commit, kernels' test "$("$EDDY" --version |
	grep -cE '^eddy [0-9.]+( \(commit .*\))?$|^kernels: Linux 5\.10 ')" = 2

# The limits that are installed are limits that eddy takes: it gets past them to the directory.
"$EDDY" snapshot --dir /dev/null/x --every 10s --config dist/eddy.conf 2>"$T/err"
ok 'eddy.conf is read' grep -q '^eddy: /dev/null/x' "$T/err"

if command -v systemd-analyze >/dev/null; then
	mkdir "$T/unit"
	sed "s,/opt/eddy/bin/eddy,\"$EDDY\",; /^Documentation=/d" "$unit" >"$T/unit/eddy.service"
	equal 'systemd finds nothing wrong with the unit' '' \
		"$(systemd-analyze verify "$T/unit/eddy.service" 2>&1 | grep -F eddy.service)"
	# 0 is locked up, 10 is root: with the six capabilities that sampling needs it was 2.0.
	ok 'least privilege' awk '/Overall exposure level/ && match($0, /[0-9]+[.][0-9]+/) {
			level = substr($0, RSTART, RLENGTH)
		}
		END { exit level == "" || level + 0 > 2.0 }' \
		<(systemd-analyze security --offline=yes --no-pager "$T/unit/eddy.service" 2>&1)
else
	skip 'the unit, by systemd' 'no systemd-analyze here'
fi

uninstall_from() {
	local from=$1
	shift
	make -s B="${B:-build}" uninstall DESTDIR="$from" "$@" >"$T/make.log" 2>&1
}

ok 'make uninstall' uninstall_from "$T/a" PREFIX=/opt/eddy SYSCONFDIR=/etc
ok 'and that of the other directory' uninstall_from "$T/a"
equal 'limits that were changed are all that stays' './etc/eddy.conf' "$(cd "$T/a" && find . -type f)"
ok 'installed again' install_to "$T/b"
ok 'make uninstall' uninstall_from "$T/b"
equal 'nothing stays' '' "$(cd "$T/b" && find . -type f)"
# Help on a terminal of 40 columns: nothing wider, no word lost.
narrow() { script -qec "stty cols 40; '$EDDY' $* --help" /dev/null </dev/null | tr -d '\r'; }
for command in '' record top snapshot report diff merge export doctor completion; do
	"$EDDY" $command --help | tr -s ' \n' ' ' >"$T/wide"
	narrow "$command" >"$T/narrow"
	equal "help in 40 columns: ${command:-eddy}" 0 "$(grep -cE '^.{41}' "$T/narrow")"
	equal "and all of it: ${command:-eddy}" "$(tr -d ' ' <"$T/wide")" "$(tr -d ' \n' <"$T/narrow")"
done
finish
